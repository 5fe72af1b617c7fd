// One participant as a machine: datagrams of peers and time go in; what it sent, delivered and
// reported comes out as text.
#pragma once

#include "base/time.hpp"
#include "discovery/endpoint_data.hpp"
#include "discovery/participant_data.hpp"
#include "model/guid.hpp"
#include "participant/participant.hpp"
#include "support/test_peers.hpp"
#include "wire/submessage.hpp"

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace durability::test {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

[[nodiscard]] inline Guid remote_writer(std::uint8_t peer) {
    return {prefix(peer), writer_entity};
}
[[nodiscard]] inline Guid remote_reader(std::uint8_t peer) {
    return {prefix(peer), reader_entity};
}
// Encapsulation header and `size` octets.
[[nodiscard]] Buffer payload(std::size_t size = 4);

// A datagram of a peer, submessage by submessage.
class Message {
  public:
    explicit Message(std::uint8_t peer, VendorId vendor = vendor::eclipse);
    Message& to(const GuidPrefix& destination);         // INFO_DST
    Message& in_the_name_of(const GuidPrefix& source);  // INFO_SRC
    Message& stamp(Timestamp timestamp);                // INFO_TS
    Message& data(std::int64_t number, EntityId writer = writer_entity);
    Message& data(EntityId writer, std::int64_t number, ByteView bytes);
    // The entity of that GUID is gone.
    Message& dispose(EntityId writer, std::int64_t number, const Guid& entity);
    Message& fragment(std::int64_t number,
                      std::uint32_t which,
                      ByteView sample,
                      EntityId writer = writer_entity);
    Message& heartbeat(std::int64_t first,
                       std::int64_t last,
                       std::int32_t count,
                       EntityId writer = writer_entity);
    Message& heartbeat_frag(std::int64_t number,
                            std::uint32_t last,
                            std::int32_t count,
                            EntityId writer = writer_entity);
    Message& gap(std::int64_t first, std::int64_t last, EntityId writer = writer_entity);
    Message& acknack(std::int64_t base,
                     std::int32_t count,
                     std::initializer_list<std::int64_t> missing = {},
                     EntityId writer = replay_id,
                     EntityId reader = reader_entity);
    Message& nack_frag(std::int64_t number, std::uint32_t base, std::uint32_t missing);
    Message& octets(std::string_view hex);
    [[nodiscard]] const Buffer& bytes() const { return bytes_; }

  private:
    Buffer bytes_;
};

// Octets of a sample in each fragment of Message::fragment().
inline constexpr std::uint16_t fragment_size = 1'024;

// What one datagram held. A line is "7001 HEARTBEAT ...": the port it went to, and what it was.
struct Sent {
    Lines user;
    Lines discovery;                       // entities of SPDP and SEDP
    std::vector<VendorId> vendors;         // in the headers, one for each datagram
    std::vector<GuidPrefix> destinations;  // of user traffic
    std::vector<Guid> disposed;            // by SPDP and SEDP
};

[[nodiscard]] participant::ParticipantOptions default_options();

struct ParticipantUnderTest {
    explicit ParticipantUnderTest(participant::ParticipantOptions options = default_options());

    void receive(const Message& message);
    // SPDP announcement of a peer; it has no built-in endpoints unless some are given.
    void meet(std::uint8_t peer,
              VendorId vendor = vendor::eclipse,
              std::uint32_t builtin_endpoints = 0,
              const std::optional<Locator>& at = std::nullopt);
    void add_reader(EntityId id, ReliabilityKind reliability = ReliabilityKind::reliable);
    // Matches the peer's writer with a reader of ours.
    void match(std::uint8_t peer, EntityId reader = reader_id, SequenceNumber resume_after = {0});
    void commit(std::uint8_t peer, std::int64_t through);
    // Moves time on and lets every deadline up to there pass.
    void run(Duration duration);
    void tick() { participant.tick(now); }

    [[nodiscard]] Sent sent();
    [[nodiscard]] Lines user_traffic() { return sent().user; }
    // What came out of samples() since: "1:1 1:2 2:[3-5]", the peer and the numbers; {3-5} if lost.
    [[nodiscard]] std::string samples();
    // Those of one kind; all others are dropped.
    template <class Event>
    [[nodiscard]] std::vector<Event> events() {
        std::vector<Event> chosen;
        while (auto event = participant.next_event()) {
            if (auto* wanted = std::get_if<Event>(&*event)) chosen.push_back(std::move(*wanted));
        }
        return chosen;
    }

    // Forgets what was sent and reported so far.
    void settle();

    participant::Participant participant;
    MonoTime now{1h};
    std::deque<Buffer> datagrams;  // samples borrow from these
    std::int64_t spdp_number{0};
};

}  // namespace durability::test
