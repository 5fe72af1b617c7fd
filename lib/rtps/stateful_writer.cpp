#include "rtps/stateful_writer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace durability::rtps {

namespace {

// After everything was acknowledged; see ReaderProxy::confirmation_due.
constexpr Duration confirmation_delay = std::chrono::seconds{1};

}  // namespace

StatefulWriter::StatefulWriter(EntityId own, WriterOptions options)
    : own_(own),
      options_(options),
      last_(previous(std::max(options.first_number, SequenceNumber{1}))),
      heartbeat_count_(static_cast<std::uint32_t>(options.first_heartbeat_count)) {}

SequenceNumber StatefulWriter::add(Change change) {
    ++last_;
    if (change.instance) {
        const auto [instance, fresh] = instances_.try_emplace(*change.instance, last_);
        if (!fresh) {
            // KEEP_LAST 1: the older number becomes a hole and is declared irrelevant where it
            // matters.
            const SequenceNumber older = std::exchange(instance->second, last_);
            if (const auto at = history_.find(older); at != history_.end()) {
                if (at->second.dispose) --disposes_;
                history_.erase(at);
            }
        }
    }
    if (change.dispose) ++disposes_;
    history_.emplace_hint(history_.end(), last_, std::move(change));
    while (history_.size() > std::max<std::size_t>(options_.max_changes, 1)) {
        remove(history_.begin());
        ++evicted_;
    }
    unsent_ = true;
    return last_;
}

void StatefulWriter::remove(History::iterator at) {
    if (at->second.dispose) --disposes_;
    if (at->second.instance) {
        const auto instance = instances_.find(*at->second.instance);
        if (instance != instances_.end() && instance->second == at->first) {
            instances_.erase(instance);
        }
    }
    history_.erase(at);
}

bool StatefulWriter::owed_to_nobody(SequenceNumber number, const Change& change) const {
    return std::all_of(readers_.begin(), readers_.end(), [&](const auto& entry) {
        return !relevant(change, entry.second) || entry.second.acked() >= number;
    });
}

void StatefulWriter::forget_acknowledged() {
    if (options_.volatile_history) {
        for (auto at = history_.begin(); at != history_.end();) {
            const auto behind = std::next(at);
            if (owed_to_nobody(at->first, at->second)) remove(at);
            at = behind;
        }
        return;
    }
    if (disposes_ == 0) return;
    SequenceNumber by_all = last_;
    for (const auto& [guid, reader] : readers_)
        by_all = std::min(by_all, reader.acked());
    for (auto at = history_.begin(); at != history_.end() && at->first <= by_all;) {
        const auto behind = std::next(at);
        if (at->second.dispose) remove(at);
        at = behind;
    }
}

bool StatefulWriter::relevant(const Change& change, const ReaderProxy& reader) const {
    return !change.only_for || *change.only_for == reader.guid().prefix;
}

ByteView StatefulWriter::payload_for(const Change& change, const ReaderProxy& reader) const {
    if (change.vendor_payload && reader.destination() != nullptr &&
        reader.destination()->vendor == change.vendor_payload->vendor) {
        return change.vendor_payload->payload;
    }
    return change.payload;
}

SequenceNumber StatefulWriter::owed_through(const ReaderProxy& reader) const {
    if (!options_.volatile_history) return last_;
    // Numbers that others are owed mean nothing to it until something of its own comes behind them;
    // with many readers they would be most of the traffic.
    for (auto change = history_.rbegin(); change != history_.rend(); ++change) {
        if (relevant(change->second, reader)) return change->first;
    }
    return reader.acked();
}

SequenceNumber StatefulWriter::first_for(const ReaderProxy& reader) const {
    const SequenceNumber needed = next(reader.acked());
    // What is older was never meant for this reader, or it has it.
    if (options_.volatile_history) return needed;
    if (history_.empty()) return std::min(needed, next(last_));
    return std::min(needed, history_.begin()->first);
}

