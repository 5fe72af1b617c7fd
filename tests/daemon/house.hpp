// A folder that goes with the test, and daemons on it.
#pragma once

#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

namespace durability::test {

// Longest wait for what must happen; nothing here takes a second on an idle machine.
inline constexpr auto patience = std::chrono::seconds{20};

// A folder of its own that goes with the test, and daemons on it.
class House {
  public:
    House() {
        std::string name =
            (std::filesystem::temp_directory_path() / "durability-daemon-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~House() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    House(const House&) = delete;
    House& operator=(const House&) = delete;

    [[nodiscard]] std::string path(const std::string& name) const {
        return (path_ / name).string();
    }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return path(name);
    }
    [[nodiscard]] std::unique_ptr<Process> launch(std::vector<std::string> arguments = {},
                                                  std::vector<std::string> environment = {}) const {
        std::vector<std::string> all{"--state-dir", path("state"), "--runtime-dir", path("run")};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return std::make_unique<Process>(
            Launch{DURABILITYD_BINARY, std::move(all), std::move(environment)});
    }
    [[nodiscard]] std::unique_ptr<Process> serving(
        std::vector<std::string> arguments = {}, std::vector<std::string> environment = {}) const {
        auto daemon = launch(std::move(arguments), std::move(environment));
        const auto ready = daemon->wait_line("event=Ready", patience);
        if (!ready) FAIL(daemon->output());
        return daemon;
    }

  private:
    std::filesystem::path path_;
};

inline int exit_of(Process& process) {
    const auto ended = process.wait(patience);
    if (!ended) return -1;
    return ended->signal != 0 ? 1'000 + ended->signal : ended->status;
}

// A command of the tool, run to its end.
struct Ran {
    int status{-1};
    std::string output;
};
inline Ran run_tool(std::vector<std::string> arguments) {
    Process process({DURABILITYCTL_BINARY, std::move(arguments), {}});
    const int status = exit_of(process);
    return {status, process.output()};
}

}  // namespace durability::test
