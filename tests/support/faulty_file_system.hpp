// A file system in memory that numbers its calls, fails those it is told to, and can lose its
// power: then everything is gone that was not synced, or, worse, only some of it.
#pragma once

#include "store/file_system.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace durability::test {

// What a call does; for choosing which ones fail.
enum class Call : std::uint8_t {
    open,
    read,
    write,
    truncate,
    sync,
    size,
    list,
    make_directory,
    rename,
    remove,
    sync_directory,
    lock
};

// How much of what was not synced a power cut leaves.
enum class PowerCut : std::uint8_t {
    drop_unsynced,    // nothing
    keep_everything,  // all of it: the process was killed, the machine went on
    mangle,  // any of it: blocks of zeros, a shorter file, names with and without their content
};

class FaultyFileSystem final : public store::FileSystem {
  public:
    FaultyFileSystem();
    ~FaultyFileSystem() override;

    Result<std::shared_ptr<store::File>> open(const std::string& path,
                                              store::OpenMode mode) override;
    Result<std::vector<store::DirectoryEntry>> list(const std::string& directory) override;
    Status make_directory(const std::string& path) override;
    Status rename(const std::string& from, const std::string& to) override;
    Status remove(const std::string& path) override;
    Status remove_directory(const std::string& path) override;
    Status sync_directory(const std::string& directory) override;
    Result<std::uint64_t> free_bytes(const std::string& path) override;
    Result<std::unique_ptr<store::Lease>> lock(const std::string& path) override;

    // Calls made so far.
    [[nodiscard]] std::uint64_t calls() const;
    [[nodiscard]] std::uint64_t calls(Call kind) const;
    // The call with this number (from 1) and, with `onwards`, every later one fails. A failing
    // write may have written a part.
    void fail_at(std::uint64_t number, int reason, bool onwards = false);
    // Octets that free_bytes() says there are; writes do not change it.
    void set_free_bytes(std::uint64_t free);
    // This file cannot be opened or, where so told, not read; with 0 it can again.
    void make_unreadable(const std::string& path, int reason, bool at_reading);
    // Whether somebody has moved the folders away underneath, as their leases see it.
    void set_displaced(bool displaced);
    // Every call of this kind fails until told otherwise.
    void fail_all(Call kind, std::optional<int> reason);
    // From this call on the machine is off: every call fails and nothing changes any more.
    void power_off_at(std::uint64_t number);

    // The machine starts again: faults are forgotten, locks are gone, files are what the cut left.
    void restart(PowerCut cut, std::uint64_t seed = 1);

    // The content of a file, for tests that damage it; nothing when there is none.
    [[nodiscard]] std::optional<Buffer> content(const std::string& path) const;
    void put(const std::string& path, Buffer content);
    [[nodiscard]] std::vector<std::string> files() const;  // every path, sorted
    [[nodiscard]] std::uint64_t total_bytes() const;

    struct State;

  private:
    std::shared_ptr<State> state_;
};

}  // namespace durability::test
