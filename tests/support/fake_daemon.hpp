// A control socket that answers what a test says: programs see a daemon whose figures never change.
#pragma once

#include "control/protocol.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

namespace durability::test {

class FakeDaemon {
  public:
    // The line of the reply, without its end; on a thread of its own, one question at a time.
    using Answer = std::function<std::string(const control::Request&)>;

    // Listens in a folder of its own; at `socket` where that is given.
    explicit FakeDaemon(Answer answer, const std::string& socket = {});
    FakeDaemon(const FakeDaemon&) = delete;
    FakeDaemon& operator=(const FakeDaemon&) = delete;
    ~FakeDaemon();
    [[nodiscard]] std::string socket() const { return path_; }

  private:
    void serve() const;

    Answer answer_;
    std::filesystem::path folder_;
    std::string path_;
    int listener_{-1};
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

}  // namespace durability::test
