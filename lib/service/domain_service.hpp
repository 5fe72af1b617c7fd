// The service of one DDS domain: two participants, the groups served there, and the conversation
// with the store. Ties ingest and replay together; decides nothing itself that these do not.
//
// A machine (style-and-layout, section 5): datagrams, completions of the store and time go in;
// datagrams, commands for the store and events are taken out. Not thread-safe; belongs to the loop.
#pragma once

#include "base/time.hpp"
#include "durability/config.hpp"
#include "model/explanation.hpp"
#include "model/reload.hpp"
#include "model/shown_topic.hpp"
#include "model/status.hpp"
#include "participant/participant.hpp"
#include "service/context.hpp"
#include "service/group_types.hpp"
#include "service/identity.hpp"
#include "service/ingest.hpp"
#include "service/peer_services.hpp"
#include "service/replay.hpp"
#include "store/store.hpp"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace durability::service {

struct DomainOptions {
    std::uint32_t domain{0};
    Config config;
    struct SideOptions {
        ParticipantIdentity identity;
        // Another one than that of an earlier run: what that one told peers is nothing to them.
        bool is_new{false};
        // Where this participant can be reached, with its ports.
        std::vector<Locator> metatraffic;
        std::vector<Locator> user;
    };
    std::array<SideOptions, side_count> sides;  // by Side
    // Multicast group and configured peers, with ports.
    std::vector<Locator> announce_to;
    std::string host_name;
    // What the store recovered.
    std::vector<store::OpenedGroup> groups;
    std::vector<store::Record> records;  // of all kinds
};

// A type's description, as the topic's metadata holds one.
struct TypeGiven {
    std::string type;
    Buffer information;
    std::vector<Buffer> objects;
};

class DomainService {
  public:
    // `rate` is shared by all domains, and outlives this.
    DomainService(DomainOptions options, EventLog& events, RateLimit& rate);
    DomainService(const DomainService&) = delete;
    DomainService& operator=(const DomainService&) = delete;
    ~DomainService() = default;

    // Begins: first the stored groups are opened; when the store has answered, both participants
    // are announced, with all endpoints that return, and those that do not are disposed. When the
    // store takes long, they are announced with what there is, and the rest follows group by group.
    void start(Now now);
    // Both participants are announced: datagrams may come.
    [[nodiscard]] bool announced() const { return announced_; }
    // And every stored group is open.
    [[nodiscard]] bool serving() const { return serving_; }
    // Another configuration is in force, all of it; what needs a restart must be as before. Only
    // while serving(). Returns the topics that are served otherwise than before; what is asked of
    // the store for that is on its way.
    [[nodiscard]] std::vector<TopicEffect> reload(Config next, Now now);
    // Where a participant can be reached from now on; announced at once.
    void set_locators(Side side,
                      std::vector<Locator> metatraffic,
                      std::vector<Locator> user,
                      Now now);
    // Says good-bye for both participants (semantics.md, section 7a: only when asked to).
    void goodbye();

    void receive(Side side, ByteView datagram, const Locator& from, Now now);
    // The network says that nobody listens at `locator` any more.
    void unreachable(Side side, const Locator& locator, Now now);
    void complete(store::Completion completion, Now now);
    // Once after any input: hands over what gathered, drives what is due.
    void turn(Now now);
    [[nodiscard]] MonoTime next_deadline() const;

    [[nodiscard]] std::optional<rtps::Transmit> next_transmit(Side side);
    // The oldest command for the store; to be dropped with pop_command() once it was taken.
    [[nodiscard]] store::Command* front_command();
    void pop_command();
    // Whether the store refuses to take more for now: samples then gather up to a bound.
    void set_store_blocked(bool blocked) { context_.store_blocked = blocked; }

    // Differs from the last time when anything was stored, or came, or went.
    [[nodiscard]] std::uint64_t activity() const { return ingest_->activity() + store_events_; }
    [[nodiscard]] std::uint64_t samples_taken() const { return ingest_->samples_taken(); }

