// The handover window: what living writers promised to a late reader, and what becomes of it when
// one of them is lost before it can have kept its word (semantics.md, section 7).
#include "service/replay.hpp"

#include <utility>

namespace durability::service {
namespace {

// Of asking writers whether they live; the window is divided among them.
constexpr int rounds = 4;
// A Fast DDS writer may give a late reader of another vendor its history with its next periodic
// HEARTBEAT only, 3 s later (fact sheet 6.2). Operations that follow must not come before it.
constexpr Duration operations_after = std::chrono::seconds{5};

}  // namespace

void Replay::watch(const Key& key, Late& late, Now now) {
    if (!watching_.insert(key).second) return;
    late.watched_since = now.mono;
    late.watch_until = after(now.mono, context_.config.replay.handover_window);
    late.times_asked = 0;
}

void Replay::watch_all(Now now) {
    for (auto at = watching_.begin(); at != watching_.end();) {
        const Key key = *at++;
        Late& late = late_.at(key);
        if (late.phase == Phase::saving || now.mono < late.watch_until) continue;
        if (late.times_asked < rounds && !late.result.promised.empty()) {
            ask_again(late, now);
            continue;
        }
        // Who does not answer now is dead, whatever its lease says.
        std::vector<Guid> silent;
        for (const auto& [source, ranges] : late.result.promised)
            silent.push_back(source);
        for (const Guid& source : silent)
            note_lost(late, source);
        close(key, late, now);
    }
}

// A writer that still answers had the whole window to send its share. It is asked in several
// rounds: to take a living one for dead costs the reader everything twice.
void Replay::ask_again(Late& late, Now now) {
    ++late.times_asked;
    late.watch_until = after(now.mono, context_.config.replay.handover_window / rounds);
    for (const auto& [writer, probed] : late.probed) {
        if (late.result.promised.contains(probed.source)) ingest_.probe_writer(writer, now.mono);
    }
}

void Replay::note_lost(Late& late, const Guid& source) {
    auto promised = late.result.promised.extract(source);
    if (!promised) return;
    const std::vector<ArrivalRange>& ranges = promised.mapped();
    late.fallen_due.insert(late.fallen_due.end(), ranges.begin(), ranges.end());
    for (auto& [writer, probed] : late.probed) {
        if (probed.source == source) probed.serves = false;
    }
}

void Replay::fall_due(const Key& key, Late& late, const Guid& source, Now now) {
    if (!late.result.promised.contains(source)) return;
    note_lost(late, source);
    if (late.phase == Phase::saving) return;
    if (late.result.promised.empty() || late.phase == Phase::watching) close(key, late, now);
}

void Replay::keep_word(const Key& key, Late& late, const Guid& source, Now now) {
    late.result.promised.erase(source);
    if (late.result.promised.empty() && late.phase != Phase::saving) close(key, late, now);
}

void Replay::close(const Key& key, Late& late, Now now) {
    const MonoTime earliest = after(late.watched_since, operations_after);
    if (!late.result.deferred.empty() && late.fallen_due.empty() && now.mono < earliest) {
        late.watch_until = earliest;
        return;
    }
    watching_.erase(key);
    late.watch_until = MonoTime::max();
    const bool any_lost = !late.fallen_due.empty();
    if (late.phase == Phase::watching && any_lost) return gather_again(key, late, now);
    std::vector<ArrivalRange> send = std::exchange(late.fallen_due, {});
    send.insert(send.end(), late.result.deferred.begin(), late.result.deferred.end());
    send = merge(std::move(send));
    late.result.deferred.clear();
    late.result.promised.clear();
    if (late.phase != Phase::watching)
        return replay_.close_history(key.first, key.second, send, now.mono);
    late.result.owed = std::move(send);
    save_frontier(key, late, now);
}

// Nothing was shown to it yet: it is decided on as if it had come now, with others of its process.
void Replay::gather_again(const Key& key, Late& late, Now now) {
    late.fallen_due.clear();
    late.result = {};
    late.decision.reset();
    late.listed = late.page_pending = false;
    late.phase = Phase::gathering;
    late.probes_until = now.mono;
    gathering_.insert(key);
    list(key, late, late.known_before ? late.frontier.unsettled_from() : 0);
}

}  // namespace durability::service
