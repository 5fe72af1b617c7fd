// The groups being served, and what is known of their source writers. Plain state with look-ups;
// what happens to it is decided in ingest and replay. Belongs to the loop.
#pragma once

#include "types/key_plan.hpp"
#include "types/type_information.hpp"
#include "types/type_library.hpp"

#include "discovery/endpoint_data.hpp"
#include "durability/config.hpp"
#include "model/group.hpp"
#include "service/coherent_sets.hpp"
#include "service/relayed_samples.hpp"
#include "store/commands.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace durability::service {

// A discovered writer of a served group.
struct SourceWriter {
    discovery::EndpointData data;
    // Whose numbers its samples carry: itself, or the identity that outlives its restarts (PID
    // 0x8002).
    Guid source;
    EntityId ingest_reader;  // unknown until the group is open
    bool conflict_reported{false};
    SequenceNumber last_unregister{};  // received in this run
    RelayedSamples relayed;            // likewise
    WriterSets sets;
    std::uint64_t lost_in_sets{0};  // samples of sets that were not whole
};

// What is known of a group's type, and what that is good for.
struct GroupType {
    enum class State : std::uint8_t {
        untold,  // no writer described one
        asked,
        known,
        unavailable
    };
    State state{State::untold};
    // While it is asked for: what, at whom, at whom in vain, what came.
    types::TypeInformation wanted;
    GuidPrefix asked;
    std::set<GuidPrefix> in_vain;
    types::TypeLibrary library;
    MonoTime serve_by{};
    bool overdue{false};    // nobody waits for it any longer
    bool of_reader{false};  // what is asked for is how a reader understands the topic
    bool settled{false};    // its replay writer may be announced
    // How keys are found; nothing when they are only known as received.
    std::optional<types::KeyPlan> key_plan;
    // Where no writer describes the type: how a reader understands it. Good for telling a reader
    // which instance ended, once the key it gives has the hash that the writer sent.
    std::optional<types::KeyPlan> reader_plan;
    std::set<GuidPrefix> readers_asked;
    std::string problem;  // why there is no key_plan
    Guid keyless_writer;
    bool saw_keyless{false};
    bool unresolved_reported{false};

    // A reader that is about to be served had better wait.
    [[nodiscard]] bool is_awaited() const { return state == State::asked && !overdue; }
};

struct ServedGroup {
    enum class State : std::uint8_t {
        opening,
        open
    };

    GroupMeta meta;
    const TopicRule* rule{nullptr};  // lives as long as the configuration in force
    State state{State::opening};
    std::string problem;  // why it could not be opened
    // Another contract that the store was asked to put in force and has not yet (0: none), and why
    // the last one could not be.
    std::uint64_t contract_ticket{0};
    std::string contract_problem;
    GroupHandle handle{0};
    bool from_store{false};
    MonoTime opened{};
    // What the replay writer is announced as; its entity id is data.guid.entity.
    discovery::EndpointData replay;
    std::map<Guid, SourceWriter> writers;  // by endpoint GUID
    // The greatest number of each source writer that is stored: where to go on asking.
    std::unordered_map<Guid, store::KnownWriter> stored;
    // Sources whose samples came in their name, from writers that are gone.
    std::set<Guid> relayed_and_gone;
    GroupType types;
    bool representation_reported{false};
    // A reader of the topic is being served that must hear of what living writers write meanwhile.
    bool is_minded{false};
    bool backlog_full{false};   // the store takes no more of it for now
    std::uint64_t replayed{0};  // samples handed to late readers in this run

    // A writer of that source GUID is discovered and within its lease.
    [[nodiscard]] bool has_writer_of(const Guid& source) const;
    // A writer that is there has sent samples of that source.
    [[nodiscard]] bool is_relayed(const Guid& source) const;
    // The minimal id of its type, as its first writer that has one announced it.
    [[nodiscard]] std::optional<types::TypeId> type_id() const;
};

class ServedGroups {
  public:
    [[nodiscard]] ServedGroup* find(const GroupKey& key);
    [[nodiscard]] ServedGroup* find(GroupHandle handle);
    // The group of an endpoint GUID that was added with index_writer(); nothing for others.
    [[nodiscard]] ServedGroup* of_writer(const Guid& writer);
    ServedGroup& add(GroupMeta meta);
    // Nobody may hold it any more.
    void remove(ServedGroup& group);
    void set_open(ServedGroup& group, GroupHandle handle);
    void index_writer(const Guid& writer, ServedGroup& group) { writers_[writer] = &group; }
    void forget_writer(const Guid& writer) { writers_.erase(writer); }
    [[nodiscard]] const std::vector<ServedGroup*>& of_topic(const std::string& topic) const;
    [[nodiscard]] std::size_t size() const { return groups_.size(); }
    [[nodiscard]] const std::map<GroupKey, std::unique_ptr<ServedGroup>>& all() const {
        return groups_;
    }

  private:
    std::map<GroupKey, std::unique_ptr<ServedGroup>> groups_;
    std::unordered_map<GroupHandle, ServedGroup*> handles_;
    std::unordered_map<std::string, std::vector<ServedGroup*>> topics_;
    std::unordered_map<Guid, ServedGroup*> writers_;
};

// The group a writer belongs to (semantics.md, section 2), its type's description aside.
[[nodiscard]] GroupKey group_key(const discovery::EndpointData& writer);
// How the replay writer of a group is announced: what decides matching is mirrored, what would lie
// about a replay is not (fact sheet 3.5). The entity id is filled in by the caller.
[[nodiscard]] discovery::EndpointData replay_announcement(const GroupMeta& meta);

}  // namespace durability::service
