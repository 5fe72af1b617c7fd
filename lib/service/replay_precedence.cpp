// Readers that belong to another daemon (precedence.hpp): left to it, and taken over when it is
// gone before it can have served them.
#include "service/replay.hpp"

#include <utility>

namespace durability::service {

// True when the reader is another daemon's for good. One that is so only as long as that daemon
// lives stays in gathering, with what it was owed when it came.
bool Replay::is_left_to_other(const Key& key, Late& late, Now now) {
    // What this daemon has begun it goes on with.
    if (late.known_before || late.is_ours) return false;
    const Precedence precedence =
        peers_.judge(*late.group, late.data, late.appeared, late.left_to, now.mono);
    if (precedence.owner != unknown_prefix) late.left_to = precedence.owner;
    if (precedence.standing == Precedence::Standing::ours) {
        if (std::exchange(late.left_until, MonoTime::min()) == MonoTime::min()) return false;
        late.reason.clear();
        // Others of its process are taken over with it.
        if (had_its_share(late, now)) late.probes_until = now.mono;
        return false;
    }
    late.left_until = precedence.until;
    if (precedence.owner != unknown_prefix)
        late.reason = "served by " + peers_.describe(precedence.owner);
    if (precedence.standing == Precedence::Standing::waiting) return false;
    if (!heard_of_history(late)) return true;
    // As good as acknowledged, also for a later run.
    late.frontier.acknowledged = late.frontier.matched;
    late.frontier.open.clear();
    late.retained = {};
    late.left_until = MonoTime::min();
    remember(key, late.frontier);
    context_.save(
        store::RecordKind::frontier, frontier_key(key.second, key.first), encode(late.frontier));
    serve_nothing(key, late, std::exchange(late.reason, {}), now);
    return true;
}

bool Replay::is_of_other(const Late& late, Now now) const {
    const Precedence precedence =
        peers_.judge(*late.group, late.data, late.appeared, late.left_to, now.mono);
    return precedence.owner != unknown_prefix;
}

// It was left to another daemon for so long that writers that lived when it came have sent it what
// they were to send.
bool Replay::had_its_share(const Late& late, Now now) const {
    return late.left_to != unknown_prefix &&
           now.mono >= after(late.appeared, context_.config.replay.handover_window);
}

void Replay::take_share_for_sent(Late& late) {
    late.result.promised.clear();
    std::vector<ArrivalRange>& deferred = late.result.deferred;
    late.result.owed.insert(late.result.owed.end(), deferred.begin(), deferred.end());
    late.result.owed = merge(std::move(late.result.owed));
    deferred.clear();
}

}  // namespace durability::service
