// What goes wrong with disks, made to happen to a running process, and made to end again.
#pragma once

#include "harness.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

#include <sys/types.h>

namespace durability::interop {

// Soft limits of a running process; the hard ones stay, so that they can be raised again.
void limit_file_size(pid_t process, std::uint64_t bytes);
void unlimit_file_size(pid_t process);

// Whether this machine lets one process trace another. When not, says so on the test's output.
bool can_inject();

// From construction to lift(), system calls of all threads of a process end as `inject` says; see
// strace(1), -e inject. Throws std::runtime_error when the tracer does not get hold of it.
class Injection {
  public:
    Injection(pid_t process, const std::string& inject);
    Injection(const Injection&) = delete;
    Injection& operator=(const Injection&) = delete;
    ~Injection();
    void lift();

  private:
    test::Process tracer_;
};

// A small file system of its own at `path`, as far as this machine permits that; when not, says so
// on the test's output. Only this program and what it starts see it.
class SmallDisk {
  public:
    SmallDisk(std::filesystem::path path, std::uint64_t bytes);
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk();
    [[nodiscard]] bool mounted() const { return mounted_; }
    void make_read_only();

  private:
    std::filesystem::path path_;
    bool mounted_{false};
};

// A stock writer that keeps everything until it is acknowledged, and writes when told.
class Source {
  public:
    // Returns when the first `count` samples are acknowledged; throws when they are not.
    Source(const World& world, std::string topic, Kind kind, std::uint64_t count, std::string size);
    // Does not wait: a writer that is not acknowledged is held up as soon as it has a little to
    // keep.
    void write(std::uint64_t count);
    // Whether the writer has been told that everything written so far is safe.
    [[nodiscard]] bool acknowledged(std::chrono::milliseconds timeout = patience);
    [[nodiscard]] std::uint64_t written() const { return written_; }
    [[nodiscard]] std::string output() const { return process_->output(); }
    void leave() { meet(*process_, Fate::ended); }

  private:
    std::uint64_t written_;
    std::unique_ptr<test::Process> process_;
};

// What is wrong with what a late reader finds of `topic`; empty when it is `expected` samples.
std::string late_flaws(const World& world, const std::string& topic, std::uint64_t expected);

// Waits for a line of the daemon that is not older than `from`; fails the test without it.
void require_event(World& world, std::string_view event, std::size_t from = 0);

}  // namespace durability::interop
