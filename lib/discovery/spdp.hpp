// The participant discovery protocol (RTPS 2.5, 8.5.3): announces the own participant, finds the
// others, keeps their leases. A machine: bytes and time go in, datagrams (Outbox) and events come
// out. Knows no endpoints; those are Sedp's. Not thread-safe; belongs to one participant.
#pragma once

#include "base/time.hpp"
#include "discovery/discovery_event.hpp"
#include "discovery/participant_data.hpp"
#include "model/guid.hpp"
#include "model/locator.hpp"
#include "model/sequence_number.hpp"
#include "rtps/outbox.hpp"
#include "wire/inline_qos.hpp"
#include "wire/message_reader.hpp"
#include "wire/qos_parameters.hpp"
#include "wire/submessage.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace durability::discovery {

struct SpdpOptions {
    // Where everybody is told: the multicast group of the domain and the configured unicast peers,
    // each with its port.
    std::vector<Locator> announce_to;
    // Above every number an earlier run of this identity used, or Fast DDS drops the contents (fact
    // sheet 1.2, 12.3). Each announcement takes the next one.
    SequenceNumber first_number{1};
    std::size_t max_participants{1'000};
    wire::StringLimits string_limits;
    // A new participant is answered again after these times until it shows that it knows us: Fast
    // DDS announces itself a little before it hears what is sent to it.
    std::array<Duration, 5> greet_again_after{std::chrono::milliseconds{10},
                                              std::chrono::milliseconds{40},
                                              std::chrono::milliseconds{100},
                                              std::chrono::milliseconds{300},
                                              std::chrono::seconds{1}};
    // Announcements at start, this far apart.
    unsigned initial_announcements{5};
    Duration initial_period{std::chrono::milliseconds{100}};
    // A longer (or infinite) lease counts as this: whoever forges one must not hold a place for
    // ever.
    Duration longest_lease{std::chrono::hours{1}};
    Duration shortest_lease{std::chrono::milliseconds{100}};
};

// A participant that was not there before. `returning`: it is one we remembered from before a
// restart and has not been heard yet. The destinations stay the same objects for the whole stay;
// when the participant announces other locators they change in place.
struct ParticipantFound {
    ParticipantData data;
    rtps::DestinationPtr metatraffic;
    rtps::DestinationPtr user;
    bool returning{false};
};
struct ParticipantChanged {
    ParticipantData data;
};
struct ParticipantLost {
    GuidPrefix prefix;
    LossReason reason{};
};
using SpdpEvent = std::variant<ParticipantFound,
                               ParticipantChanged,
                               ParticipantLost,
                               MalformedAnnouncement,
                               LimitReached>;

struct RemoteParticipant {
    ParticipantData data;
    std::shared_ptr<rtps::Destination> metatraffic;  // shared with the proxies of its endpoints
    std::shared_ptr<rtps::Destination> user;         // likewise
    MonoTime heard{};                                // when it last sent anything
    MonoTime checked_at{};                           // its entry in the timetable of leases
    bool confirmed{false};                           // heard in this run, not only remembered
    bool knows_us{false};                            // it has sent something to us by name
    MonoTime found{};
    std::size_t greetings{0};  // answers repeated so far
    MonoTime greet_at{};       // its entry in the timetable of greetings, if it has one
};

// A participant that announces no address to answer to. Nothing of it becomes known; it is
// remembered for an operator who misses its endpoints.
struct UnreachableParticipant {
    Guid guid;
    VendorId vendor;
    std::string name;
    MonoTime until{};  // the end of its lease
};

// Whom a message named as its receiver (INFO_DST).
enum class Addressed : std::uint8_t {
    everybody,
    us
};

class Spdp {
  public:
    // `own.guid`, its locators and lease are what is announced. The vendor id in the header of the
    // messages is that of the Outbox given: the compatibility option `spdp_vendor` is an Outbox of
    // its own for this machine.
    Spdp(ParticipantData own, SpdpOptions options);

    // Nothing of this participant is ever looked at. Before anything else, for the sister
    // participant.
    void ignore(GuidPrefix prefix);
    [[nodiscard]] bool is_ignored(GuidPrefix prefix) const;

    // A participant known to an earlier run of this identity, which will not announce itself to us
    // because it never missed us (fact sheet 12.3). Known from now on, for one lease; start()
    // addresses it. False (and nothing changed) if it is ignored, known, unreachable or one too
    // many.
    bool restore(const ParticipantData& data, MonoTime now);

    // The first announcement; the machine announces by itself from then on.
    void start(MonoTime now, rtps::Outbox& outbox);

