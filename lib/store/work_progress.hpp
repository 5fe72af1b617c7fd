// How far long work over files is, for whoever watches.
#pragma once

#include "store/file_system.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace durability::store {

struct WorkProgress {
    std::uint64_t done{0};  // bytes
    std::uint64_t total{0};
    std::string_view file;  // the one at hand
};
// Called often; may be empty.
using OnWork = std::function<void(const WorkProgress&)>;

// Passes reads on, and says how far they have come.
class WatchedFile final : public File {
  public:
    WatchedFile(File& file, const OnWork& on_work, WorkProgress before)
        : file_(file), on_work_(on_work), before_(before) {}
    Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
        auto got = file_.read(offset, out);
        if (got && on_work_) on_work_({before_.done + offset + *got, before_.total, before_.file});
        return got;
    }
    Status write(std::uint64_t offset, ByteView bytes) override {
        return file_.write(offset, bytes);
    }
    Status truncate(std::uint64_t size) override { return file_.truncate(size); }
    Status sync() override { return file_.sync(); }
    Result<std::uint64_t> size() override { return file_.size(); }

  private:
    File& file_;
    const OnWork& on_work_;
    WorkProgress before_;
};

}  // namespace durability::store
