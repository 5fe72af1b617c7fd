// Parameter lists (RTPS 2.5, 9.4.2.11): a reader that trusts no length, and a builder.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/locator.hpp"
#include "model/rtps_time.hpp"
#include "model/sequence_number.hpp"
#include "wire/decode_error.hpp"
#include "wire/parameter_id.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace durability::wire {

struct Parameter {
    std::uint16_t id{0};  // as received, flags included
    ByteView value;       // its size is a multiple of 4
};

// Walks a list that starts at the first octet of a view and may end before the view does. Borrows
// the view; allocates nothing. One thread.
class ParameterReader {
  public:
    ParameterReader(ByteView list, std::endian order) : list_(list), order_(order) {}

    // The next parameter; PID_PAD is skipped. Nothing after PID_SENTINEL or an error. Errors:
    // truncated (half a parameter), bad_length (not a multiple of 4), missing_sentinel (the view
    // ends first).
    [[nodiscard]] std::optional<Decoded<Parameter>> next();

    [[nodiscard]] bool reached_sentinel() const { return at_sentinel_; }
    // What follows the sentinel; empty before it is reached.
    [[nodiscard]] ByteView rest() const {
        return at_sentinel_ ? list_.subspan(position_) : ByteView{};
    }
    // Octets consumed so far, the sentinel included once it is reached.
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] std::endian order() const { return order_; }

  private:
    [[nodiscard]] std::optional<Decoded<Parameter>> stop(DecodeError error);

    ByteView list_;
    std::endian order_;
    std::size_t position_{0};
    bool at_sentinel_{false};
    bool failed_{false};
};

// The octets of the list at the start of `bytes`, its sentinel included. Errors as ParameterReader.
[[nodiscard]] Decoded<std::size_t> parameter_list_size(ByteView bytes, std::endian order);

// Appends parameters, little-endian, to a buffer it does not own. A value that does not fit the
// 16-bit length is left out and makes ok() false for good. Not thread-safe.
class ParameterListBuilder {
  public:
    explicit ParameterListBuilder(Buffer& out) : out_(out) {}

    void u32(std::uint16_t id, std::uint32_t value);
    void i32(std::uint16_t id, std::int32_t value);
    void boolean(std::uint16_t id, bool value);  // one octet and three of padding
    // `value` as it is, followed by zeros up to a multiple of 4.
    void octets(std::uint16_t id, ByteView value);
    // A length in front of the octets (USER_DATA and its like).
    void octet_sequence(std::uint16_t id, ByteView value);
    void string(std::uint16_t id, std::string_view value);
    // A sequence of pairs of strings (PROPERTY_LIST).
    void properties(std::uint16_t id, std::span<const std::pair<std::string, std::string>> pairs);
    void guid(std::uint16_t id, const Guid& value);
    void duration(std::uint16_t id, QosDuration value);
    void locator(std::uint16_t id, const Locator& value);
    void sequence_number(std::uint16_t id, SequenceNumber value);
    void protocol_version(std::uint16_t id, ProtocolVersion value);
    void vendor(std::uint16_t id, VendorId value);
    // PID_SENTINEL; the list is complete.
    void finish();

    [[nodiscard]] bool ok() const { return ok_; }

  private:
    Buffer& out_;
    bool ok_{true};
};

}  // namespace durability::wire
