// Owner of a file descriptor.
#pragma once

#include <utility>

#include <unistd.h>

namespace durability {

class UniqueFd {
  public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset() {
        // The result is ignored: on Linux the descriptor is gone whatever close() says, and what
        // must reach the disk was synced before.
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

  private:
    int fd_{-1};
};

}  // namespace durability
