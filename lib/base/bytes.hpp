// Views of bytes and the buffers that own them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace durability {

using ByteView = std::span<const std::uint8_t>;
using Buffer = std::vector<std::uint8_t>;

// Bytes that are either borrowed (valid as long as the datagram they came in) or owned.
// Moving keeps the view valid, because moving a vector does not move its elements.
class Payload {
  public:
    Payload() = default;
    static Payload borrowed(ByteView view) {
        Payload payload;
        payload.view_ = view;
        return payload;
    }
    static Payload owned(Buffer bytes) {
        Payload payload;
        payload.owned_ = std::move(bytes);
        payload.view_ = payload.owned_;
        return payload;
    }
    Payload(Payload&& other) noexcept
        : owned_(std::move(other.owned_)), view_(std::exchange(other.view_, ByteView{})) {}
    Payload& operator=(Payload&& other) noexcept {
        owned_ = std::move(other.owned_);
        view_ = std::exchange(other.view_, ByteView{});
        return *this;
    }
    Payload(const Payload&) = delete;
    Payload& operator=(const Payload&) = delete;
    ~Payload() = default;

    [[nodiscard]] ByteView view() const { return view_; }
    [[nodiscard]] std::size_t size() const { return view_.size(); }
    [[nodiscard]] bool is_owned() const { return !owned_.empty() || view_.empty(); }

    // Copies borrowed bytes, so that the payload may outlive its datagram.
    void make_owned() {
        if (is_owned()) return;
        owned_.assign(view_.begin(), view_.end());
        view_ = owned_;
    }
    // The bytes themselves, copied if they were borrowed; leaves the payload empty.
    [[nodiscard]] Buffer take() {
        make_owned();
        view_ = {};
        return std::exchange(owned_, Buffer{});
    }

  private:
    Buffer owned_;
    ByteView view_;
};

// Lower-case hexadecimal digits, two for each byte.
[[nodiscard]] std::string to_hex(ByteView bytes);

}  // namespace durability
