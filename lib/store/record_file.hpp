// Small persistent key and value pairs: all of them in memory, and a log of changes on disk in
// which the last value wins. The log is rewritten when most of it is outdated. Format:
// LOG-FORMAT.md, section 10.
#pragma once

#include "durability/error.hpp"
#include "store/commands.hpp"
#include "store/file_system.hpp"
#include "store/log_scan.hpp"
#include "store/store.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace durability::store {

// The change a record frame describes; `value` is empty for an erased one. Nothing when the body is
// not well-formed.
[[nodiscard]] std::optional<Record> decode_record(const FrameHeader& header, ByteView body);

class RecordFile {
  public:
    using Key = std::pair<RecordKind, Buffer>;
    using Table = std::map<Key, Buffer>;

    // Reads the file in `folder`, or begins a new one. A torn tail is cut; a damaged file gives
    // Errc::corrupt with `scan` filled in, for the caller to set it aside and open again.
    Status open(FileSystem& files, const std::string& folder, ScanResult& scan);

    [[nodiscard]] const Table& table() const { return table_; }
    [[nodiscard]] std::string path() const { return join(folder_, layout::records); }
    [[nodiscard]] std::uint64_t size() const { return size_; }

    // The table changes whatever happens to the file: what could not be written is with the next
    // successful rewrite. An unchanged value writes nothing.
    Status set(RecordKind kind, Buffer key, Buffer value);
    Status erase(RecordKind kind, const Buffer& key);
    // Everything set so far is on disk when it succeeds. For when nobody else works on the store.
    Status sync();
    // For syncing elsewhere; null when there is nothing to sync or only a rewrite can help.
    [[nodiscard]] std::shared_ptr<File> file_to_sync() const {
        return dirty_ && !broken_ ? file_ : nullptr;
    }
    void on_synced(std::uint64_t size) { dirty_ = dirty_ && size != size_; }
    void on_sync_failed() { broken_ = true; }

    // The file is mostly outdated, or is not to be trusted: somebody writes the content that
    // begin_rewrite() gives to a new file and renames it over this one. What is set meanwhile goes
    // to both.
    [[nodiscard]] bool rewrite_due() const;
    [[nodiscard]] Buffer begin_rewrite();
    void end_rewrite(const Status& outcome);
    // A rewrite has failed; none is due before try_again().
    [[nodiscard]] bool on_hold() const { return held_; }
    void try_again() { held_ = false; }

  private:
    Status write(const Buffer& frame);
    Status rewrite();
    [[nodiscard]] Buffer content() const;

    FileSystem* files_{nullptr};
    std::string folder_;
    std::shared_ptr<File> file_;
    Table table_;
    std::uint64_t size_{0};
    std::uint64_t live_{0};
    bool dirty_{false};
    bool broken_{false};  // the file is not to be trusted any more: rewrite before anything else
    bool held_{false};
    bool rewriting_{false};
    std::uint64_t new_size_{0};
    Buffer since_;  // frames that the file being written does not have
};

}  // namespace durability::store
