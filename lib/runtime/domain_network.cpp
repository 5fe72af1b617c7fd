// Which participants the domain is, and where they can be reached: at the start, and when addresses
// change.
#include "base/clock.hpp"
#include "runtime/domain_runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <utility>

#include <sys/random.h>

namespace durability::runtime {
namespace {

Result<GuidPrefix> random_prefix() {
    GuidPrefix prefix;
    // The vendor's two octets first (RTPS 2.5, 8.2.4.1); the rest only has to be unique.
    prefix.octets[0] = static_cast<std::uint8_t>(vendor::own.value >> 8U);
    prefix.octets[1] = static_cast<std::uint8_t>(vendor::own.value & 0xffU);
    const auto wanted = static_cast<::ssize_t>(prefix.octets.size() - 2);
    if (::getrandom(prefix.octets.data() + 2, static_cast<std::size_t>(wanted), 0) != wanted) {
        return fail(Errc::io, "read random numbers for a GUID", errno);
    }
    return prefix;
}

// What an earlier run left.
struct StoredIdentity {
    std::array<std::optional<service::ParticipantIdentity>, service::side_count> sides;
    std::vector<std::uint32_t> addresses;
    bool damaged{false};
};

StoredIdentity stored_identity(const std::vector<store::Record>& records) {
    StoredIdentity stored;
    for (const store::Record& record : records) {
        if (record.kind != store::RecordKind::identity) continue;
        for (const service::Side side : {service::Side::ingest, service::Side::replay}) {
            if (record.key != service::identity_key(side)) continue;
            auto& identity = stored.sides[static_cast<std::size_t>(side)];
            identity = service::decode_identity(record.value);
            stored.damaged = stored.damaged || !identity;
        }
        if (record.key == service::addresses_key())
            stored.addresses = service::decode_addresses(record.value).value_or(stored.addresses);
    }
    return stored;
}

constexpr std::string_view addresses_gone = "the addresses that peers know it by are gone";

}  // namespace

// The identity of an earlier run, if its ports could be taken again and peers can reach it where
// they did; else a new one, and an event.
Status DomainRuntime::choose_identity(service::DomainOptions& options, bool new_identity) {
    StoredIdentity stored = stored_identity(options.records);
    auto sockets = open_sockets(context_, options.config.network, domain_, stored.sides);
    if (!sockets) return tl::unexpected(sockets.error());
    sockets_ = std::move(*sockets);
    wanted_interfaces_ = options.config.network.interfaces;
    auto available = net::system_interfaces();
    if (!available) return tl::unexpected(available.error());
    const bool unreachable =
        new_identity ||
        judge_change(stored.addresses, sockets_.interfaces, *available, sockets_.interfaces) ==
            NetworkChange::replaced;

    bool all_return = true;
    for (const service::Side side : {service::Side::ingest, service::Side::replay}) {
        const auto at = static_cast<std::size_t>(side);
        const auto& earlier = stored.sides[at];
        service::DomainOptions::SideOptions& own = options.sides[at];
        own.metatraffic = sockets_.metatraffic_locators(side);
        own.user = sockets_.user_locators(side);
        const bool has_ports = earlier && sockets_.has_ports_of(side, *earlier);
        if (has_ports && !unreachable) {
            own.identity = *earlier;
            continue;
        }
        all_return = false;
        auto prefix = random_prefix();
        if (!prefix) return tl::unexpected(prefix.error());
        own.identity = {
            *prefix, sockets_.sides[at].metatraffic->port(), sockets_.sides[at].user->port()};
        own.is_new = true;
        if (!earlier && !stored.damaged) continue;
        std::string reason = "the stored identity is not usable";
        if (has_ports) reason = addresses_gone;
        if (earlier && !has_ports) {
            reason = fmt::format(
                "UDP port {} or {} is taken", earlier->metatraffic_port, earlier->user_port);
        }
        events_.report_always(
            service::make_event(EventKind::IdentityReplaced,
                                {{"domain", std::to_string(domain_)},
                                 {"participant", std::string(service::name(side))},
                                 {"reason", std::move(reason)},
                                 {"prefix", to_string(*prefix)}}),
            system_now());
    }
    if (!all_return) stored.addresses.clear();
    known_addresses_ = with_addresses(stored.addresses, sockets_.interfaces);
    if (sockets_.interfaces.empty()) report_network();
    return {};
}

NetworkChange DomainRuntime::look_at_network() {
    if (stopped_) return NetworkChange::none;
    const auto available = net::system_interfaces();
    // It will be asked again with the next change; what is in use stays.
    if (!available) return NetworkChange::none;
    std::vector<net::Interface> chosen = net::select_interfaces(*available, wanted_interfaces_);
    const NetworkChange change =
        judge_change(known_addresses_, sockets_.interfaces, *available, chosen);
    if (change != NetworkChange::extended) return change;

    sockets_.use(std::move(chosen));
    const std::vector<std::uint32_t> known = with_addresses(known_addresses_, sockets_.interfaces);
    if (known != known_addresses_) {
        known_addresses_ = known;
        store::Command command = store::SaveRecord{0,
                                                   store::RecordKind::identity,
                                                   service::addresses_key(),
                                                   service::encode(known_addresses_),
                                                   false};
        std::ignore = store_->submit(command);
    }
    const Now now = system_now();
    for (const service::Side side : {service::Side::ingest, service::Side::replay}) {
        service_->set_locators(
            side, sockets_.metatraffic_locators(side), sockets_.user_locators(side), now);
    }
    report_network();
    turn();
    return change;
}

void DomainRuntime::report_network() {
    if (sockets_.interfaces.empty()) {
        const std::string reason =
            wanted_interfaces_.empty()
                ? std::string("no interface is up with an IPv4 address")
                : fmt::format("none of network.interfaces is up with an IPv4 address: {}",
                              fmt::join(wanted_interfaces_, ", "));
        events_.report_always(
            service::make_event(EventKind::NoNetwork,
                                {{"domain", std::to_string(domain_)}, {"reason", reason}}),
            system_now());
        return;
    }
    std::vector<std::string> names;
    for (const net::Interface& interface : sockets_.interfaces)
        names.push_back(fmt::format("{} {}", interface.name, net::to_text(interface.address)));
    events_.report_always(
        service::make_event(EventKind::NetworkChanged,
                            {{"domain", std::to_string(domain_)},
                             {"uses", fmt::format("{}", fmt::join(names, ", "))}}),
        system_now());
}

}  // namespace durability::runtime