void StatefulWriter::match(const Guid& reader,
                           DestinationPtr destination,
                           MonoTime now,
                           Outbox& outbox) {
    unmatch(reader);
    // To a new reader the holes in front of the oldest change never existed.
    const bool from_now_on = options_.volatile_history || history_.empty();
    const SequenceNumber before = from_now_on ? last_ : previous(history_.begin()->first);
    ReaderProxy& added =
        readers_.try_emplace(reader, reader, std::move(destination), before).first->second;
    added.matched_at = now;
    added.heartbeat_delay = options_.heartbeat_interval;
    added.set_sent(push(added, next(before), options_.push_bytes, outbox));
    send_heartbeat(added, false, outbox);
    schedule(added, after(now, options_.repeat_after[0]));
}

void StatefulWriter::unmatch(const Guid& reader) {
    if (readers_.erase(reader) == 0) return;
    events_.erase(std::remove(events_.begin(), events_.end(), reader), events_.end());
    forget_acknowledged();
}

void StatefulWriter::on_acknack(const Guid& reader,
                                const wire::AckNack& acknack,
                                MonoTime now,
                                Outbox& outbox) {
    const auto known = readers_.find(reader);
    if (known == readers_.end()) return;
    ReaderProxy& proxy = known->second;
    const SequenceNumber base = acknack.state.base;
    if (base > next(last_) || base.value < 0) return;
    proxy.unanswered = 0;
    // Pre-emptive: it says that it is there and has heard nothing. Those of Cyclone DDS all have
    // count 0 (fact sheet 6.2).
    const bool empty = acknack.state.num_bits == 0;
    const bool to_be_answered = last_.value >= 1 || options_.volatile_history;
    if (base.value <= 1 && empty && !acknack.final && to_be_answered) {
        if (acknack.count == 0 || proxy.accept_acknack_count(acknack.count, now)) {
            answer_preemptive(proxy, now, outbox);
        }
        return;
    }
    if (!proxy.accept_acknack_count(acknack.count, now)) return;
    proxy.set_heard();
    acknowledge(proxy, previous(base), now);
    const Repaired repaired = repair(proxy, acknack.state, now, outbox);
    if (repaired.any || !acknack.final) send_heartbeat(proxy, false, outbox);
    // What was asked for too early is asked for again when this HEARTBEAT comes.
    if (repaired.too_early) schedule(proxy, after(now, options_.repair_interval));
}

// The reader knows this writer now; what was sent before may have been dropped, so it is sent
// again.
void StatefulWriter::answer_preemptive(ReaderProxy& reader, MonoTime now, Outbox& outbox) {
    const bool push_again =
        !reader.heard() && reader.may_repair({0}, 0, options_.repair_interval, now);
    if (push_again) push(reader, next(reader.acked()), options_.push_bytes, outbox);
    send_heartbeat(reader, false, outbox);
    schedule_heartbeat(reader, now);
}

void StatefulWriter::acknowledge(ReaderProxy& reader, SequenceNumber acked, MonoTime now) {
    // The newest ACKNACK is right, also when it takes back what one before it claimed.
    reader.set_acked(acked);
    if (acked > reader.reported()) {
        const auto waiting = std::find(events_.begin(), events_.end(), reader.guid());
        if (waiting == events_.end()) events_.push_back(reader.guid());
    }
    if (acked >= owed_through(reader)) {
        reader.heartbeat_delay = options_.heartbeat_interval;
        reader.confirmation_due = true;
        reader.heartbeat_due = MonoTime::max();
        schedule(reader, after(now, confirmation_delay));
        forget_acknowledged();
        return;
    }
    schedule_heartbeat(reader, now);
}

void StatefulWriter::on_nack_frag(const Guid& reader,
                                  const wire::NackFrag& nack_frag,
                                  MonoTime now,
                                  Outbox& outbox) {
    const auto known = readers_.find(reader);
    if (known == readers_.end()) return;
    ReaderProxy& proxy = known->second;
    if (nack_frag.number > last_ || nack_frag.number.value < 1) return;
    if (!proxy.accept_nack_frag_count(nack_frag.count, now)) return;
    proxy.unanswered = 0;
    const auto at = history_.find(nack_frag.number);
    if (at == history_.end() || !relevant(at->second, proxy)) {
        send_gap(proxy, nack_frag.number, outbox);
    } else {
        nack_frag.state.for_each([&](FragmentNumber fragment) {
            if (!proxy.may_repair(at->first, fragment.value, options_.repair_interval, now)) return;
            send_fragments(proxy, at->first, at->second, fragment, fragment, outbox);
        });
    }
    send_heartbeat(proxy, false, outbox);
}

