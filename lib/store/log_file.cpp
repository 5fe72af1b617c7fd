#include "store/log_file.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <tuple>

namespace durability::store {
namespace {

// A commit frame costs 32 bytes; at most one for so many bytes of log. What is safe but not yet
// vouched for is still recovered as long as it is whole, and idle logs are vouched for completely.
constexpr std::uint64_t commit_spacing = 1024;

}  // namespace

LogFile::LogFile(std::string folder, LogName name, Safety safety)
    : folder_(std::move(folder)),
      name_(name),
      path_(join(folder_, log_name(name))),
      safety_(safety) {}

void LogFile::adopt(std::uint64_t size, std::uint64_t covered) {
    written_ = size_ = safe_ = size;
    covered_ = std::min(covered, size);
    exists_ = named_ = true;
}

void LogFile::adopt_synced(std::uint64_t size, std::uint64_t covered) {
    adopt(size, covered);
    failed_ = unsynced_ = false;
    pending_.clear();
    pending_bytes_ = 0;
}

void LogFile::adopt_written(std::uint64_t front, Buffer content) {
    front_ = front;
    written_ = size_ = front + content.size();
    exists_ = unsynced_ = true;
    if (safety_ == Safety::synced) {
        pending_bytes_ = content.size();
        if (!content.empty()) pending_.push_back({front, std::move(content)});
        return;
    }
    safe_ = size_;
    unsynced_ = safety_ == Safety::none;
}

Buffer& LogFile::batch() {
    if (batch_.empty() && safety_ != Safety::none && safe_ >= covered_ + commit_spacing &&
        !failed_) {
        encode_commit({size_, safe_}, batch_);
        covered_ = safe_;
    }
    return batch_;
}

bool LogFile::add_commit_frame() {
    // A commit frame by itself needs no other to vouch for it.
    if (failed_ || !batch_.empty() || safe_ <= covered_ + commit_frame_size) return false;
    encode_commit({size_, safe_}, batch_);
    covered_ = safe_;
    return true;
}

Status LogFile::write_batch() {
    if (batch_.empty()) return {};
    const std::uint64_t offset = size_;
    size_ += batch_.size();
    Status done{};
    if (!failed_) {
        done = file ? file->write(offset, batch_)
                    : Status(fail(Errc::internal, "write " + path_ + ": not open"));
        if (done) {
            written_ = size_;
            unsynced_ = unsynced_ || safety_ != Safety::written;
        } else {
            // Half a frame must not stay: what follows it later would not be found. When cutting
            // fails too, the next start sees a torn tail, and nothing is appended here before.
            if (file) std::ignore = file->truncate(written_);
            failed_ = true;
        }
    }
    const bool keep = failed_ || safety_ == Safety::synced;
    if (keep) {
        pending_bytes_ += batch_.size();
        pending_.push_back({offset, std::exchange(batch_, Buffer{})});
    } else {
        safe_ = written_;
        batch_.clear();
    }
    return done;
}

void LogFile::on_synced(std::uint64_t length) {
    if (failed_) return;  // the pending bytes are written elsewhere in any case
    assert(length <= written_);
    if (length == written_) unsynced_ = false;
    safe_ = std::max(safe_, length);
    const auto first_kept = std::find_if(
        pending_.begin(), pending_.end(), [this](const Pending& p) { return p.offset >= safe_; });
    for (auto at = pending_.begin(); at != first_kept; ++at)
        pending_bytes_ -= at->bytes.size();
    pending_.erase(pending_.begin(), first_kept);
}

Status LogFile::sync_now() {
    if (!needs_sync()) return {};
    const std::uint64_t length = written_;
    Status done =
        file ? file->sync() : Status(fail(Errc::internal, "sync " + path_ + ": not open"));
    if (done) {
        on_synced(length);
    } else {
        on_sync_failed();
    }
    return done;
}

Result<std::size_t> LogFile::read(std::uint64_t offset, std::span<std::uint8_t> out) {
    // A failed log is read from the file only as far as that is known to be good.
    const std::uint64_t in_file = failed_ ? safe_ : written_;
    if (offset < in_file || pending_.empty()) {
        if (!file) return fail(Errc::internal, "read " + path_ + ": not open");
        const std::uint64_t left = offset < in_file ? in_file - offset : 0;
        return file->read(offset, out.first(std::min<std::uint64_t>(out.size(), left)));
    }
    std::size_t done = 0;
    for (const Pending& part : pending_) {
        const std::uint64_t at = offset + done;
        if (at < part.offset || at >= part.offset + part.bytes.size()) continue;
        const auto skip = static_cast<std::ptrdiff_t>(at - part.offset);
        const std::size_t count = std::min<std::size_t>(
            out.size() - done, part.bytes.size() - static_cast<std::size_t>(skip));
        std::copy_n(
            part.bytes.begin() + skip, count, out.begin() + static_cast<std::ptrdiff_t>(done));
        done += count;
    }
    return done;
}

void LogFile::give_up_pending() {
    // Cutting is a courtesy: frames that stay are recognised by their arrival number at the next
    // start.
    if (file && written_ != safe_) std::ignore = file->truncate(safe_);
    front_ = std::min(front_, safe_);
    written_ = size_ = safe_;
    pending_.clear();
    pending_bytes_ = 0;
    failed_ = unsynced_ = false;
}

}  // namespace durability::store
