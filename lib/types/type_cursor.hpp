// Reads the encoding type descriptions are written in: XCDR2, little-endian (XTypes 1.3, 7.4.3.5).
// Errors stick as in ByteReader; foreign bytes, so every count is checked against what is left.
#pragma once

#include "base/byte_reader.hpp"
#include "base/bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace durability::types {

class TypeCursor {
  public:
    explicit TypeCursor(ByteView bytes) : in_(bytes) {}

    [[nodiscard]] bool ok() const { return in_.ok(); }
    [[nodiscard]] std::size_t position() const { return in_.position(); }
    [[nodiscard]] std::size_t remaining() const { return in_.remaining(); }
    void set_failed() { in_.set_failed(); }

    std::uint8_t u8() { return in_.u8(); }
    std::uint16_t u16() {
        in_.align(2);
        return in_.u16();
    }
    std::uint32_t u32() {
        in_.align(4);
        return in_.u32();
    }
    ByteView take(std::size_t count) { return in_.take(count); }

    // The number of elements of a sequence; none needs less than one octet.
    std::uint32_t count() {
        const std::uint32_t number = u32();
        if (number > remaining()) set_failed();
        return ok() ? number : 0;
    }
    std::string string() {
        const ByteView octets = take(u32());
        if (!ok() || octets.empty()) return {};
        const auto end = std::find(octets.begin(), octets.end(), std::uint8_t{0});
        return {octets.begin(), end};
    }

    // A value with a DHEADER: what `read` leaves of it belongs to a later version and is skipped.
    template <class Read>
    void delimited(Read read) {
        const std::uint32_t size = u32();
        if (size > remaining()) set_failed();
        if (!ok()) return;
        const std::size_t end = position() + size;
        read();
        if (position() > end) set_failed();
        if (ok()) in_.skip(end - position());
    }
    void skip_delimited() {
        delimited([] {});
    }
    // A sequence of elements that are no primitives.
    template <class Read>
    void sequence(Read read_element) {
        delimited([&] {
            for (std::uint32_t left = count(); left > 0 && ok(); --left)
                read_element();
        });
    }
    template <class Read>
    void optional(Read read) {
        if (u8() != 0 && ok()) read();
    }

  private:
    ByteReader in_;
};

}  // namespace durability::types
