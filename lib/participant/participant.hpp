// One RTPS participant, complete, without a socket: routes submessages to discovery, to ingest
// readers and to replay writers, and packs what they have to say. The service decides which
// endpoints exist and which remote ones they match; nothing here knows topics, contracts or the
// store.
//
// A machine (style-and-layout, section 5): datagrams and time go in; datagrams, samples and events
// are taken out. Not thread-safe; belongs to the loop.
#pragma once

#include "base/time.hpp"
#include "discovery/sedp.hpp"
#include "discovery/spdp.hpp"
#include "discovery/type_lookup.hpp"
#include "participant/participant_event.hpp"
#include "rtps/best_effort_reader.hpp"
#include "rtps/outbox.hpp"
#include "rtps/replay_writer.hpp"
#include "rtps/stateful_reader.hpp"
#include "wire/message_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace durability::participant {

struct ParticipantOptions {
    discovery::ParticipantData own;
    discovery::SpdpOptions spdp;
    discovery::SedpOptions sedp;
    // Its numbers and counts are those of `sedp`.
    discovery::TypeLookupOptions type_lookup;
    // The vendor id in the header of SPDP messages (compatibility.spdp_vendor; fact sheet 12.2).
    VendorId spdp_header_vendor{vendor::own};
    rtps::ReaderLimits reader_limits;
    // HEARTBEAT and ACKNACK counts begin here, above those of an earlier run (fact sheet 12.3).
    std::int32_t first_count{1};
};

struct ParticipantCounters {
    std::uint64_t datagrams{0};
    std::uint64_t malformed{0};
    std::uint64_t dropped_while_paused{0};
};

class Participant {
  public:
    explicit Participant(ParticipantOptions options);

    // Before anything else: nothing of the sister participant is ever looked at.
    void ignore(const GuidPrefix& prefix);
    // A peer known to an earlier run of this identity (fact sheet 12.3).
    void restore_peer(const discovery::ParticipantData& peer, MonoTime now);
    void start(MonoTime now);
    // What is said of the participant changes; everybody is told at once.
    void set_properties(discovery::Properties properties, MonoTime now);
    // Tells everybody that this participant leaves.
    void goodbye();
    // Where it can be reached from now on; announced at once.
    void set_locators(std::vector<Locator> metatraffic, std::vector<Locator> user, MonoTime now);

    void receive(ByteView datagram, const Locator& from, MonoTime now);
    // Nobody listens at `locator` any more: writers probed there do not answer. Their leases run
    // on; a port can be closed for other reasons than the end of a process.
    void unreachable(const Locator& locator);
    void tick(MonoTime now);
    [[nodiscard]] MonoTime next_deadline() const;
    [[nodiscard]] std::optional<rtps::Transmit> next_transmit();
    [[nodiscard]] std::optional<ParticipantEvent> next_event();
    // What ingest readers received, in order per writer. To be emptied by the caller before the
    // datagram they came in is gone, since payloads may be borrowed from it.
    [[nodiscard]] std::vector<rtps::ReceivedSample>& samples() { return samples_; }

    // --- endpoints of ours
    // ------------------------------------------------------------------------- `data.guid.entity`
    // is the id, also across restarts. Announced to every peer.
    void add_reader(const discovery::EndpointData& data);
    void add_replay_writer(const discovery::EndpointData& data, const rtps::ReplayOptions& options);
    // The same in two steps: what readers it matches are to have can be found out before anybody
    // hears of it.
    void create_replay_writer(EntityId id, const rtps::ReplayOptions& options);
    void announce_replay_writer(const discovery::EndpointData& data);
    // Disposes the endpoint; also one that only an earlier run announced (semantics.md, section
    // 7a).
    void retract(EntityId id);

    // --- types
    // -------------------------------------------------------------------------------------
    // Asks the participant for type descriptions; each id comes back in TypesReceived or
    // TypesUnavailable.
    void look_up_types(const GuidPrefix& peer, const std::vector<types::TypeId>& ids, MonoTime now);
    // Others that ask for `id` get `object`, the serialized TypeObject; false when its hash is not
    // `id`, or it is too large. To be done before an endpoint is announced with type information
    // that names it: Cyclone DDS asks once.
    bool offer_type(const types::TypeId& id,
                    Buffer object,
                    std::vector<types::TypeId> dependencies = {});
    void withdraw_type(const types::TypeId& id);

