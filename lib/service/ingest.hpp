// From discovered writers and received samples to store commands: which writers are served, in
// which group, under which contract, and what of a received sample is kept (semantics.md, sections
// 2 to 4). No I/O; belongs to the loop.
#pragma once

#include "base/time.hpp"
#include "participant/participant.hpp"
#include "service/coherent_sets.hpp"
#include "service/context.hpp"
#include "service/contract_resolver.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace durability::service {

// What a received sample means for the store. Pure.
struct SampleVerdict {
    enum class Kind : std::uint8_t {
        store,
        skip,                    // nothing to store: an instance registration, a filtered sample
        malformed,               // not a payload that anybody could read; reported
        foreign_representation,  // not the representation its writer announced; reported
    };
    Kind kind{Kind::store};
    SampleMeta meta;
    std::optional<SetName> set;  // the coherent set it is of
};
[[nodiscard]] SampleVerdict judge_sample(const rtps::ReceivedSample& sample,
                                         const Guid& source,
                                         const GroupKey& group);

class Ingest {
  public:
    Ingest(Context& context, participant::Participant& participant)
        : context_(context), participant_(participant) {}

    // A source of which an earlier run had samples from somebody else than itself. False when the
    // record is not one of these.
    bool restore_relayed(store::RecordKind kind, ByteView key);
    // Starts serving what the store knows or a rule names; idempotent per group key.
    void open(GroupMeta meta, bool from_store, Now now);
    void on_writer_found(const discovery::EndpointData& writer, Now now);
    void on_writer_changed(const discovery::EndpointData& writer, Now now);
    // Returns the group it was a source of.
    ServedGroup* on_writer_lost(const Guid& writer, Now now);
    // The rules are other ones now, and groups that they do not serve were withdrawn: writers that
    // were not served are looked at again. Returns those that are served now.
    std::vector<discovery::EndpointData> follow_rules(Now now);
    // The group is not served any more: nothing is received for it, and its readers go, unless
    // other groups have them too. Nothing refers to the group then. What is stored stays.
    void withdraw(ServedGroup& group, const TopicRule* rule, ServeVerdict verdict, Now now);
    // Another contract, which takes the place of the one in force (model/group.hpp).
    void change_contract(ServedGroup& group, const ResolvedContract& contract);
    // Writers that lived when the daemon went and did not come back: they ended meanwhile.
    void retire_absent(Now now);
    void on_numbering_restarted(const Guid& writer, Now now);
    // Nothing when the group could not be opened (reported).
    ServedGroup* on_group_opened(const store::GroupOpened& opened, Now now);
    // The store says that too much of a group waits for the disk, or no longer.
    void on_backlog(const store::GroupBacklog& backlog, Now now);
    void on_committed(const store::Committed& committed, Now now);

    // Takes what the participant received; before the datagram goes away.
    void take_samples(Now now);
    // Hands the batch to the store; once per turn of the loop.
    void flush(Now now);

    // Discovered writers that are not served, and why.
    struct Unserved {
        discovery::EndpointData data;
        // `serve`: there was no room for another group (limits.served_groups).
        ServeVerdict verdict{ServeVerdict::serve};
        const TopicRule* rule{nullptr};  // lives as long as the configuration in force
    };
    [[nodiscard]] const std::map<Guid, Unserved>& unserved() const { return unserved_; }

    // What living writers wrote of minded groups (ServedGroup::is_minded), since the last call.
    struct LiveSample {
        ServedGroup* group{nullptr};
        std::uint64_t instance{0};
        Timestamp source_timestamp{};
    };
    [[nodiscard]] std::vector<LiveSample> take_live() { return std::exchange(live_, {}); }
    // Moves with each sample, writer and group that comes or goes.
    [[nodiscard]] std::uint64_t activity() const { return samples_taken_ + changes_; }
    // Handed to the store so far.
    [[nodiscard]] std::uint64_t samples_taken() const { return samples_taken_; }

    // Samples whose key nobody could name, since the last call: group and writer.
    [[nodiscard]] std::vector<std::pair<ServedGroup*, Guid>> take_keyless() {
        return std::exchange(keyless_, {});
    }

  private:
    // The group a writer belongs to, also by the description of its type.
    [[nodiscard]] GroupKey key_for(const discovery::EndpointData& writer);
    [[nodiscard]] bool has_dropped_its_last(const ServedGroup& group,
                                            const SourceWriter& source) const;
    void attach(ServedGroup& group, SourceWriter& writer, Now now);
    // Readers of ours that the writer matches besides its own (overlapping partitions): they owe it
    // acknowledgements too.
    void attach_shadows(const discovery::EndpointData& writer,
                        EntityId own_reader,
                        bool discard,
                        Now now);
    struct ReaderName {
        std::string description;
        DurabilityKind requests{DurabilityKind::transient};
    };
    [[nodiscard]] ReaderName name_reader(const ServedGroup& group,
                                         ReliabilityKind reliability) const;
    void retract_readers(const ServedGroup& group);
    void adopt_contract(const store::GroupOpened& opened, Now now);
    [[nodiscard]] EntityId reader_for(const ServedGroup& group,
                                      ReliabilityKind reliability,
                                      Now now);
    void report_conflict(const ServedGroup& group, SourceWriter& writer, Now now);
    void report_mismatch(const GroupKey& key, const Guid& writer, Now now);
    void take(rtps::ReceivedSample& sample, Now now);
    void add(ServedGroup& group, SourceWriter& source, SetMember sample);
    void note_live(ServedGroup& group, const SetMember& sample);
    void note_relayed(ServedGroup& group,
                      SourceWriter& by,
                      SequenceNumber number,
                      const SampleId& id);
    // Nobody is left who brings samples of these sources.
    void retire_relayed(ServedGroup& group, const std::set<Guid>& sources, Now now);
    void report_unusable(const SampleVerdict& verdict,
                         ServedGroup& group,
                         const Guid& writer,
                         Now now);
    // ingest_sets.cpp
    void hold(SourceWriter& source, ServedGroup& group, SetMember member);
    void end_set(ServedGroup& group, SourceWriter& source, EndedSet ended, Now now);
    void abandon_set(ServedGroup& group, SourceWriter& source, std::string_view reason, Now now);
    void open_windows(Now now);

    Context& context_;
    participant::Participant& participant_;
    std::unordered_map<std::uint64_t, ServedGroup*> opening_;           // by ticket
    std::unordered_map<std::uint64_t, GroupKey> changing_;              // likewise, their contract
    std::unordered_map<std::string, discovery::EndpointData> readers_;  // ours, by description
    std::map<Guid, Unserved> unserved_;
    // Sources whose samples came in their name before they were met themselves.
    std::set<Guid> relayed_;
    store::AppendBatch batch_;
    std::vector<std::pair<ServedGroup*, Guid>> keyless_;
    std::vector<LiveSample> live_;
    bool paused_{false};
    std::uint64_t samples_taken_{0};
    std::uint64_t changes_{0};
    CoherentSets sets_;
    // Writers in sets with so many samples that a missing one may lie beyond what an ACKNACK can
    // ask for, and since when nothing more could be received.
    struct Stall {
        SequenceNumber received;
        MonoTime since{};
    };
    std::map<Guid, Stall> wide_sets_;
    // Runs of one writer spare the look-ups.
    Guid last_writer_{};
    ServedGroup* last_group_{nullptr};
    SourceWriter* last_source_{nullptr};
};

}  // namespace durability::service
