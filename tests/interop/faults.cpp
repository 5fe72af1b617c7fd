#include "faults.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

namespace durability::interop {
namespace {

using test::Launch;
using test::Process;

void set_file_size(pid_t process, rlim_t soft) {
    rlimit limit{};
    if (::prlimit(process, RLIMIT_FSIZE, nullptr, &limit) != 0) {
        throw std::runtime_error(fmt::format("prlimit: {}", std::strerror(errno)));
    }
    limit.rlim_cur = std::min(soft, limit.rlim_max);
    if (::prlimit(process, RLIMIT_FSIZE, &limit, nullptr) != 0) {
        throw std::runtime_error(fmt::format("prlimit: {}", std::strerror(errno)));
    }
}

// Mounts of this program are its own from the first call on.
bool enter_private_mounts() {
    static const bool entered = ::unshare(CLONE_NEWNS) == 0 &&
                                ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    return entered;
}

}  // namespace

void limit_file_size(pid_t process, std::uint64_t bytes) {
    set_file_size(process, bytes);
}

void unlimit_file_size(pid_t process) {
    set_file_size(process, RLIM_INFINITY);
}

bool can_inject() {
    static const bool possible = [] {
        Process trial(Launch{
            "strace", {"-qq", "-o", "/dev/null", "-e", "inject=sync:error=EIO", "true"}, {}});
        const auto ended = trial.wait(patience);
        if (ended && ended->status == 0) return true;
        fmt::print("SKIPPED, strace cannot trace here:\n{}\n", trial.output());
        return false;
    }();
    return possible;
}

Injection::Injection(pid_t process, const std::string& inject)
    : tracer_(Launch{"strace",
                     {"-f",
                      "-o",
                      "/dev/null",
                      "-e",
                      "trace=" + inject.substr(0, inject.find(':')),
                      "-e",
                      "inject=" + inject,
                      "-p",
                      std::to_string(process)},
                     {}}) {
    if (tracer_.wait_line(" attached", patience)) return;
    throw std::runtime_error("strace does not attach:\n" + tracer_.output());
}

Injection::~Injection() {
    lift();
}

void Injection::lift() {
    tracer_.kill(SIGINT);
    if (tracer_.wait(2s)) return;
    // It waits for a thread of a process that ends, which waits for it. When it dies, the system
    // lets go of what it traced.
    tracer_.kill(SIGKILL);
    std::ignore = tracer_.wait(patience);
}

SmallDisk::SmallDisk(std::filesystem::path path, std::uint64_t bytes) : path_(std::move(path)) {
    mounted_ =
        enter_private_mounts() &&
        ::mount("small", path_.c_str(), "tmpfs", 0, fmt::format("size={}", bytes).c_str()) == 0;
    if (!mounted_) fmt::print("SKIPPED, nothing can be mounted here: {}\n", std::strerror(errno));
}

SmallDisk::~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
}

void SmallDisk::make_read_only() {
    if (::mount("small", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0) return;
    throw std::runtime_error(fmt::format("remount {}: {}", path_.string(), std::strerror(errno)));
}

Source::Source(
    const World& world, std::string topic, Kind kind, std::uint64_t count, std::string size)
    : written_(count),
      process_(world.publisher(Vendor::cyclone,
                               {"--topic",
                                std::move(topic),
                                "--durability",
                                std::string(name(kind)),
                                "--durability-service",
                                "keep_all",
                                "--cleanup-delay",
                                "infinite",
                                "--count",
                                std::to_string(count),
                                "--size",
                                std::move(size),
                                "--timeout",
                                "60"})) {
    if (!acknowledged()) throw std::runtime_error("not acknowledged:\n" + output());
}

void Source::write(std::uint64_t count) {
    written_ += count;
    process_->write_line(fmt::format("write {}", count));
    process_->write_line("wait_acks");
}

bool Source::acknowledged(std::chrono::milliseconds timeout) {
    return process_->wait_line(fmt::format("ACKED {}", written_), timeout).has_value();
}

std::string late_flaws(const World& world, const std::string& topic, std::uint64_t expected) {
    const auto reader = world.subscriber(Vendor::cyclone,
                                         {"--topic",
                                          topic,
                                          "--durability",
                                          "transient_local",
                                          "--expect",
                                          std::to_string(expected),
                                          "--quiet"});
    return flaws(*reader, expected);
}

void require_event(World& world, std::string_view event, std::size_t from) {
    if (world.daemon().wait_line(fmt::format("event={}", event), patience, from)) return;
    throw std::runtime_error(fmt::format("no {}:\n{}", event, world.daemon().output()));
}

}  // namespace durability::interop
