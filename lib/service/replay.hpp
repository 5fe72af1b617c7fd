// From a discovered reader to its history (semantics.md, section 7): for each served group and each
// matching remote reader it gathers what is retained and what living writers will send themselves,
// decides (entitlement.hpp), makes the frontier survive a restart, and lets the replay writer
// deliver. No I/O; belongs to the loop.
#pragma once

#include "base/time.hpp"
#include "discovery/matching.hpp"
#include "participant/participant.hpp"
#include "service/context.hpp"
#include "service/entitlement.hpp"
#include "service/identity.hpp"
#include "service/ingest.hpp"
#include "service/newer_live.hpp"
#include "service/peer_services.hpp"
#include "service/rate_limit.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace durability::service {

// What the verdicts on one reader's history rest on.
struct DecisionBasis {
    LateReader reader;
    std::unordered_map<Guid, LivingShare> living;
    WallTime time{};
};

class Replay {
  public:
    // Two participants: readers are met and served by the replay one; the ingest one can ask a
    // living source writer what it holds. `peers` says which readers are other daemons' to serve.
    // `rate`: of all domains together.
    Replay(Context& context,
           participant::Participant& replay,
           participant::Participant& ingest,
           const PeerServices& peers,
           RateLimit& rate)
        : context_(context), replay_(replay), ingest_(ingest), peers_(peers), rate_(rate) {}

    // Until then, source writers whose processes are known but which were not heard of again may
    // still be met: after a restart the daemon does not speak for them before (semantics.md,
    // section 7a).
    void expect_returning_until(MonoTime time) { returning_until_ = time; }
    // A frontier that an earlier run stored.
    void restore(const Frontier& frontier);
    void restore(ProcessNumbers numbers);
    // Peers are told that this replay writer is gone: to them it begins with no numbers when it
    // returns. True when it may, because it is known what readers have had of it.
    bool retire_writer(EntityId replay_writer);
    // The group is open: its replay writer comes to life and known readers are looked at. What came
    // before a reader is settled now; nobody hears of the writer yet.
    void open(ServedGroup& group, Now now);
    // The group is not served any more, by a reload: peers are told that its replay writer is gone.
    // What readers have had is remembered for the day it is served again. Nothing refers to the
    // group then.
    void withdraw(ServedGroup& group, Now now);
    // What is to be known of its type is known: peers may hear of it.
    void announce(ServedGroup& group, Now now);
    // Whether the group's replay writer and the reader match, or may, as the reader sees it.
    [[nodiscard]] static bool matches(const ServedGroup& group,
                                      const discovery::EndpointData& reader) {
        return discovery::match(group.replay, reader) == discovery::MismatchReason::none ||
               discovery::may_match(group.replay, reader);
    }
    void on_reader_found(const discovery::EndpointData& reader, Now now);
    void on_reader_changed(const discovery::EndpointData& reader, Now now);
    void on_reader_lost(const Guid& reader, discovery::LossReason reason, Now now);
    void on_participant_lost(const GuidPrefix& prefix, discovery::LossReason reason);
    // The reader's process knows our replay writer (fact sheet 12.6).
    void on_announcement_acknowledged(const GuidPrefix& peer, EntityId replay_writer, Now now);
    void on_reader_spoke(EntityId replay_writer, const Guid& reader, Now now);
    void on_delivered(EntityId replay_writer, const Guid& reader);
    // A source writer came (back) while readers are being looked at: it may give them their
    // history.
    void on_writer_found(const discovery::EndpointData& writer, Now now);
    void on_writer_answered(const Guid& writer, SequenceRange held, Now now);
    void on_writer_lost(const Guid& writer, Now now);

    // A living writer wrote it: what is stored of the instance and older must not follow it.
    void on_live(const Ingest::LiveSample& live, Now now);

    void on_listed(store::SamplesListed& listed, Now now);
    void on_read(store::SamplesRead& read, Now now);
    void on_record_saved(const store::RecordSaved& saved, Now now);

    // Asks the store for the payloads that open windows want, as far as `replay.max_rate` allows.
    void request_payloads(Now now);
    void tick(Now now);
    [[nodiscard]] MonoTime next_deadline() const;