    // --- ingest
    // ------------------------------------------------------------------------------------
    void match_writer(EntityId reader,
                      const discovery::EndpointData& writer,
                      const rtps::MatchOptions& options,
                      MonoTime now);
    // `writer` matches this reader of ours as well, by its own decision (partitions overlap, say),
    // and waits for its acknowledgements. What it receives is dropped; it acknowledges what is
    // committed, or with `discard`, for a writer that is not served at all, whatever it receives.
    void match_shadow(EntityId reader,
                      const discovery::EndpointData& writer,
                      bool discard,
                      MonoTime now);
    // Samples held out of order come out of samples() before the writer is forgotten.
    void unmatch_writer(const Guid& writer);
    // Everything of `writer` up to `through` is safe: it may be acknowledged.
    void committed(const Guid& writer, SequenceNumber through, MonoTime now);
    // Asks the writer what it holds, again after 50, 100, 200, 200 ms and so on until it answers
    // with WriterAnswered, is known to be gone (WriterSilent) or is unmatched.
    void probe_writer(const Guid& writer, MonoTime now);
    // NumberingRestarted was a mistake: the writer has dropped what it wrote last.
    void deny_restart(const Guid& writer, MonoTime now);
    // While paused, samples are dropped before they are received: their writers repeat them later.
    void pause_ingest(bool paused) { paused_ = paused; }
    // The same for one matched writer.
    void pause_writer(const Guid& writer, bool paused);
    [[nodiscard]] std::optional<rtps::WriterStatus> writer_status(const Guid& writer) const;

    // --- replay
    // ------------------------------------------------------------------------------------
    void resume_process(EntityId replay_writer,
                        const GuidPrefix& process,
                        rtps::ReplayNumbers numbers);
    // The process said good-bye: its numbers mean nothing any more.
    void forget_process(const GuidPrefix& process);
    void match_reader(EntityId replay_writer,
                      const discovery::EndpointData& reader,
                      const rtps::ReplayReaderTraits& traits);
    void unmatch_reader(EntityId replay_writer, const Guid& reader);
    // See ReplayWriter::prepare() and begin(); begin without prepare: the reader is owed nothing.
    void number_history(EntityId replay_writer,
                        const GuidPrefix& process,
                        std::span<const ArrivalRange> history,
                        std::span<const ArrivalRange> open);
    void prepare_history(EntityId replay_writer,
                         const Guid& reader,
                         std::span<const ArrivalRange> history,
                         std::span<const ArrivalRange> open = {},
                         bool ends_sets = false);
    void begin_history(EntityId replay_writer,
                       const Guid& reader,
                       MonoTime now,
                       bool singly = false);
    // See ReplayWriter.
    void expect_single_reader(EntityId replay_writer, const GuidPrefix& process);
    void close_history(EntityId replay_writer,
                       const Guid& reader,
                       std::span<const ArrivalRange> send,
                       MonoTime now);
    struct PayloadRequest {
        EntityId replay_writer;
        Guid reader;
        std::vector<Arrival> arrivals;
        std::size_t max_octets{0};
    };
    [[nodiscard]] std::optional<PayloadRequest> next_payload_request();
    // False: it has nothing to ask for.
    [[nodiscard]] bool may_want_payloads() const { return !payload_wishes_.empty(); }
    // Payload and inline QoS sent to readers so far, repeats included; octets.
    [[nodiscard]] std::uint64_t user_octets_sent() const { return outbox_.user_octets(); }
    void provide_payloads(EntityId replay_writer,
                          const Guid& reader,
                          std::vector<rtps::ReplaySample> samples,
                          MonoTime now);
    // See ReplayReader::supersede().
    std::size_t supersede(EntityId replay_writer,
                          const Guid& reader,
                          std::uint64_t instance,
                          const std::function<bool(Timestamp)>& is_replaced,
                          MonoTime now);
    [[nodiscard]] const rtps::ReplayWriter* replay_writer(EntityId id) const;
    // Whether there is an address that an endpoint can be sent to.
    enum class Reach : std::uint8_t {
        reachable,
        unknown_participant,
        no_address
    };
    [[nodiscard]] Reach reach(const discovery::EndpointData& endpoint) const;

    [[nodiscard]] const discovery::Spdp& spdp() const { return spdp_; }
    [[nodiscard]] const discovery::Sedp& sedp() const { return sedp_; }
    [[nodiscard]] const ParticipantCounters& counters() const { return counters_; }
    // The greatest HEARTBEAT or ACKNACK count so far; the next run must start above it.
    [[nodiscard]] std::int32_t last_count() const;
    // The same of the numbers of all built-in writers but that of SPDP.
    [[nodiscard]] SequenceNumber last_builtin_number() const {
        return std::max(sedp_.last_number(), type_lookup_.last_number());
    }

