#include "service/peer_services.hpp"

#include "discovery/matching.hpp"
#include "service/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

// How long after the start a daemon that is there may take to be met: it answers our first
// announcement at once. One that is remembered is waited for longer. And how long after that its
// writers may take to become known. Readers wait meanwhile, so it is short.
constexpr Duration meeting_time = std::chrono::milliseconds{30};
constexpr Duration reunion_time = std::chrono::milliseconds{500};
constexpr Duration endpoints_time = std::chrono::seconds{1};

}  // namespace

bool is_service(const participant::Participant& participant,
                const GuidPrefix& remote,
                ServiceRole role) {
    const discovery::RemoteParticipant* known = participant.spdp().find(remote);
    if (known == nullptr || known->data.properties.empty()) return false;
    const auto said = service_announcement(known->data);
    return said && said->role == role;
}

ServiceRank PeerServices::own_rank() const {
    return {context_.config.replay.priority, replay_.spdp().own().guid.prefix};
}

bool PeerServices::outranks_us(const GuidPrefix& prefix, const Peer& peer) const {
    return outranks({peer.said.priority, prefix}, own_rank());
}

discovery::Properties PeerServices::properties() const {
    ServiceAnnouncement own = own_;
    for (const auto& [prefix, peer] : peers_) {
        if (peer.alive && peer.yielded_since) own.yields_to.push_back(prefix);
    }
    return to_properties(own);
}

void PeerServices::start(Now now) {
    started_ = now.mono;
    for (const auto& [prefix, remote] : replay_.spdp().participants())
        on_participant(remote.data, now);
    // Whoever is not remembered as a peer was lost before.
    for (const GuidPrefix& prefix : restored_) {
        const auto peer = peers_.find(prefix);
        if (peer == peers_.end() || !peer->second.yielded_since)
            context_.erase(store::RecordKind::identity, yield_key(prefix));
    }
    restored_.clear();
    replay_.set_properties(properties(), now.mono);
    announcement_due_ = false;
}

bool PeerServices::make_room() {
    if (peers_.size() < max_peer_services) return true;
    return std::erase_if(peers_, [](const auto& entry) { return !entry.second.alive; }) != 0;
}

void PeerServices::on_participant(const discovery::ParticipantData& data, Now now) {
    const GuidPrefix prefix = data.guid.prefix;
    const auto said = service_announcement(data);
    if (!said || said->role != ServiceRole::replay) return;
    auto known = peers_.find(prefix);
    // One that comes back is met anew.
    if (known != peers_.end() && !known->second.alive) {
        peers_.erase(known);
        known = peers_.end();
    }
    if (known == peers_.end()) {
        if (!make_room()) return;
        known = peers_.try_emplace(prefix).first;
        known->second.said = *said;
        if (restored_.contains(prefix) && outranks_us(prefix, known->second))
            yield(prefix, known->second, MonoTime::min());
    }
    note(prefix, known->second, *said, now);
}

void PeerServices::note(const GuidPrefix& prefix,
                        Peer& peer,
                        const ServiceAnnouncement& said,
                        Now now) {
    // What one says that was met just now, or has started anew, it has said from the start.
    const bool was_confirmed = peer.confirmed;
    const bool is_acquainted = now.mono >= acquainted_at();
    listen(prefix, peer, now);
    const bool is_first = !was_confirmed || said.run != peer.said.run;
    const MonoTime seen = is_first ? MonoTime::min() : now.mono;
    if (is_first) peer.yields_seen.clear();
    std::erase_if(peer.yields_seen, [&](const auto& entry) {
        return std::ranges::find(said.yields_to, entry.first) == said.yields_to.end();
    });
    for (const GuidPrefix& to : said.yields_to)
        peer.yields_seen.try_emplace(to, seen);
    const bool first_heard = !was_confirmed && peer.confirmed;
    const bool is_news = first_heard || peer.said.priority != said.priority;
    peer.said = said;
    // Nothing is decided yet: what was there before us goes first, from the start.
    if (first_heard && !is_acquainted && !peer.yielded_since && outranks_us(prefix, peer))
        yield(prefix, peer, MonoTime::min());
    if (is_news && peer.confirmed) report(EventKind::PeerServiceFound, prefix, peer, now);
}

void PeerServices::listen(const GuidPrefix& prefix, Peer& peer, Now now) {
    const discovery::RemoteParticipant* remote = replay_.spdp().find(prefix);
    if (remote == nullptr) return;
    peer.heard = remote->heard;
    if (!peer.confirmed && remote->confirmed) {
        peer.confirmed = true;
        peer.confirmed_at = now.mono;
    }
}

void PeerServices::on_participant_lost(const GuidPrefix& prefix,
                                       discovery::LossReason reason,
                                       Now now) {
    const auto known = peers_.find(prefix);
    if (known == peers_.end() || !known->second.alive) return;
    Peer& peer = known->second;
    peer.alive = false;
    // Up to its good-bye it was there.
    if (reason != discovery::LossReason::lease_expired) peer.heard = now.mono;
    stop_yielding(prefix, peer);
    report(EventKind::PeerServiceLost, prefix, peer, now);
}

