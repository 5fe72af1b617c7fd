// The endpoint discovery protocol (RTPS 2.5, 8.5.4) and the participant message protocol (8.4.13):
// the built-in endpoints, what was announced by others and what is announced by us. Rides on the
// reliable endpoints of rtps/; learns participants from whoever drives Spdp. Decides no matches. A
// machine: submessages and time go in, datagrams (Outbox) and events come out. Not thread-safe;
// belongs to one participant.
#pragma once

#include "base/time.hpp"
#include "discovery/endpoint_data.hpp"
#include "discovery/endpoint_table.hpp"
#include "discovery/participant_data.hpp"
#include "discovery/sedp_event.hpp"
#include "discovery/spdp.hpp"
#include "model/guid.hpp"
#include "model/sequence_number.hpp"
#include "rtps/outbox.hpp"
#include "rtps/stateful_reader.hpp"
#include "rtps/stateful_writer.hpp"
#include "wire/message_reader.hpp"
#include "wire/qos_parameters.hpp"
#include "wire/submessage.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace durability::discovery {

// Announcements are small: what a peer can make us hold stays far below what user data may take.
[[nodiscard]] rtps::ReaderLimits default_sedp_reader_limits();

struct SedpOptions {
    // Numbers of the built-in writers and counts of HEARTBEATs and ACKNACKs: above all those an
    // earlier run of this identity used (fact sheet 12.3). Numbers only just above: Fast DDS works
    // through each number it has not seen, also in the first HEARTBEAT of a writer; 10^6 cost it
    // seconds on a busy machine, and with seconds since 1970 it never gets to the end. So they are
    // kept on disk, not made from the time.
    SequenceNumber first_number{1};
    std::int32_t first_count{1};
    std::size_t max_writers{20'000};
    std::size_t max_readers{20'000};
    // Octets of announcements sent to a peer unasked, per built-in writer and repetition. Small,
    // because nobody knows yet whether the address is its own (R9.1); the rest it asks for within a
    // round trip.
    std::size_t push_bytes{2'048};
    wire::StringLimits string_limits;
    rtps::ReaderLimits reader_limits{default_sedp_reader_limits()};
};

class Sedp {
  public:
    Sedp(GuidPrefix own, SedpOptions options);

    // Whether a submessage with these entity ids belongs here (a reader id of 0 counts by its
    // writer).
    [[nodiscard]] static bool concerns(EntityId reader, EntityId writer);

    // From the events of Spdp. Everything announced is sent at once and repeated until it is
    // acknowledged; the endpoints of the other side are asked for from the start. A participant
    // that is known already begins anew.
    void add_participant(const ParticipantFound& found, MonoTime now, rtps::Outbox& outbox);
    // Other built-in endpoints than before are matched or dropped; its destination changes in
    // place.
    void change_participant(const ParticipantData& data, MonoTime now, rtps::Outbox& outbox);
    // Its endpoints are gone with it: a Lost event for each.
    void remove_participant(GuidPrefix prefix, LossReason reason);

    // Announces an own writer or reader, or its changed QoS; returns the number of the
    // announcement. With `only_for`, to that participant alone. Readers are announced to Fast DDS
    // as expecting inline QoS, to nobody else (fact sheet, rule 7). Sent by the next tick(), which
    // is due at once. Precondition: data.guid.prefix is our own.
    SequenceNumber announce(const EndpointData& data,
                            std::optional<GuidPrefix> only_for = std::nullopt);
    // Disposes it, also one that an earlier run announced and this one will not (12.3).
    void retract(EntityId local);
    // Whether that peer has acknowledged the newest announcement of `local`.
    [[nodiscard]] bool acknowledged_by(GuidPrefix peer, EntityId local) const;

    // `from` is the receiver state of the message: only matched built-in endpoints of `from.source`
    // count.
    void on_data(const wire::ReceiverState& from, const wire::Data& data, MonoTime now);
    void on_data_frag(const wire::ReceiverState& from,
                      const wire::DataFrag& data_frag,
                      MonoTime now);
    void on_gap(const wire::ReceiverState& from, const wire::Gap& gap, MonoTime now);
    void on_heartbeat(const wire::ReceiverState& from,
                      const wire::Heartbeat& heartbeat,
                      MonoTime now,
                      rtps::Outbox& outbox);
    void on_heartbeat_frag(const wire::ReceiverState& from,
                           const wire::HeartbeatFrag& heartbeat_frag,
                           MonoTime now,
                           rtps::Outbox& outbox);
    void on_acknack(const wire::ReceiverState& from,
                    const wire::AckNack& acknack,
                    MonoTime now,
                    rtps::Outbox& outbox);
    void on_nack_frag(const wire::ReceiverState& from,
                      const wire::NackFrag& nack_frag,
                      MonoTime now,
                      rtps::Outbox& outbox);

    void tick(MonoTime now, rtps::Outbox& outbox);
    // MonoTime::min(): at once; MonoTime::max(): never.
    [[nodiscard]] MonoTime next_deadline() const;
    [[nodiscard]] std::optional<SedpEvent> next_event();

    // The greatest number that any of the built-in writers used so far.
    [[nodiscard]] SequenceNumber last_number() const {
        return std::max(
            {publications_.writer.last(), subscriptions_.writer.last(), messages_.writer.last()});
    }
    [[nodiscard]] const std::map<Guid, EndpointData>& writers() const { return table_.writers(); }
    [[nodiscard]] const std::map<Guid, EndpointData>& readers() const { return table_.readers(); }
    // Null when nothing of the kind is announced.
    [[nodiscard]] const EndpointData* find_writer(const Guid& guid) const;
    [[nodiscard]] const EndpointData* find_reader(const Guid& guid) const;

  private:
    // A built-in topic: our two endpoints for it, and the bits that tell who else has them.
    struct Topic {
        Topic(EntityId writer_id, EntityId reader_id, const SedpOptions& options);
        rtps::StatefulWriter writer;
        rtps::StatefulReader reader;
        std::uint32_t writer_bit{0};
        std::uint32_t reader_bit{0};
        // Which local endpoint a live change announces; disposes and replaced changes are not in
        // here.
        std::map<SequenceNumber, EntityId> announced;
    };
    struct Remote {
        rtps::DestinationPtr destination;
        VendorId vendor;  // of the participant, for the parameters that only some vendors mean
        std::uint32_t builtin_endpoints{0};
        bool returning{false};
        MonoTime added{};
        bool knows_us{false};  // it has sent something to us by name
        // Announcements up to here were reported as acknowledged.
        SequenceNumber acked_writers{0};
        SequenceNumber acked_readers{0};
    };
    struct Local {
        SequenceNumber number;
        std::optional<GuidPrefix> only_for;
        // Of a writer whose liveliness is that of the participant.
        QosDuration liveliness_lease{infinite_qos_duration};
        LivelinessKind liveliness{LivelinessKind::automatic};
    };

    // The built-in topic a submessage is about; null when it is none of ours.
    [[nodiscard]] Topic* topic_of(EntityId reader, EntityId writer);
    [[nodiscard]] Topic& topic_for(EntityId local);
    void match_endpoints(GuidPrefix prefix,
                         const Remote& remote,
                         std::uint32_t bits,
                         MonoTime now,
                         rtps::Outbox& outbox);
    void unmatch_endpoints(GuidPrefix prefix, std::uint32_t bits);
    // The first message that names us: what we sent before may have come too early for the peer.
    void note_heard(const wire::ReceiverState& from, MonoTime now, rtps::Outbox& outbox);
    void restart_participant(GuidPrefix prefix, MonoTime now, rtps::Outbox& outbox);

    void take_samples();
    void take_sample(const rtps::ReceivedSample& sample);
    void take_departure(const rtps::ReceivedSample& sample, const wire::InlineQos& qos);
    void take_announcement(const rtps::ReceivedSample& sample, const Remote& remote);
    void take_acknowledgements();
    void report_acknowledged(const Topic& topic,
                             SequenceNumber& reported,
                             const rtps::AckedUpTo& acked);
    void report_malformed(const Guid& writer, wire::DecodeError error);

    void schedule_liveliness();
    void assert_liveliness(MonoTime now);
    void assert_liveliness(LivelinessKind kind);

    GuidPrefix own_;
    SedpOptions options_;
    Topic publications_;
    Topic subscriptions_;
    Topic messages_;

    EndpointTable table_;
    std::unordered_map<GuidPrefix, Remote> remotes_;
    std::map<EntityId, Local> locals_;

    // Time between two liveliness messages: infinite while no local writer promises any.
    Duration liveliness_period_{infinite_duration};
    std::optional<MonoTime> liveliness_sent_;

    std::vector<rtps::ReceivedSample> received_;  // emptied within each call
    std::deque<SedpEvent> events_;
};

}  // namespace durability::discovery
