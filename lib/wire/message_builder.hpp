// Packs submessages into one datagram of bounded size, little-endian. The header is written with
// the first submessage. Not thread-safe; one owner.
#pragma once

#include "wire/header.hpp"
#include "wire/submessage.hpp"

#include <cstddef>

namespace durability::wire {

class MessageBuilder {
  public:
    // `max_size` in octets, header included; more than a UDP datagram can hold is cut to that.
    MessageBuilder(const Header& header, std::size_t max_size);

    [[nodiscard]] bool empty() const { return datagram_.empty(); }
    // Octets of the datagram so far; 0 while it is empty.
    [[nodiscard]] std::size_t size() const { return datagram_.size(); }
    // The largest submessage, its header included, that can still be appended.
    [[nodiscard]] std::size_t room() const;

    // Each appends one submessage: true if it did, false with nothing changed when it does not fit.
    [[nodiscard]] bool info_destination(const GuidPrefix& prefix);
    [[nodiscard]] bool info_timestamp(Timestamp timestamp);  // invalid: flag 0x02
    [[nodiscard]] bool data(const DataFields& fields);
    [[nodiscard]] bool data_frag(const DataFragFields& fields);
    [[nodiscard]] bool heartbeat(const Heartbeat& value);
    [[nodiscard]] bool heartbeat_frag(const HeartbeatFrag& value);
    [[nodiscard]] bool acknack(const AckNack& value);
    [[nodiscard]] bool nack_frag(const NackFrag& value);
    [[nodiscard]] bool gap(const Gap& value);

    // The finished datagram (empty when nothing was appended); the builder starts again.
    [[nodiscard]] Buffer take();

  private:
    [[nodiscard]] bool begin(std::size_t submessage_size);

    Header header_;
    std::size_t max_size_;
    Buffer datagram_;
};

}  // namespace durability::wire