    // A DATA of an SPDP writer. `from` is the receiver state, `came_from` the address of the
    // datagram.
    void on_data(const wire::ReceiverState& from,
                 const std::optional<Locator>& came_from,
                 const wire::Data& data,
                 MonoTime now,
                 rtps::Outbox& outbox);

    // Any valid message of the participant came in: its lease starts again (8.4.13; fact
    // sheet 1.4). One that names us shows that it knows us.
    void renew(GuidPrefix prefix, MonoTime now, Addressed addressed = Addressed::everybody);

    void tick(MonoTime now, rtps::Outbox& outbox);
    // MonoTime::max(): never.
    [[nodiscard]] MonoTime next_deadline() const;
    [[nodiscard]] std::optional<SpdpEvent> next_event();

    // Other locators or another name: announced at once, to everybody, under a new number. The GUID
    // has to stay. (Neither Cyclone DDS nor Fast DDS 2.9 takes new locators from a participant it
    // knows.)
    void set_own(ParticipantData own, MonoTime now);
    void set_announce_to(std::vector<Locator> locators, MonoTime now);

    // Tells everybody that this participant leaves, with key hash and key (fact sheet, rule 3).
    // Nothing is announced afterwards.
    void goodbye(rtps::Outbox& outbox);

    [[nodiscard]] const RemoteParticipant* find(GuidPrefix prefix) const;
    [[nodiscard]] const std::unordered_map<GuidPrefix, RemoteParticipant>& participants() const {
        return participants_;
    }
    // Those whose lease runs, the latest few.
    [[nodiscard]] std::vector<UnreachableParticipant> unreachable(MonoTime now) const;
    [[nodiscard]] const ParticipantData& own() const { return own_; }
    // The greatest number any announcement had so far.
    [[nodiscard]] SequenceNumber last_number() const { return previous(next_number_); }
    // Time between two announcements: a tenth of the lease within 1 s and 3 s, at most a third of
    // it.
    [[nodiscard]] Duration period() const;

  private:
    enum class Answer : std::uint8_t {
        yes,
        no
    };

    void on_announcement(const wire::ReceiverState& from,
                         const std::optional<Locator>& came_from,
                         const wire::Data& data,
                         MonoTime now,
                         rtps::Outbox& outbox);
    void on_departure(const wire::ReceiverState& from,
                      const wire::InlineQos& qos,
                      const wire::Data& data);
    void update(RemoteParticipant& remote,
                ParticipantData data,
                const std::optional<Locator>& came_from,
                MonoTime now);
    RemoteParticipant* add(ParticipantData data,
                           VendorId vendor,
                           const std::optional<Locator>& came_from,
                           MonoTime now);
    void note_unreachable(const ParticipantData& data, VendorId vendor, MonoTime now);
    void remove(GuidPrefix prefix, LossReason reason);
    [[nodiscard]] bool is_for_us(const ParticipantData& data, GuidPrefix source) const;
    [[nodiscard]] Duration lease_of(const RemoteParticipant& remote) const;
    void schedule_lease(GuidPrefix prefix, RemoteParticipant& remote);
    void expire_leases(MonoTime now);

    void schedule_greeting(RemoteParticipant& remote);
    void cancel_greeting(RemoteParticipant& remote);
    void greet_again(MonoTime now, rtps::Outbox& outbox);

    void announce(rtps::Outbox& outbox);
    void announce_to_all_known(rtps::Outbox& outbox);
    void send(const rtps::DestinationPtr& destination,
              ByteView inline_qos,
              ByteView payload,
              PayloadKind kind,
              rtps::Outbox& outbox);
    void announce_soon(MonoTime now);

    ParticipantData own_;
    SpdpOptions options_;
    Buffer announcement_;
    rtps::DestinationPtr everybody_;
    SequenceNumber next_number_;
    std::vector<GuidPrefix> ignored_;

    std::unordered_map<GuidPrefix, RemoteParticipant> participants_;
    std::vector<UnreachableParticipant> unreachable_;
    // When to look at whose lease. A renewal does not touch it: the entry comes up early and is put
    // back then, so that a message costs one look-up. One entry for each participant.
    std::set<std::pair<MonoTime, GuidPrefix>> lease_checks_;
    std::set<std::pair<MonoTime, GuidPrefix>> greetings_;

    MonoTime next_announcement_{MonoTime::max()};
    MonoTime next_directed_{MonoTime::max()};
    unsigned initial_left_{0};
    std::deque<SpdpEvent> events_;
};

}  // namespace durability::discovery
