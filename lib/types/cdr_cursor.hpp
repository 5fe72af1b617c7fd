// A cursor over a CDR value, XCDR1 or XCDR2, of either byte order (XTypes 1.3, 7.4). The first
// error sticks: from then on nothing moves and every read is zero. It also counts steps, so that a
// type made for the purpose cannot keep anybody busy with a value of no octets.
#pragma once

#include "base/bytes.hpp"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace durability::types {

enum class CdrVersion : std::uint8_t {
    xcdr1,
    xcdr2
};

inline constexpr std::size_t max_alignment(CdrVersion version) {
    return version == CdrVersion::xcdr1 ? 8 : 4;
}

class CdrCursor {
  public:
    // What of the value may be read, and from where alignment is counted.
    struct Window {
        std::size_t origin{0};
        std::size_t end{0};
    };

    CdrCursor(ByteView body, std::endian order, CdrVersion version)
        : body_(body),
          window_{0, body.size()},
          steps_(4096 + 4 * body.size()),
          max_alignment_(max_alignment(version)),
          order_(order),
          version_(version) {}

    [[nodiscard]] bool ok() const { return ok_; }
    void set_failed() { ok_ = false; }
    [[nodiscard]] std::endian order() const { return order_; }
    [[nodiscard]] bool is_version_2() const { return version_ == CdrVersion::xcdr2; }
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] std::size_t remaining() const { return window_.end - position_; }
    [[nodiscard]] Window window() const { return window_; }

    // Called once for each value that is looked at. False when it is enough.
    bool step() {
        if (steps_ == 0) ok_ = false;
        if (!ok_) return false;
        --steps_;
        return true;
    }

    void align(std::size_t alignment) {
        const std::size_t limited = std::min(alignment, max_alignment_);
        (void)take((window_.origin - position_) & (limited - 1));
    }
    // Null, and failed, when there are not as many.
    const std::uint8_t* take(std::size_t count) {
        if (!ok_ || count > remaining()) {
            ok_ = false;
            return nullptr;
        }
        const std::uint8_t* octets = body_.data() + position_;
        position_ += count;
        return octets;
    }
    std::uint8_t u8() {
        const std::uint8_t* octet = take(1);
        return octet == nullptr ? 0 : *octet;
    }
    std::uint16_t u16() { return number<std::uint16_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }

    // Makes the next `size` octets all there is; what it returns is for leave().
    Window enter(std::size_t size) {
        const Window outer = window_;
        if (size > remaining()) {
            ok_ = false;
        } else {
            window_.end = position_ + size;
        }
        return outer;
    }
    // Goes behind the window and returns to the one around it.
    void leave(Window outer) {
        if (!ok_) return;
        position_ = window_.end;
        window_ = outer;
    }
    // For returning to a place in the window that was passed already.
    void restore(Window window, std::size_t position) {
        window_ = window;
        position_ = position;
    }
    // Alignment counts from here on: the value of a parameter in XCDR1 begins anew.
    void set_origin() { window_.origin = position_; }

  private:
    template <class T>
    T number() {
        align(sizeof(T));
        const std::uint8_t* octets = take(sizeof(T));
        if (octets == nullptr) return 0;
        T value{};
        std::memcpy(&value, octets, sizeof(T));
        return order_ == std::endian::native ? value : boost::endian::endian_reverse(value);
    }

    ByteView body_;
    std::size_t position_{0};
    Window window_;
    std::size_t steps_;
    std::size_t max_alignment_;
    std::endian order_;
    CdrVersion version_;
    bool ok_{true};
};

}  // namespace durability::types