void PeerServices::on_writer_found(const discovery::EndpointData& writer) {
    const auto known = peers_.find(writer.guid.prefix);
    if (known != peers_.end()) known->second.writers[writer.topic].insert(writer.guid);
}

void PeerServices::on_writer_lost(const Guid& writer) {
    const auto known = peers_.find(writer.prefix);
    if (known == peers_.end()) return;
    for (auto& [topic, writers] : known->second.writers)
        writers.erase(writer);
    std::erase_if(known->second.writers, [](const auto& entry) { return entry.second.empty(); });
}

// --- yielding ---

void PeerServices::yield(const GuidPrefix& prefix, Peer& peer, MonoTime since) {
    peer.yielded_since = since;
    announcement_due_ = true;
    context_.save(store::RecordKind::identity, yield_key(prefix), {1});
}

void PeerServices::stop_yielding(const GuidPrefix& prefix, Peer& peer) {
    peer.outranks_since.reset();
    if (!peer.yielded_since) return;
    peer.yielded_since.reset();
    announcement_due_ = true;
    context_.erase(store::RecordKind::identity, yield_key(prefix));
}

// Twice the window: the better one needs the first to find the readers that were there before it,
// and takes those of the second for its own.
MonoTime PeerServices::yield_at(const GuidPrefix& prefix, const Peer& peer) const {
    if (!peer.alive || peer.yielded_since || !peer.outranks_since) return MonoTime::max();
    if (!outranks_us(prefix, peer)) return MonoTime::max();
    return after(after(*peer.outranks_since, window()), window());
}

void PeerServices::tick(Now now) {
    for (auto& [prefix, peer] : peers_) {
        if (!peer.alive) continue;
        listen(prefix, peer, now);
        if (!outranks_us(prefix, peer)) {
            stop_yielding(prefix, peer);
            continue;
        }
        if (!peer.outranks_since && peer.confirmed) peer.outranks_since = now.mono;
        if (now.mono >= yield_at(prefix, peer)) yield(prefix, peer, now.mono);
    }
    if (!announcement_due_ || started_ == MonoTime::max()) return;
    announcement_due_ = false;
    replay_.set_properties(properties(), now.mono);
}

MonoTime PeerServices::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const auto& [prefix, peer] : peers_)
        due = std::min(due, yield_at(prefix, peer));
    return due;
}

// --- one reader ---

MonoTime PeerServices::acquainted_at() const {
    if (started_ == MonoTime::max()) return MonoTime::max();
    // Those that were there before are waited for a little longer.
    const bool misses_any = std::ranges::any_of(
        peers_, [](const auto& entry) { return entry.second.alive && !entry.second.confirmed; });
    return after(started_, misses_any ? std::max(window(), reunion_time) : meeting_time);
}

bool PeerServices::matches(const Peer& peer, const discovery::EndpointData& reader) const {
    const auto writers = peer.writers.find(reader.topic);
    if (writers == peer.writers.end()) return false;
    return std::ranges::any_of(writers->second, [&](const Guid& guid) {
        const auto writer = replay_.sedp().writers().find(guid);
        if (writer == replay_.sedp().writers().end()) return false;
        return discovery::match(writer->second, reader) == discovery::MismatchReason::none ||
               discovery::may_match(writer->second, reader);
    });
}

Precedence PeerServices::judge(const ServedGroup& group,
                               const discovery::EndpointData& reader,
                               MonoTime appeared,
                               const GuidPrefix& left_to,
                               MonoTime now) const {
    PrecedenceQuestion question;
    question.own = own_rank();
    question.appeared = appeared;
    question.left_to = left_to;
    question.window = window();
    question.acquainted_at = acquainted_at();
    std::vector<PeerClaim> claims;
    claims.reserve(peers_.size());
    for (const auto& [prefix, peer] : peers_) {
        PeerClaim& claim = claims.emplace_back();
        claim.rank = {peer.said.priority, prefix};
        claim.alive = peer.alive;
        claim.confirmed = peer.confirmed;
        claim.heard = peer.heard;
        claim.matches = matches(peer, reader);
        // Of a topic that is new here, its writer may be on the way.
        claim.settled_at =
            std::max(after(peer.confirmed_at, endpoints_time), after(group.opened, window()));
        claim.yielded_since = peer.yielded_since;
        for (const auto& [to, seen] : peer.yields_seen)
            claim.yields_to.push_back({to, seen});
    }
    question.peers = claims;
    return judge_precedence(question, now);
}

std::string PeerServices::describe(const GuidPrefix& replay) const {
    const auto known = peers_.find(replay);
    if (known == peers_.end()) return "another daemon";
    const ServiceAnnouncement& said = known->second.said;
    return fmt::format("the daemon on host {} (priority {})",
                       said.host.empty() ? "unknown" : said.host,
                       said.priority);
}

void PeerServices::report(EventKind kind, const GuidPrefix& prefix, const Peer& peer, Now now) {
    context_.events.report(
        make_event(kind,
                   {{"domain", std::to_string(context_.domain)},
                    {"host", peer.said.host},
                    {"priority", std::to_string(peer.said.priority)},
                    {"participant", to_string(prefix)},
                    {"precedence", outranks_us(prefix, peer) ? "theirs" : "ours"}}),
        to_string(prefix),
        now);
}

}  // namespace durability::service
