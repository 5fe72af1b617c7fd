// The other daemons of the domain: who they are, what they serve, to whom this one yields, and whom
// a late reader belongs to (precedence.hpp). No I/O; belongs to the loop.
#pragma once

#include "base/time.hpp"
#include "participant/participant.hpp"
#include "service/context.hpp"
#include "service/precedence.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace durability::service {

// Whether a remote participant that `participant` knows is a daemon's. Its ingest readers are no
// late readers, and what its replay writers send is stored where it comes from already.
[[nodiscard]] bool is_service(const participant::Participant& participant,
                              const GuidPrefix& remote,
                              ServiceRole role);

class PeerServices {
  public:
    // Others are met, and judged, by their replay participants, as the own replay one knows them.
    // `own`: as the replay participant was announced first.
    PeerServices(Context& context, participant::Participant& replay, ServiceAnnouncement own)
        : context_(context), replay_(replay), own_(std::move(own)) {}

    // An earlier run yielded to that daemon; if it is among the remembered peers, so does this one.
    void restore_yield(const GuidPrefix& replay) { restored_.insert(replay); }
    // Remembered peers are known; the network is about to hear of us.
    void start(Now now);

    void on_participant(const discovery::ParticipantData& data, Now now);
    void on_participant_lost(const GuidPrefix& prefix, discovery::LossReason reason, Now now);
    void on_writer_found(const discovery::EndpointData& writer);
    void on_writer_lost(const Guid& writer);

    // The own priority is another one now; the next tick() announces it.
    void set_priority(std::uint64_t priority) {
        announcement_due_ = announcement_due_ || priority != own_.priority;
        own_.priority = priority;
    }

    // Looks who was heard, and yields where it is time; announces it.
    void tick(Now now);
    [[nodiscard]] MonoTime next_deadline() const;

    // Whether this daemon serves a reader that `group` matches. `appeared`: when it did so first;
    // `left_to`: the owner in the last answer.
    [[nodiscard]] Precedence judge(const ServedGroup& group,
                                   const discovery::EndpointData& reader,
                                   MonoTime appeared,
                                   const GuidPrefix& left_to,
                                   MonoTime now) const;
    // "the daemon on host alpha (priority 5)"; also of one that was lost lately.
    [[nodiscard]] std::string describe(const GuidPrefix& replay) const;

  private:
    struct Peer {
        ServiceAnnouncement said;
        bool alive{true};
        bool confirmed{false};
        MonoTime heard{MonoTime::min()};
        MonoTime confirmed_at{MonoTime::max()};
        std::optional<MonoTime> outranks_since;
        std::optional<MonoTime> yielded_since;
        std::map<GuidPrefix, MonoTime> yields_seen;
        std::map<std::string, std::set<Guid>> writers;  // by topic
    };
    [[nodiscard]] ServiceRank own_rank() const;
    // Of the replay participant, with whom it yields to.
    [[nodiscard]] discovery::Properties properties() const;
    [[nodiscard]] Duration window() const { return context_.config.replay.handover_window; }
    [[nodiscard]] bool outranks_us(const GuidPrefix& prefix, const Peer& peer) const;
    [[nodiscard]] bool make_room();
    [[nodiscard]] bool matches(const Peer& peer, const discovery::EndpointData& reader) const;
    [[nodiscard]] MonoTime acquainted_at() const;
    // When it is time to yield to it; MonoTime::max() when it is not, or was done.
    [[nodiscard]] MonoTime yield_at(const GuidPrefix& prefix, const Peer& peer) const;
    void listen(const GuidPrefix& prefix, Peer& peer, Now now);
    void note(const GuidPrefix& prefix, Peer& peer, const ServiceAnnouncement& said, Now now);
    void yield(const GuidPrefix& prefix, Peer& peer, MonoTime since);
    void stop_yielding(const GuidPrefix& prefix, Peer& peer);
    void report(EventKind kind, const GuidPrefix& prefix, const Peer& peer, Now now);

    Context& context_;
    participant::Participant& replay_;
    ServiceAnnouncement own_;
    std::map<GuidPrefix, Peer> peers_;  // by replay participant
    std::set<GuidPrefix> restored_;
    MonoTime started_{MonoTime::max()};
    bool announcement_due_{false};
};

}  // namespace durability::service
