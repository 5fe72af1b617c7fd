// A cursor over foreign bytes that remembers its first error: once something did not fit, every
// further read yields zero and nothing moves, so a decoder reads straight through and asks ok()
// once.
#pragma once

#include "base/bytes.hpp"

#include <boost/endian/conversion.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace durability {

class ByteReader {
  public:
    explicit ByteReader(ByteView bytes, std::endian order = std::endian::little)
        : bytes_(bytes), order_(order) {}

    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] std::size_t remaining() const { return bytes_.size() - position_; }
    [[nodiscard]] std::endian order() const { return order_; }
    void set_order(std::endian order) { order_ = order; }
    // Marks the input as unusable; for rules the cursor itself cannot know.
    void set_failed() { ok_ = false; }

    std::uint8_t u8() { return read<std::uint8_t>(); }
    std::uint16_t u16() { return read<std::uint16_t>(); }
    std::uint32_t u32() { return read<std::uint32_t>(); }
    std::uint64_t u64() { return read<std::uint64_t>(); }
    std::int16_t i16() { return static_cast<std::int16_t>(u16()); }
    std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
    std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
    // Big-endian whatever the order of the rest: entity ids, status info.
    std::uint32_t u32_big() {
        const auto raw = raw_copy<std::uint32_t>();
        return boost::endian::big_to_native(raw);
    }

    // Seven bits an octet, the low ones first; the top bit says that more follow. At most ten
    // octets.
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t octet = u8();
            value |= std::uint64_t{octet & 0x7fU} << shift;
            if ((octet & 0x80U) == 0) return value;
        }
        set_failed();
        return 0;
    }

    // The next `count` bytes; empty and failed when there are fewer.
    ByteView take(std::size_t count) {
        if (!ok_ || count > remaining()) {
            ok_ = false;
            return {};
        }
        const ByteView view = bytes_.subspan(position_, count);
        position_ += count;
        return view;
    }
    template <std::size_t N>
    std::array<std::uint8_t, N> octets() {
        std::array<std::uint8_t, N> result{};
        const ByteView view = take(N);
        if (ok_) std::memcpy(result.data(), view.data(), N);
        return result;
    }
    void skip(std::size_t count) { (void)take(count); }
    // Skips to the next multiple of `alignment`, counted from the start of the view.
    void align(std::size_t alignment) {
        const std::size_t rest = position_ % alignment;
        if (rest != 0) skip(alignment - rest);
    }
    ByteView rest() { return take(remaining()); }

  private:
    template <class T>
    T raw_copy() {
        T raw{};
        if (!ok_ || sizeof(T) > remaining()) {
            ok_ = false;
            return raw;
        }
        std::memcpy(&raw, bytes_.data() + position_, sizeof(T));
        position_ += sizeof(T);
        return raw;
    }
    template <class T>
    T read() {
        const T raw = raw_copy<T>();
        if constexpr (sizeof(T) == 1) {
            return raw;
        } else {
            return order_ == std::endian::native ? raw : boost::endian::endian_reverse(raw);
        }
    }

    ByteView bytes_;
    std::size_t position_{0};
    std::endian order_;
    bool ok_{true};
};

}  // namespace durability
