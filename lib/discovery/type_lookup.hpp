// The TypeLookup service (XTypes 1.3, 7.6.3.3), both directions: asks other participants for type
// descriptions by their ids, and gives those that were offered to whoever asks. Four built-in
// endpoints, reliable and VOLATILE. A machine like Sedp, beside which it stands: submessages and
// time go in, datagrams (Outbox) and events come out. Not thread-safe; belongs to one participant.
#pragma once

#include "base/time.hpp"
#include "discovery/participant_data.hpp"
#include "discovery/spdp.hpp"
#include "discovery/type_answers.hpp"
#include "discovery/type_lookup_event.hpp"
#include "discovery/type_lookup_message.hpp"
#include "discovery/type_queries.hpp"
#include "model/guid.hpp"
#include "model/sequence_number.hpp"
#include "rtps/outbox.hpp"
#include "rtps/stateful_reader.hpp"
#include "rtps/stateful_writer.hpp"
#include "wire/message_reader.hpp"
#include "wire/submessage.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace durability::discovery {

// What a peer can make us hold stays small: requests and replies are answered as they come.
[[nodiscard]] rtps::ReaderLimits default_type_lookup_reader_limits();

struct TypeLookupOptions {
    // As in SedpOptions: only just above those of an earlier run of this identity.
    SequenceNumber first_number{1};
    std::int32_t first_count{1};
    TypeQueryOptions queries;
    TypeAnswerOptions answers;
    TypeLookupLimits message_limits;
    rtps::ReaderLimits reader_limits{default_type_lookup_reader_limits()};
    // Requests, and replies, that are kept until they are acknowledged. What had to give way is
    // asked for again.
    std::size_t max_unacknowledged{64};
};

class TypeLookup {
  public:
    TypeLookup(GuidPrefix own, TypeLookupOptions options);

    // Whether a submessage with these entity ids belongs here (a reader id of 0 counts by its
    // writer).
    [[nodiscard]] static bool concerns(EntityId reader, EntityId writer);

    // From the events of Spdp, as for Sedp.
    void add_participant(const ParticipantFound& found, MonoTime now, rtps::Outbox& outbox);
    void change_participant(const ParticipantData& data, MonoTime now, rtps::Outbox& outbox);
    void remove_participant(GuidPrefix prefix);

    // Asks `peer` for these types. Each id comes back once, in TypesReceived or TypesUnavailable;
    // an id that is being waited for from that peer is not asked for again. Sent by the next
    // tick(), which is due at once; without TypeLookup service at the peer the event is there at
    // once.
    void look_up(GuidPrefix peer, const std::vector<types::TypeId>& ids, MonoTime now);
    // From now on others can ask for it. `object` is the serialized TypeObject of `id`, as
    // TypesReceived has it; false when it is not, or is larger than a reply may be.
    bool offer(const types::TypeId& id,
               Buffer object,
               std::vector<types::TypeId> dependencies = {});
    void withdraw(const types::TypeId& id);

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
    [[nodiscard]] std::optional<TypeLookupEvent> next_event();

    // The greatest number that either of the writers used so far.
    [[nodiscard]] SequenceNumber last_number() const {
        return std::max(requests_.writer.last(), replies_.writer.last());
    }
    // Ids that are being waited for.
    [[nodiscard]] std::size_t pending() const { return queries_.pending(); }

  private:
    // Our two endpoints for requests or for replies, and the bits that tell who else has them.
    struct Topic {
        rtps::StatefulWriter writer;
        rtps::StatefulReader reader;
        std::uint32_t writer_bit{0};
        std::uint32_t reader_bit{0};
    };
    struct Remote {
        rtps::DestinationPtr destination;
        VendorId vendor;
        std::uint32_t builtin_endpoints{0};
        bool returning{false};
    };

    [[nodiscard]] Topic* topic_of(EntityId reader, EntityId writer);
    void match(GuidPrefix prefix,
               const Remote& remote,
               std::uint32_t bits,
               MonoTime now,
               rtps::Outbox& outbox);
    void unmatch(GuidPrefix prefix, std::uint32_t bits);

    void send_requests(MonoTime now);
    void send_replies(MonoTime now);
    void take_samples();
    void take_request(const rtps::ReceivedSample& sample);
    void take_reply(const rtps::ReceivedSample& sample);
    void drop_acknowledgements();

    GuidPrefix own_;
    TypeLookupOptions options_;
    Topic requests_;
    Topic replies_;
    TypeQueries queries_;
    TypeAnswers answers_;
    std::unordered_map<GuidPrefix, Remote> remotes_;
    std::vector<rtps::ReceivedSample> received_;  // emptied within each call
    std::deque<TypeLookupEvent> events_;
};

}  // namespace durability::discovery
