// Appends values to a buffer it does not own. Lengths that are known only later are patched.
#pragma once

#include "base/bytes.hpp"

#include <boost/endian/conversion.hpp>

#include <array>
#include <bit>
#include <cstring>

namespace durability {

class ByteWriter {
  public:
    explicit ByteWriter(Buffer& out, std::endian order = std::endian::little)
        : out_(out), start_(out.size()), order_(order) {}

    // Bytes written through this writer.
    [[nodiscard]] std::size_t size() const { return out_.size() - start_; }
    [[nodiscard]] std::endian order() const { return order_; }

    void u8(std::uint8_t value) { out_.push_back(value); }
    void u16(std::uint16_t value) { append(value); }
    void u32(std::uint32_t value) { append(value); }
    void u64(std::uint64_t value) { append(value); }
    void i16(std::int16_t value) { append(static_cast<std::uint16_t>(value)); }
    void i32(std::int32_t value) { append(static_cast<std::uint32_t>(value)); }
    void i64(std::int64_t value) { append(static_cast<std::uint64_t>(value)); }
    void u32_big(std::uint32_t value) { append_raw(boost::endian::native_to_big(value)); }
    // What ByteReader::varint() reads.
    void varint(std::uint64_t value) {
        for (; value >= 0x80U; value >>= 7U)
            u8(static_cast<std::uint8_t>(value | 0x80U));
        u8(static_cast<std::uint8_t>(value));
    }
    void bytes(ByteView view) { out_.insert(out_.end(), view.begin(), view.end()); }
    void zeros(std::size_t count) { out_.resize(out_.size() + count); }
    // Pads with zeros to a multiple of `alignment`, counted from where this writer began.
    void align(std::size_t alignment) {
        const std::size_t rest = size() % alignment;
        if (rest != 0) zeros(alignment - rest);
    }
    // Overwrites what was written at `position` (relative to where this writer began).
    void patch_u16(std::size_t position, std::uint16_t value) { patch(position, value); }
    void patch_u32(std::size_t position, std::uint32_t value) { patch(position, value); }

  private:
    template <class T>
    void append_raw(T raw) {
        const std::size_t at = out_.size();
        out_.resize(at + sizeof(T));
        std::memcpy(out_.data() + at, &raw, sizeof(T));
    }
    template <class T>
    T ordered(T value) const {
        return order_ == std::endian::native ? value : boost::endian::endian_reverse(value);
    }
    template <class T>
    void append(T value) {
        append_raw(ordered(value));
    }
    template <class T>
    void patch(std::size_t position, T value) {
        const T raw = ordered(value);
        std::memcpy(out_.data() + start_ + position, &raw, sizeof(T));
    }

    Buffer& out_;
    std::size_t start_;
    std::endian order_;
};

}  // namespace durability