    enum class Phase : std::uint8_t {
        gathering,
        saving,
        watching,  // owed nothing, unless a living writer is lost before it has sent its share
        serving,
        delivered,
        unserved
    };
    // What a reader waits for before its history can be decided on or sent.
    enum class Wait : std::uint8_t {
        nothing,
        type,               // the description of the topic's type is being asked for
        agreement,          // its process finds out whether the types fit, and has not spoken yet
        announcement,       // its process has not acknowledged our announcement
        company,            // other readers of its process, for a moment
        returning_writers,  // writers that lived when the daemon went may still come back
        living_writers,     // one was asked what it sends by itself, and has not answered
        other_service,      // another daemon has precedence, or one may be there
        promised,           // living writers send it everything, unless they are lost soon
        store,              // the list of what is kept, or the record of what was decided
    };
    struct LateReaderView {
        Guid reader;
        const ServedGroup* group{nullptr};
        const discovery::EndpointData* data{nullptr};
        Phase phase{Phase::gathering};
        Wait wait{Wait::nothing};
        std::string reason;  // why it gets nothing, where that is so
        std::string cure;    // and what helps, where something does
        std::array<std::uint64_t, entitlement_count> counts{};
        std::uint64_t sent{0};
        std::uint64_t acknowledged{0};
    };
    [[nodiscard]] std::vector<LateReaderView> readers(Now now) const;

  private:
    using Key = std::pair<EntityId, Guid>;  // replay writer, reader
    // Readers of one process that share a position in our numbers and are decided on together:
    // they begin when the last of them can (fact sheet 12.2).
    struct Round {
        std::set<Key> undecided;  // of `open`
        std::set<Key> open;
        std::vector<Key> ready;
    };
    struct ProbedWriter {
        Guid source;
        VendorId vendor;
        bool resolved{false};
        bool serves{false};
        SequenceRange share{};
    };
    struct Late {
        discovery::EndpointData data;
        ServedGroup* group{nullptr};
        Phase phase{Phase::gathering};
        std::string reason;
        std::string cure;
        Frontier frontier;
        bool known_before{false};  // the frontier is from an earlier run
        bool wants_history{true};
        bool known_by_peer{false};
        // Its type differs, and its process is to say, by speaking to us, whether they match.
        bool tentative{false};
        std::vector<store::ListedSample> retained;  // listed and not decided on yet
        bool page_pending{false};                   // of the list
        bool listed{false};                         // to its end
        // Fixed once the first page is decided on: what comes and goes later is later.
        std::optional<DecisionBasis> decision;
        std::map<Guid, ProbedWriter> probed;
        MonoTime probes_until{};
        MonoTime not_before{};
        EntitlementResult result;
        // What of result.promised its writer did not send: it was lost before.
        std::vector<ArrivalRange> fallen_due;
        MonoTime watched_since{};
        MonoTime watch_until{MonoTime::max()};
        int times_asked{0};  // the writers that promised, whether they live
        // When it came, for whom it was left to, and until when it is for now.
        MonoTime appeared{};
        GuidPrefix left_to{};
        bool is_ours{false};
        MonoTime left_until{MonoTime::min()};
        std::shared_ptr<Round> round;
        NewerLive newer;  // while it is in minding_

        // What may have to be sent after all.
        [[nodiscard]] std::vector<ArrivalRange> tail() const;
        // Some of its history may still have to be sent.
        [[nodiscard]] bool is_open() const {
            return !result.promised.empty() || !result.deferred.empty() || !fallen_due.empty();
        }
    };

    void consider_all(ServedGroup& group, Now now);
    void consider(ServedGroup& group, const discovery::EndpointData& reader, Now now);
    void gather(const Key& key, Late& late, Now now);
    void wait_for_company(const Key& key, Late& late);
    void list(const Key& key, Late& late, Arrival from);
    [[nodiscard]] static bool heard_of_history(const Late& late);
    [[nodiscard]] Wait waits_for(const Late& late, Now now) const;
    [[nodiscard]] bool can_decide(Late& late, Now now) const;
    [[nodiscard]] MonoTime ready_at(const Late& late) const;
    void probe_writers(Late& late, Now now);
    void probe(Late& late, const SourceWriter& writer, Now now);
    // A source writer that lived when the daemon went may not have been met again yet.
    [[nodiscard]] MonoTime awaits_returning_until(const Late& late) const;
    void proceed(const Key& key, Late& late, Now now);
    // proceed() for every reader that waits and for which `concerns` holds.
    template <class Concerns>
    void proceed_where(Concerns concerns, Now now);
    void decide_on_page(const Key& key, Late& late, Now now);
    void note_decided(const Key& key, const std::shared_ptr<Round>& round, Now now);
    void save_frontier(const Key& key, Late& late, Now now);
    // Of those that are being looked at and not decided on; itself included.
    [[nodiscard]] std::vector<Key> company(const Key& key, const Late& late) const;
    [[nodiscard]] MonoTime company_until(const Late& late) const;
    void begin_round(const std::vector<Key>& members, Now now);
    void leave_round(const Key& key, Late& late, bool ready, Now now);
    // A range of late readers.
    struct Siblings {
        std::map<Key, Late>::const_iterator first;
        std::map<Key, Late>::const_iterator last;
        [[nodiscard]] auto begin() const { return first; }
        [[nodiscard]] auto end() const { return last; }
    };
    // This reader and the others of its process at the same replay writer.
    [[nodiscard]] Siblings of_process(const Key& key) const;
    [[nodiscard]] bool all_ask(const Key& key) const;
    [[nodiscard]] bool others_wait(const Key& key) const;
    void begin(const Key& key, Late& late, bool singly, Now now);

