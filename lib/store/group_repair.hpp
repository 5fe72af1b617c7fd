// Repair of one group: the damaged logs in its folder, what of them belongs to the history, and the
// files that say so. Private to repair.cpp.
#pragma once

#include "store/repair.hpp"
#include "store/salvage.hpp"
#include "store/store_core.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace durability::store {

class GroupRepair {
  public:
    // `core` holds the recovered store; it is not to be used for anything else afterwards, because
    // it does not hear of what is added. No arrival number from `unknown_arrival` on was given out.
    GroupRepair(StoreCore& core, Group& group, bool dry_run, Arrival unknown_arrival);

    // Bytes that read() will read.
    [[nodiscard]] Result<std::uint64_t> measure();
    // Reads the damaged logs and decides; changes nothing.
    Status read(const OnWork& on_work, WorkProgress& work);
    // Writes what read() decided, renames the damaged files.
    Status write();
    [[nodiscard]] const std::vector<RepairedFile>& files() const { return reports_; }

  private:
    enum class Fate : std::uint8_t {
        undecided,
        already,  // there, or replaced by what came later
        listed,   // its frame is in a log that is whole: only the list has to name it
        added
    };
    struct Found {
        Arrival arrival{0};
        SequenceNumber number;
        WallTime received{};
        Timestamp source_timestamp{};
        std::uint64_t offset{0};
        std::size_t run{0};  // of frames that follow each other
        std::uint32_t body_size{0};
        std::uint32_t payload_size{0};
        std::uint8_t flags{0};
        std::optional<InstanceKey> key;
        Fate fate{Fate::undecided};
        [[nodiscard]] bool belongs() const { return fate == Fate::listed || fate == Fate::added; }
    };
    // Where the samples of a coherent set lie.
    struct FoundSet {
        std::uint64_t begin{0};
        std::uint64_t length{0};
        std::uint32_t samples{0};
    };
    struct Source {
        std::string name;  // of the file
        LogName log;
        std::shared_ptr<File> file;
        std::vector<Found> samples;
        std::optional<ExpiryFrame> expiry;  // the last one that is whole
        bool in_place{false};  // damaged so that the daemon did not know it for its own
        bool exact{false};     // the checkpoint was written while the file was whole
        bool refused{false};
        std::size_t report{0};
    };
    struct Whole {
        LogName log;
        SequenceNumber number;
    };
    // A frame to be copied.
    struct Piece {
        Arrival arrival{0};
        File* file{nullptr};
        std::uint64_t offset{0};
        std::uint32_t body_size{0};
    };
    class Sink;
    struct PieceSink;

    Status find_sources();
    // Takes out what cannot be the file's own.
    static std::uint64_t remove_strays(std::vector<Found>& samples,
                                       const std::vector<bool>& certain_runs,
                                       Arrival unknown_arrival);
    // Takes out coherent sets of which not every sample is whole; the octets of these samples.
    static std::uint64_t remove_half_sets(std::vector<Found>& samples,
                                          const std::vector<FoundSet>& sets);
    Status read_source(Source& source, const OnWork& on_work, WorkProgress& work);
    [[nodiscard]] std::string refusal(const SalvageResult& result,
                                      const Source& source,
                                      bool other_topic) const;
    Status look_for_whole_frames();
    void note_retained();
    void judge(Source& source);
    void retain_all();
    void count();
    [[nodiscard]] std::set<Arrival> final_list() const;
    Status write_list(const std::set<Arrival>& arrivals);
    Status write_log(const LogName& log);
    // Beside, synced, renamed, the folder synced.
    Status write_file(const LogName& log, const std::vector<Piece>& pieces, Buffer back);
    static Status append_frame(const Piece& piece, Buffer& out);
    static Status copy_frames(const std::vector<Piece>& pieces, File& target, std::uint64_t& size);
    // What a log ends with that is the last segment of its writer.
    [[nodiscard]] Buffer end_of_writer(const LogName& log, const NumberSet& known);
    // `written`: the logs that were just made.
    Status write_marks(const Guid& guid, const std::set<LogName>& written);
    Status put_away(Source& source);
    // Of its writer, among the logs that are there and those that will be.
    [[nodiscard]] bool is_last(const LogName& log) const;
    template <class Visit>
    void for_each_retained(Visit visit) const;

    StoreCore& core_;
    Group& group_;
    bool dry_run_;
    Arrival unknown_arrival_;
    std::vector<Source> sources_;
    std::vector<RepairedFile> reports_;
    std::set<std::string> names_;  // of everything in the folder
    std::optional<Checkpoint> checkpoint_;
    std::map<Arrival, Whole> whole_;  // frames of good logs that have an arrival number in question
    std::set<Arrival> taken_;         // arrival numbers that are spoken for
    std::set<Arrival> retained_;
    std::set<std::pair<Guid, SequenceNumber>> retained_numbers_;
    std::set<Arrival> replaced_;  // retained until now, and not beside what comes back
};

}  // namespace durability::store
