#include "daemon/message_ids.hpp"

#include <cstddef>
#include <iterator>

namespace durability::daemon {
namespace {

struct Row {
    EventKind kind;
    std::string_view id;
};

constexpr Row rows[] = {
    {EventKind::Ready, "849d95aee403521df8bf98ab8fe235d9"},
    {EventKind::Stopping, "5b4b8ccbb454ee03c41828abab59dc0d"},
    {EventKind::AutoServeFailed, "c0d7c5d0709ec3e687ad8c8f87e2d6a3"},
    {EventKind::ConflictingDurabilityService, "9d86ff81eca0798565ca82b729a6e264"},
    {EventKind::ReplayWriteFailed, "1ea51b00c1b6bb0d6b98bcd186e8fad4"},
    {EventKind::ServedFromStoredMeta, "d99b66567bc139143962aad4ab6790a9"},
    {EventKind::ServedFromDiscovery, "3ed25a807c1e50496bc28a8521978ac8"},
    {EventKind::TopicMetaMismatch, "32dcd5dd902151035c94998a73f32669"},
    {EventKind::KeyUnresolved, "3f8a29890aba61d6e65ca12ae3120f72"},
    {EventKind::TornTailTruncated, "5052ae3093afa7fa99b7fdbbbd8ee74d"},
    {EventKind::CorruptLog, "5be2e2cb28be22749d87f428f934c26b"},
    {EventKind::ForeignFile, "3dfee7b4ab7a2d98d0265dfa1c71e94f"},
    {EventKind::StoreDegraded, "d5c8bc5926a92bfd540caf63a74135ce"},
    {EventKind::StoreRecovered, "3ffc3d509beb8c9196c7d3c3c0acd502"},
    {EventKind::IngestStalled, "f95931772fa640ff59864677b0eab137"},
    {EventKind::SampleRejected, "8b86d36dc14d7bf21fb8ca11c90eb010"},
    {EventKind::SampleLost, "f6fe9f7f715c286398ec5c1c4adae42f"},
    {EventKind::ResourceLimit, "7697ae3f728a42232198d7dfd2d7e7e0"},
    {EventKind::WriterRetired, "fbdefc52fe379999f9047cad48c1140a"},
    {EventKind::WriterExpired, "c77de8291907252c7196f62cd731b6d7"},
    {EventKind::IncompleteSetDropped, "98bc07ca8c717cce3586a8f59cd0ae91"},
    {EventKind::MalformedMessage, "665ca3410f8138f635684733d8f26b99"},
    {EventKind::ReaderCannotBeServed, "3b0a4d878f094c7dcacd050b043759d3"},
    {EventKind::PeerServiceFound, "8139a220e216661fc1908ee6c822c372"},
    {EventKind::PeerServiceLost, "63d913b3ef45102ac19cce0dade7b708"},
    {EventKind::IdentityReplaced, "5a4fcafcc453280cb2a9e834cfc71142"},
    {EventKind::ReceiveBufferSmall, "036688ff4a5c7a9d4c893d16d528b5eb"},
    {EventKind::NoNetwork, "c5d3894a80335a149f69802212b837fb"},
    {EventKind::NetworkChanged, "4ad1f5aff31d4f49b1ac0b67d9331e35"},
    {EventKind::ThreadSettingRefused, "7dbcc529e41ad8442126710f439fa578"},
    {EventKind::ConfigReloaded, "3d85956a5dedb2a0067c2a9423cae0b7"},
    {EventKind::ConfigRejected, "b48cee9e8177d882449238da0cc3e7a5"},
    {EventKind::WatchdogLate, "eac3b58cbb03e829735455614ae19fd9"},
    {EventKind::MetricsFileFailed, "6d0c7b0f5a1e4f7f9a3b2c8d51e07a94"},
};
static_assert(std::size(rows) == event_kind_count);

}  // namespace

std::string_view message_id(EventKind kind) {
    return rows[static_cast<std::size_t>(kind)].id;
}

}  // namespace durability::daemon
