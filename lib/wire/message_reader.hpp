// Walks the submessages of one datagram and keeps the state of the receiver (RTPS 2.5, 8.3.4).
// Borrows the datagram; allocates nothing. One reader for each datagram, used by one thread.
//
// What is wrong costs as little as the standard allows (8.3.4.1): an unknown kind is skipped, its
// length trusted; a header that cannot be read, a length that points outside the datagram, and a
// known but invalid submessage make the rest of the message invalid, so next() reports the error
// once and then ends. What came before stays valid.
#pragma once

#include "wire/header.hpp"
#include "wire/submessage.hpp"

#include <cstddef>
#include <optional>

namespace durability::wire {

// As it stands for the submessage just returned.
struct ReceiverState {
    GuidPrefix source;
    VendorId source_vendor;
    ProtocolVersion source_version;
    GuidPrefix destination;  // zero: everybody who hears it
    Timestamp timestamp{};   // invalid if there is none
};

class MessageReader {
  public:
    explicit MessageReader(ByteView datagram);

    // The header, or why this is no message for us; next() then returns nothing.
    [[nodiscard]] const Decoded<Header>& header() const { return header_; }

    // The next submessage; nothing at the end; the error of a malformed one (and nothing after it).
    // INFO_* update state() and are not returned, PAD and unknown kinds are skipped. A submessage
    // for another participant is returned as well: compare state().destination. octetsToNextHeader
    // 0 means "to the end", but for PAD and INFO_TS "empty" (9.4.5.1.3).
    [[nodiscard]] std::optional<Decoded<Submessage>> next();

    [[nodiscard]] const ReceiverState& state() const { return state_; }

  private:
    // One submessage as it lies in the datagram, not yet decoded.
    struct Frame {
        std::uint8_t id{0};
        std::uint8_t flags{0};
        ByteView body;
    };
    [[nodiscard]] Decoded<Frame> next_frame();
    [[nodiscard]] tl::expected<void, DecodeError> apply_info(const Frame& frame);
    void end() { position_ = datagram_.size(); }

    ByteView datagram_;
    std::size_t position_{0};
    Decoded<Header> header_;
    ReceiverState state_;
};

}  // namespace durability::wire