  private:
    struct IngestReader {
        std::unique_ptr<rtps::StatefulReader> reliable;  // one of the two
        std::unique_ptr<rtps::BestEffortReader> best_effort;
    };
    // A remote writer and the readers of ours it is matched with.
    struct Source {
        EntityId reader{
            entity::unknown};  // gets its samples; unknown for a writer that is not served
        std::vector<EntityId> shadows;
        bool discard{false};
        bool paused{false};
    };
    struct Replay {
        std::unique_ptr<rtps::ReplayWriter> writer;
        MonoTime due{MonoTime::max()};
        bool may_want_payloads{false};
    };
    struct Probe {
        rtps::DestinationPtr destination;
        // One lost message must not make a living writer look dead: asked again, with back-off.
        MonoTime again{MonoTime::max()};
        Duration delay{};
        int times{0};
    };

    void dispatch(const wire::Submessage& submessage,
                  const wire::ReceiverState& state,
                  const Locator& from,
                  MonoTime now);
    void on(const wire::Data& data,
            const wire::ReceiverState& state,
            const Locator& from,
            MonoTime now);
    void on(const wire::DataFrag& data_frag, const wire::ReceiverState& state, MonoTime now);
    void on(const wire::Heartbeat& heartbeat, const wire::ReceiverState& state, MonoTime now);
    void on(const wire::HeartbeatFrag& heartbeat_frag,
            const wire::ReceiverState& state,
            MonoTime now);
    void on(const wire::Gap& gap, const wire::ReceiverState& state, MonoTime now);
    void on(const wire::AckNack& acknack, const wire::ReceiverState& state, MonoTime now);
    void on(const wire::NackFrag& nack_frag, const wire::ReceiverState& state, MonoTime now);
    [[nodiscard]] IngestReader* reader_of(const Guid& writer);
    // Calls `act` with each reliable reader that only acknowledges for `writer`.
    template <class Act>
    void for_each_shadow(const Guid& writer, Act act);
    template <class Receive>
    void deliver(const Guid& writer, Receive receive);
    void drop_shadowed(EntityId reader, std::size_t from);
    void repeat_probes(MonoTime now);
    void touch(EntityId id, Replay& replay);
    [[nodiscard]] rtps::DestinationPtr destination_of(
        const discovery::EndpointData& endpoint) const;
    [[nodiscard]] bool replaced(const discovery::RemoteParticipant& owner) const;
    void collect_events();

    GuidPrefix prefix_;
    ParticipantOptions options_;
    rtps::Outbox outbox_;
    rtps::Outbox spdp_outbox_;
    discovery::Spdp spdp_;
    discovery::Sedp sedp_;
    discovery::TypeLookup type_lookup_;
    std::unordered_map<EntityId, IngestReader> readers_;
    std::unordered_map<Guid, Source> writers_;
    std::size_t shadowed_{0};                    // writers with shadows; none is the rule
    std::vector<rtps::ReceivedSample> dropped_;  // what shadows receive
    std::unordered_map<EntityId, Replay> replays_;
    std::deque<EntityId> payload_wishes_;  // replay writers that may want some, in turn
    MonoTime replay_due_{MonoTime::max()};
    std::unordered_map<Guid, Probe> probes_;
    std::vector<rtps::ReceivedSample> samples_;
    std::deque<ParticipantEvent> events_;
    ParticipantCounters counters_;
    bool paused_{false};
    MonoTime last_input_{};
    // Datagrams come in runs of one writer; spares two look-ups.
    Guid last_writer_{};
    IngestReader* last_reader_{nullptr};
    bool last_paused_{false};
};

template <class Act>
void Participant::for_each_shadow(const Guid& writer, Act act) {
    if (shadowed_ == 0) return;
    const auto source = writers_.find(writer);
    if (source == writers_.end()) return;
    for (const EntityId id : source->second.shadows) {
        const auto reader = readers_.find(id);
        if (reader == readers_.end() || !reader->second.reliable) continue;
        act(*reader->second.reliable);
        dropped_.clear();
        if (!source->second.discard) continue;
        if (const auto status = reader->second.reliable->status(writer)) {
            reader->second.reliable->committed(writer, status->received, last_input_, outbox_);
        }
    }
}

}  // namespace durability::participant
