#include "sim/cyclone_proxy.hpp"

#include <algorithm>

namespace durability::test {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t max_held = 128;

}  // namespace

// --- a position
// ------------------------------------------------------------------------------------

void CycloneProxy::Position::take(std::int64_t number,
                                  const Delivered& sample,
                                  const Deliver& deliver) {
    if (number < next || held.contains(number)) return;
    if (number != next && held.size() >= max_held) return;
    held.emplace(number, sample);
    advance(deliver);
}

void CycloneProxy::Position::skip(std::int64_t first, std::int64_t last, const Deliver& deliver) {
    if (last < first) return;
    auto& known = absent[first];
    known = std::max(known, last);
    advance(deliver);
}

void CycloneProxy::Position::advance(const Deliver& deliver) {
    for (bool moved = true; moved;) {
        moved = false;
        if (const auto sample = held.find(next); sample != held.end()) {
            deliver(sample->second);
            held.erase(sample);
            ++next;
            moved = true;
            continue;
        }
        for (auto range = absent.begin(); range != absent.end() && range->first <= next;) {
            if (range->second >= next) {
                // What is held inside of it is delivered all the same.
                const auto inside = held.lower_bound(next);
                const std::int64_t stop = inside == held.end()
                                              ? range->second + 1
                                              : std::min(range->second + 1, inside->first);
                moved = moved || stop > next;
                next = std::max(next, stop);
            }
            range = range->second < next ? absent.erase(range) : std::next(range);
        }
    }
}

bool CycloneProxy::Position::has(std::int64_t number) const {
    if (number < next || held.contains(number)) return true;
    return std::ranges::any_of(
        absent, [&](const auto& range) { return range.first <= number && number <= range.second; });
}

// --- the proxy
// -------------------------------------------------------------------------------------

void CycloneProxy::add_reader(const Guid& reader,
                              bool transient_local,
                              std::vector<Delivered>* into,
                              Now now) {
    Member member;
    member.guid = reader;
    member.into = into;
    member.catching_up = transient_local || own_kind_;
    member.greeted = !member.catching_up && heartbeat_seen_;
    if (!member.greeted) member.due = after(now.mono, 10ms);
    members_.push_back(std::move(member));
}

void CycloneProxy::remove_reader(const Guid& reader) {
    std::erase_if(members_, [&](const Member& member) { return member.guid == reader; });
}

CycloneProxy::Deliver CycloneProxy::to_those_in_sync() {
    return [this](const Delivered& sample) {
        for (Member& member : members_) {
            if (!member.catching_up) member.into->push_back(sample);
        }
    };
}

void CycloneProxy::settle() {
    for (Member& member : members_) {
        if (!member.catching_up || member.end == unset) continue;
        if (member.position.next > member.end && member.position.next >= primary_.next)
            member.catching_up = false;
    }
}

void CycloneProxy::on_data(SequenceNumber number, Delivered sample) {
    primary_.take(number.value, sample, to_those_in_sync());
    for (Member& member : members_) {
        if (!member.catching_up) continue;
        member.position.take(
            number.value, sample, [&](const Delivered& next) { member.into->push_back(next); });
    }
    settle();
}

void CycloneProxy::on_gap(const wire::Gap& gap) {
    const auto named = std::ranges::find_if(
        members_, [&](const Member& member) { return member.guid.entity == gap.reader; });
    if (named == members_.end()) return;  // also with reader id 0
    const auto skip = [&](std::int64_t first, std::int64_t last) {
        primary_.skip(first, last, to_those_in_sync());
        if (named->catching_up) {
            named->position.skip(
                first, last, [&](const Delivered& next) { named->into->push_back(next); });
        }
    };
    skip(gap.start.value, gap.list.base.value - 1);
    gap.list.for_each([&](SequenceNumber number) { skip(number.value, number.value); });
    settle();
}

void CycloneProxy::on_heartbeat(const wire::Heartbeat& heartbeat, Now now, rtps::Outbox& out) {
    if (!heartbeat_seen_) {
        heartbeat_seen_ = true;
        primary_.skip(1, heartbeat.last.value, to_those_in_sync());
    }
    last_ = std::max(last_, heartbeat.last.value);
    primary_.skip(1, heartbeat.first.value - 1, to_those_in_sync());
    for (Member& member : members_) {
        if (!member.catching_up) continue;
        member.position.skip(1, heartbeat.first.value - 1, [&](const Delivered& next) {
            member.into->push_back(next);
        });
        if (member.end == unset) member.end = heartbeat.last.value;
    }
    settle();
    for (Member& member : members_) {
        if (!member.catching_up) member.greeted = true;
        if (heartbeat.reader != entity::unknown && heartbeat.reader != member.guid.entity) continue;
        member.greeted = true;
        member.delay = {};
        answer(member, !heartbeat.final, now, out);
    }
}

// An ACKNACK: asks for what is missing, or confirms when `always`. Final, as all but the first one
// are.
void CycloneProxy::answer(Member& member, bool always, Now now, rtps::Outbox& out) {
    const Position& position = member.catching_up ? member.position : primary_;
    wire::AckNack acknack;
    acknack.reader = member.guid.entity;
    acknack.writer = writer_.entity;
    acknack.state.base = SequenceNumber{position.next};
    bool missing = false;
    for (std::int64_t number = position.next; number <= last_ && number < position.next + 256;
         ++number) {
        if (position.has(number)) continue;
        acknack.state.insert(SequenceNumber{number});
        missing = true;
    }
    member.due = MonoTime::max();
    if (missing) {
        member.delay =
            member.delay == Duration{} ? Duration{100ms} : std::min<Duration>(member.delay * 2, 3s);
        member.due = after(now.mono, member.delay);
    }
    if (!missing && !always) return;
    acknack.count = ++member.count;
    acknack.final = true;
    out.acknack(destination_, acknack);
}

void CycloneProxy::tick(Now now, rtps::Outbox& out) {
    for (Member& member : members_) {
        if (member.due > now.mono) continue;
        if (member.greeted) {
            answer(member, false, now, out);
            continue;
        }
        wire::AckNack acknack;
        acknack.reader = member.guid.entity;
        acknack.writer = writer_.entity;
        acknack.state.base = SequenceNumber{1};
        acknack.final = false;
        out.acknack(destination_, acknack);
        member.delay =
            member.delay == Duration{} ? Duration{100ms} : std::min<Duration>(member.delay * 2, 1s);
        member.due = after(now.mono, member.delay);
    }
}

MonoTime CycloneProxy::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const Member& member : members_)
        due = std::min(due, member.due);
    return due;
}

}  // namespace durability::test
