// Writes a page of metrics to a file, again and again, for a collector that reads files: beside it,
// then renamed, so that nobody reads half of one. On a thread of its own: a disk that does not
// answer holds up nothing else. Belongs to the loop thread.
#pragma once

#include "durability/error.hpp"
#include "net/asio.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace durability::daemon {

class MetricsFile {
  public:
    // Asks for a page; it may come later, or never. On the loop.
    using AskPage = std::function<void(std::function<void(std::string)>)>;
    // Why a page was not written; on the loop, each time.
    using Failed = std::function<void(const Error&)>;

    MetricsFile(boost::asio::io_context& context,
                std::string path,
                std::chrono::nanoseconds interval,
                AskPage ask_page,
                Failed failed);
    MetricsFile(const MetricsFile&) = delete;
    MetricsFile& operator=(const MetricsFile&) = delete;
    ~MetricsFile() { close(); }

    // Removes the file: what it says is not true any longer. Waits a second for the disk at most.
    void close();

  private:
    struct Lane;
    void tick();

    boost::asio::steady_timer timer_;
    std::chrono::nanoseconds interval_;
    AskPage ask_page_;
    std::shared_ptr<Lane> lane_;
    std::thread thread_;
    bool stuck_told_{false};
};

// Writes the file beside and renames it; readable for everybody, whatever the process's mask.
// Errors: permission, io.
[[nodiscard]] Status replace_file(const std::string& path, std::string_view text);

}  // namespace durability::daemon
