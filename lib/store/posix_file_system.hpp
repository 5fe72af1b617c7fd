// FileSystem on the operating system.
#pragma once

#include "store/file_system.hpp"

namespace durability::store {

class PosixFileSystem final : public FileSystem {
  public:
    Result<std::shared_ptr<File>> open(const std::string& path, OpenMode mode) override;
    Result<std::vector<DirectoryEntry>> list(const std::string& directory) override;
    Status make_directory(const std::string& path) override;
    Status rename(const std::string& from, const std::string& to) override;
    Status remove(const std::string& path) override;
    Status remove_directory(const std::string& path) override;
    Status sync_directory(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& path) override;
    Result<std::unique_ptr<Lease>> lock(const std::string& path) override;
};

}  // namespace durability::store
