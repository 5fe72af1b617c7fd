// What an endpoint has to say, packed into datagrams by destination. Endpoints append submessages,
// the participant takes finished datagrams out; nothing here sends. Bounded: what does not fit is
// dropped and counted, because the protocol repeats everything that goes through here. Not
// thread-safe; belongs to the participant that owns the endpoints.
#pragma once

#include "model/guid.hpp"
#include "model/locator.hpp"
#include "model/rtps_time.hpp"
#include "wire/header.hpp"
#include "wire/message_builder.hpp"
#include "wire/submessage.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace durability::rtps {

// Where the datagrams for one remote participant (or one of its endpoints) go.
struct Destination {
    // All zero: everybody; no INFO_DST is written then (RTPS 2.5, 8.3.8.8).
    GuidPrefix prefix;
    // Normally one unicast locator; a datagram is sent to each.
    std::vector<Locator> locators;
    // From the header of its messages: some answers depend on who reads them (fact sheet 6.2).
    VendorId vendor{};
    friend bool operator==(const Destination&, const Destination&) = default;
};
// Shared between the participant's table and the proxies of its endpoints: either may be dropped
// first, and a datagram under construction looks at it as well.
using DestinationPtr = std::shared_ptr<const Destination>;

struct Transmit {
    Buffer datagram;
    std::vector<Locator> to;
};

class Outbox {
  public:
    // Few datagrams, yet a lost one costs little (fact sheet 12.5). Includes the RTPS header.
    static constexpr std::size_t default_max_datagram = 14'336;
    static constexpr std::size_t default_max_queued_bytes = 8U << 20U;

    explicit Outbox(const wire::Header& own,
                    std::size_t max_datagram = default_max_datagram,
                    std::size_t max_queued_bytes = default_max_queued_bytes);

    // Each appends one submessage for `destination`, in this order on the wire. A datagram is
    // closed when the destination changes or it would grow beyond its bound.
    void heartbeat(const DestinationPtr& destination, const wire::Heartbeat& heartbeat);
    void heartbeat_frag(const DestinationPtr& destination,
                        const wire::HeartbeatFrag& heartbeat_frag);
    void acknack(const DestinationPtr& destination, const wire::AckNack& acknack);
    void nack_frag(const DestinationPtr& destination, const wire::NackFrag& nack_frag);
    void gap(const DestinationPtr& destination, const wire::Gap& gap);
    // With an INFO_TS in front where the timestamp in force in this datagram is another one.
    void data(const DestinationPtr& destination, const wire::DataFields& data, Timestamp timestamp);
    void data_frag(const DestinationPtr& destination,
                   const wire::DataFragFields& data_frag,
                   Timestamp timestamp);

    // The oldest datagram, the open one last; nothing when all have been taken.
    [[nodiscard]] std::optional<Transmit> next_transmit();

    // Octets that wait, those of the open datagram included.
    [[nodiscard]] std::size_t queued_bytes() const;
    // Submessages that were not taken: no room, no locator, or larger than a datagram may be.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
    // Octets of payload and inline QoS in all DATA and DATA_FRAG of endpoints that are not
    // built-in.
    [[nodiscard]] std::uint64_t user_octets() const { return user_octets_; }
    // The greatest count in any HEARTBEAT, ACKNACK or NACK_FRAG so far: after a restart counts have
    // to go on above it (fact sheet 12.3).
    [[nodiscard]] std::int32_t last_count() const { return last_count_; }
    // Octets a DATA or DATA_FRAG submessage may have at most, its header included, INFO_DST and
    // INFO_TS allowed for. Larger samples have to be sent as fragments.
    [[nodiscard]] std::size_t max_submessage() const;

  private:
    // False when the submessage has to be dropped.
    bool open_for(const DestinationPtr& destination);
    bool begin(const DestinationPtr& destination);
    void close();
    // Writes an INFO_TS if one is needed and `following` octets fit behind it.
    bool put_timestamp(Timestamp timestamp, std::size_t following);
    template <class Append>
    void append(const DestinationPtr& destination, Append append_to);

    wire::MessageBuilder builder_;
    std::size_t max_datagram_;
    std::size_t max_queued_bytes_;
    DestinationPtr current_;
    // The timestamp in force in the open datagram; none before the first INFO_TS (RTPS 2.5, 8.3.4).
    Timestamp timestamp_in_force_{};
    // Whether the open datagram holds more than INFO_DST.
    bool has_content_{false};
    std::deque<Transmit> queue_;
    std::size_t closed_bytes_{0};
    std::uint64_t dropped_{0};
    std::uint64_t user_octets_{0};
    std::int32_t last_count_{0};
};

}  // namespace durability::rtps
