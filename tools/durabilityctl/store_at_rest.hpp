// A store that is looked at without a lease: nothing in it is cut, moved or written. Works beside a
// running daemon as well; what the daemon wrote in the last moments may then be missing.
#pragma once

#include "model/status.hpp"
#include "store/commands.hpp"
#include "store/file_system.hpp"
#include "store/key_finder.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace durability::store {
class StoreReader;
}

namespace durability::ctl {

// The greatest that limits.sample_size can be: whatever a daemon stored can be read.
inline constexpr std::uint64_t largest_sample = 1ULL << 30U;

struct DomainFolder {
    std::uint32_t domain{0};
    std::string path;
};

// The folders of a state directory that are named like a domain, by number. `only` < 0 means all.
// Errors: not_found (no such directory, or nothing of ours in it), permission, io.
[[nodiscard]] Result<std::vector<DomainFolder>> domain_folders(store::FileSystem& files,
                                                               const std::string& state_directory,
                                                               std::int64_t only);

// The events among the completions, as lines.
void keep_remarks(const std::vector<store::Completion>& completions,
                  std::vector<std::string>& remarks);

// Keys by the types stored with the topics; a layout in a daemon's rule is not known here.
[[nodiscard]] store::KeyFinders keys_by_type();

// The disk topics of one domain.
class StoreAtRest {
  public:
    // Reads every log once. Errors: version (a file of a newer format, named), permission, io.
    static Result<StoreAtRest> open(store::FileSystem& files, const DomainFolder& folder);
    StoreAtRest(StoreAtRest&&) noexcept;
    StoreAtRest& operator=(StoreAtRest&&) noexcept;
    StoreAtRest(const StoreAtRest&) = delete;
    StoreAtRest& operator=(const StoreAtRest&) = delete;
    ~StoreAtRest();

    [[nodiscard]] DomainStatus status() const;
    [[nodiscard]] std::vector<store::GroupStatus> groups() const;
    [[nodiscard]] InstanceList instances(const store::GroupStatus& group);
    // What was found wrong while reading (CorruptLog, ForeignFile, ...), as event lines.
    [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

    // Retained samples of a group in arrival order, with their payloads, a bounded number at a time
    // in memory. Stops when `each` says false.
    void for_each_sample(GroupHandle group,
                         const std::function<bool(const store::ReadSample&)>& each);

  private:
    StoreAtRest(std::uint32_t domain, std::unique_ptr<store::StoreReader> reader);

    std::uint32_t domain_{0};
    std::unique_ptr<store::StoreReader> reader_;
    std::vector<std::string> remarks_;
};

}  // namespace durability::ctl
