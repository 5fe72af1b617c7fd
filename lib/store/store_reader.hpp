// A look at a store at rest or beside a running daemon: groups, writers, retained samples. Reads
// only: takes no lease, cuts nothing, moves nothing. Beside a daemon it shows what had reached the
// files when it was opened; samples removed meanwhile are skipped.
#pragma once

#include "durability/config.hpp"
#include "store/commands.hpp"
#include "store/file_system.hpp"
#include "store/key_finder.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace durability::store {

class StoreReader {
  public:
    // Either folder of a domain may be empty: it is then not looked at. Events about damage that
    // was passed over go to `out`. Errors: not_found, permission, io, version (each names the
    // path).
    static Result<std::unique_ptr<StoreReader>> open(FileSystem& files,
                                                     const std::string& disk_directory,
                                                     const std::string& memory_directory,
                                                     const Limits& limits,
                                                     std::vector<Completion>& out,
                                                     KeyFinders key_finders = {});
    StoreReader(const StoreReader&) = delete;
    StoreReader& operator=(const StoreReader&) = delete;
    ~StoreReader();

    [[nodiscard]] StoreStatus status() const;
    [[nodiscard]] std::vector<ListedSample> list(GroupHandle group) const;
    [[nodiscard]] InstancesListed instances(const ListInstances& command,
                                            std::vector<Completion>& out);
    // Every retained sample of the group in arrival order, payload included (valid during the
    // call), until `visit` returns false. Memory is bounded by a few megabytes or one sample.
    // Events about what could not be read go to `out`; beside a daemon that may be frames it
    // removed.
    void for_each(GroupHandle group,
                  const std::function<bool(const ReadSample&)>& visit,
                  std::vector<Completion>& out);

  private:
    struct Impl;
    explicit StoreReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace durability::store
