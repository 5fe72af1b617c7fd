// Recovery of one group: its logs, in arrival order, through the retention rule. Rules and the
// table of cases: lib/store/LOG-FORMAT.md, section 6.
#pragma once

#include "store/store_core.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace durability::store {

class GroupLoader {
  public:
    GroupLoader(StoreCore& core, Group& group);

    // Reads the next log; true when the group is complete. After an error the group is not to be
    // used. Errors: version (a file of a newer format), io.
    Result<bool> step(StoreCore::Out& out);
    // All of it at once.
    Status load(StoreCore::Out& out);

  private:
    struct Collected {
        SampleIndex::Entry entry;
        WallTime received;
        std::optional<InstanceKey> key;
    };
    struct FoundLog {
        LogName name;
        std::string file_name;
    };
    enum class Outcome : std::uint8_t {
        loaded,
        skipped,
        set_aside
    };
    class Sink;

    void reset();
    Status list_folder();
    Status load_checkpoint();
    Status begin();
    [[nodiscard]] bool is_misplaced(const FileHeader& header, const LogName& name) const;
    Outcome leave(const std::string& file_name, EventKind kind, std::string reason);
    Result<Outcome> load_log(const FoundLog& found);
    Status finish_log(LogId id, const ScanResult& scan, File& file);
    Result<Outcome> set_aside(const std::string& file_name, const ScanResult& scan);
    Status cut_tail(const std::string& path, const ScanResult& scan, File& file);
    void feed(const SampleIndex::Entry& entry,
              const std::optional<InstanceKey>& key,
              WallTime received);
    void feed_collected();
    void finish_writers();

    StoreCore& core_;
    Group& group_;
    StoreCore::Out* out_{nullptr};  // of the step being done
    bool begun_{false};
    std::size_t next_log_{0};
    std::vector<FoundLog> found_;
    std::set<std::string> names_;    // of everything in the folder
    std::set<std::string> skipped_;  // left in place: unreadable, misplaced, or we only look on
    std::map<Guid, std::uint32_t> next_segment_;
    std::set<Guid> with_others_;  // writers of files that are there and not served
    std::optional<Checkpoint> checkpoint_;
    std::size_t checkpoint_at_{0};
    Arrival last_fed_{0};
    bool direct_{false};  // one writer: its segments are in arrival order already
    std::vector<Collected> collected_;
    std::vector<std::size_t> runs_;  // where in collected_ the samples of each log begin
};

}  // namespace durability::store