    // replay_withdrawal.cpp
    [[nodiscard]] EntityId identify(const ServedGroup& group);
    void note_progress(const Key& key, Late& late);

    // replay_precedence.cpp
    [[nodiscard]] bool is_left_to_other(const Key& key, Late& late, Now now);
    [[nodiscard]] bool is_of_other(const Late& late, Now now) const;
    [[nodiscard]] bool had_its_share(const Late& late, Now now) const;
    static void take_share_for_sent(Late& late);

    // replay_order.cpp
    void mind(const Key& key, const Late& late);
    void mind_no_more(const Key& key, Late& late);
    void note_minded(const std::string& topic);
    [[nodiscard]] bool may_withhold(const Key& key) const;
    [[nodiscard]] bool is_replaced(const Key& key,
                                   const Late& late,
                                   const store::ReadSample& sample) const;
    [[nodiscard]] std::vector<GroupHandle> given_elsewhere(const Key& key, const Late& late) const;
    static void note_superseded(Late& late, std::size_t count);

    // replay_handover.cpp
    void watch(const Key& key, Late& late, Now now);
    void watch_all(Now now);
    void ask_again(Late& late, Now now);
    static void note_lost(Late& late, const Guid& source);
    void gather_again(const Key& key, Late& late, Now now);
    void fall_due(const Key& key, Late& late, const Guid& source, Now now);
    void keep_word(const Key& key, Late& late, const Guid& source, Now now);
    void close(const Key& key, Late& late, Now now);
    void remember(const Key& key, const Frontier& frontier);
    void erase_frontier(const Key& key);
    void serve_nothing(const Key& key, Late& late, std::string reason, Now now);
    [[nodiscard]] bool can_be_reached(const Key& key, const Late& late) const;
    [[nodiscard]] std::unordered_map<Guid, LivingShare> shares(const Late& late) const;
    void spend_on_repeats(Now now);
    [[nodiscard]] rtps::ReplaySample to_replay(
        const store::ReadSample& sample,
        const std::shared_ptr<const std::vector<Buffer>>& bytes,
        const Late& late) const;
    // The late reader an answer of the store is for; late_.end() when it is not there any more.
    [[nodiscard]] std::map<Key, Late>::iterator take_ticket(std::uint64_t ticket);
    void drop(std::map<Key, Late>::iterator at, Now now);
    void forget_process(const GuidPrefix& prefix);

    Context& context_;
    participant::Participant& replay_;
    participant::Participant& ingest_;
    const PeerServices& peers_;
    RateLimit& rate_;
    // Octets that answers of the store may bring, by ticket: spent already.
    std::unordered_map<std::uint64_t, std::uint64_t> spent_on_;
    std::uint64_t octets_provided_{0};
    std::uint64_t octets_repeated_{0};  // sent more often than provided, and spent
    std::map<Key, Late> late_;
    MonoTime returning_until_{MonoTime::min()};
    std::set<Key>
        gathering_;  // those of late_ that wait for an answer; few, while late_ may be many
    std::set<Key> watching_;  // those of late_ whose history may not be complete yet
    std::set<Key> minding_;   // those being served that LateReader::latest_arrival_wins holds for
    std::unordered_map<Guid, std::vector<EntityId>>
        by_reader_;  // replay writers a reader is in late_ for
    std::map<Key, Frontier> frontiers_;
    // Replay writers that peers were told are gone, in this run.
    std::set<EntityId> withdrawn_;
    std::vector<ProcessNumbers> restored_;  // until the replay writer they belong to is served
    std::unordered_map<std::uint64_t, Key>
        tickets_;  // of commands whose answer concerns a late reader
};

// "its process has not acknowledged our announcement yet"; empty for nothing.
[[nodiscard]] std::string_view name(Replay::Wait wait);

}  // namespace durability::service
