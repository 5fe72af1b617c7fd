// Plays the service manager: a socket that sd_notify(3) speaks to, and what it said.
#pragma once

#include "base/unique_fd.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace durability::test {

class NotifySocket {
  public:
    // Throws std::system_error when the socket cannot be made.
    explicit NotifySocket(std::string path);

    // "NOTIFY_SOCKET=..."
    [[nodiscard]] std::string environment() const { return "NOTIFY_SOCKET=" + path_; }
    // Waits for the next message that was not looked at with a line that begins with `line`; gives
    // the message, or nothing ("") when it does not come within `timeout`. Others are passed over.
    std::string wait(std::string_view line, std::chrono::milliseconds timeout);
    // Passes over everything that has come.
    void drain();
    // All messages so far.
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

  private:
    bool receive(std::chrono::milliseconds timeout);

    std::string path_;
    UniqueFd socket_;
    std::vector<std::string> messages_;
};

}  // namespace durability::test