void StatefulWriter::tick(MonoTime now, Outbox& outbox) {
    if (!unsent_ && now < earliest_) return;
    const bool news = std::exchange(unsent_, false);
    earliest_ = MonoTime::max();
    for (auto& [guid, reader] : readers_) {
        if (news && reader.sent() < owed_through(reader)) {
            push_news(reader, now, outbox);
        } else if (reader.heartbeat_due <= now) {
            reader.heartbeat_due = MonoTime::max();
            tick_reader(reader, now, outbox);
        }
        earliest_ = std::min(earliest_, reader.heartbeat_due);
    }
    if (news) forget_acknowledged();
}

void StatefulWriter::push_news(ReaderProxy& reader, MonoTime now, Outbox& outbox) {
    // What a reader does not know of yet because an earlier push was cut short it will ask for.
    const SequenceNumber from = std::max(next(reader.sent()), next(reader.acked()));
    push(reader, from, options_.push_bytes, outbox);
    reader.set_sent(last_);
    reader.unanswered = 0;
    reader.confirmation_due = false;
    reader.heartbeat_delay = options_.heartbeat_interval;
    send_heartbeat(reader, false, outbox);
    schedule_heartbeat(reader, now);
}

void StatefulWriter::tick_reader(ReaderProxy& reader, MonoTime now, Outbox& outbox) {
    if (!reader.heard() && reader.repeats < options_.repeat_after.size()) {
        push(reader, next(reader.acked()), options_.push_bytes, outbox);
        send_heartbeat(reader, false, outbox);
        ++reader.repeats;
        const bool more = reader.repeats < options_.repeat_after.size();
        schedule(reader,
                 more ? after(reader.matched_at, options_.repeat_after[reader.repeats])
                      : after(now, reader.heartbeat_delay));
        return;
    }
    if (reader.acked() >= owed_through(reader)) {
        if (std::exchange(reader.confirmation_due, false)) send_heartbeat(reader, true, outbox);
        return;
    }
    if (reader.unanswered >= options_.heartbeat_retries) return;
    ++reader.unanswered;
    send_heartbeat(reader, false, outbox);
    reader.heartbeat_delay = std::min(reader.heartbeat_delay * 2, options_.max_heartbeat_interval);
    schedule(reader, after(now, reader.heartbeat_delay));
}

void StatefulWriter::schedule_heartbeat(ReaderProxy& reader, MonoTime now) {
    // The repetitions after the match go on until the reader is heard.
    if (!reader.heard() && reader.repeats < options_.repeat_after.size()) return;
    reader.heartbeat_due = MonoTime::max();
    schedule(reader, after(now, reader.heartbeat_delay));
}

void StatefulWriter::schedule(ReaderProxy& reader, MonoTime at) {
    reader.heartbeat_due = std::min(reader.heartbeat_due, at);
    earliest_ = std::min(earliest_, at);
}

bool StatefulWriter::acknowledged_by(const Guid& reader, SequenceNumber number) const {
    const auto known = readers_.find(reader);
    return known != readers_.end() && known->second.acked() >= number;
}

std::optional<AckedUpTo> StatefulWriter::next_event() {
    while (!events_.empty()) {
        const Guid guid = events_.front();
        events_.pop_front();
        const auto known = readers_.find(guid);
        if (known == readers_.end()) continue;
        ReaderProxy& reader = known->second;
        if (reader.acked() <= reader.reported()) continue;
        reader.set_reported(reader.acked());
        return AckedUpTo{guid, reader.acked()};
    }
    return std::nullopt;
}

}  // namespace durability::rtps