    // --- for programs that serve topics by themselves (domain_rules.cpp)
    // What the type of a topic is, by that name of the type: for groups that know it from nobody
    // else, now and later.
    void describe_type(const std::string& topic, TypeGiven given);
    // What is known of a topic that is not served under the rules in force: stored, or written at
    // present.
    struct LeftOut {
        std::string type;
        bool keyed{false};
        DurabilityKind durability{DurabilityKind::volatile_};
        // Of a stored one, where it came from a rule.
        std::optional<Contract> contract{};
    };
    [[nodiscard]] std::vector<LeftOut> stored_and_left_out(const std::string& topic) const;
    [[nodiscard]] std::vector<LeftOut> written_and_left_out(const std::string& topic) const;

    // What is being served, with the figures the store gave in `store`.
    [[nodiscard]] DomainStatus status(const store::StoreStatus& store, Now now) const;
    // Why the writers and readers of a topic are served or not; asks those who decide it.
    [[nodiscard]] TopicExplanation explain(const std::string& topic,
                                           const store::StoreStatus& store,
                                           Now now) const;
    // The effective contract of the topic's groups, and where each value comes from.
    [[nodiscard]] ShownTopic show(const std::string& topic, const store::StoreStatus& store) const;
    // Names of known topics that are near to one that is not.
    [[nodiscard]] std::vector<std::string> topics_like(const std::string& topic) const;
    [[nodiscard]] const ServedGroups& groups() const { return groups_; }
    [[nodiscard]] std::uint32_t domain() const { return options_.domain; }
    [[nodiscard]] const Config& config() const { return options_.config; }

  private:
    void restore_records(const std::vector<store::Record>& records);
    void open_stored_groups(Now now);
    void open_stored(GroupMeta meta, Now now);
    [[nodiscard]] bool is_served(const GroupKey& key) const;
    // domain_reload.cpp
    void tell_store(const Config& before);
    [[nodiscard]] bool follow_contract(ServedGroup& group);
    void withdraw(ServedGroup& group, const TopicRule* rule, ServeVerdict verdict, Now now);
    void open_dormant(Now now);
    void open_exact_rules(Now now);
    void give_type(ServedGroup& group);
    void announce(Now now);
    void settle(Now now);
    void retract_unclaimed(Side side);
    void drain_events(Side side, Now now);
    void on_ingest_event(const participant::ParticipantEvent& event, Now now);
    void on_replay_event(const participant::ParticipantEvent& event, Now now);
    void on_common_event(const participant::ParticipantEvent& event, Side side, Now now);
    void reserve_numbers();
    void take_samples(Now now);
    void announce_settled(Now now);
    void note_type_of(const discovery::EndpointData& writer, Now now);
    void explain_groups(const store::StoreStatus& store, TopicExplanation& result) const;
    void explain_writers(const std::vector<ServedGroup*>& groups, TopicExplanation& result) const;
    void explain_readers(const std::vector<ServedGroup*>& groups,
                         Now now,
                         TopicExplanation& result) const;
    void remark_hidden(Now now, TopicExplanation& result) const;

    DomainOptions options_;
    std::array<Reserved, side_count> reserved_{};
    ServedGroups groups_;
    EntityIds entities_;
    std::deque<store::Command> commands_;
    Context context_;
    std::array<std::unique_ptr<participant::Participant>, side_count> participants_;
    std::unique_ptr<GroupTypes> types_;
    std::unique_ptr<Ingest> ingest_;
    std::unique_ptr<PeerServices> services_;
    std::unique_ptr<Replay> replay_;
    std::map<GroupKey, GroupMeta> dormant_;  // stored, and not served by the rules in force
    std::map<std::string, std::vector<TypeGiven>> given_types_;  // by topic
    std::vector<discovery::ParticipantData> peers_;              // remembered, until settle()
    // When writers that did not come back after a restart count as ended.
    MonoTime absent_due_{MonoTime::max()};
    std::size_t opening_{0};
    std::uint64_t store_events_{0};
    MonoTime announce_due_{MonoTime::max()};
    bool started_{false};
    bool announced_{false};
    bool serving_{false};
};

// What tells the instances of a group apart, for people.
[[nodiscard]] std::string key_source(const ServedGroup& group);
// A late reader as `readers` and `explain` show it.
[[nodiscard]] ReaderStatus reader_status(const Replay::LateReaderView& late);

}  // namespace durability::service
