#include "rtps/writer_proxy.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace durability::rtps {

namespace {

// As Cyclone DDS does (fact sheet 6.1): long enough for any reordering, short enough to recover.
constexpr Duration any_count_after = std::chrono::milliseconds{500};

// How long a GAP waits for the HEARTBEAT or DATA that shows that its numbers exist; normally the
// same datagram has it.
constexpr Duration early_gap_lifetime = std::chrono::milliseconds{100};
constexpr std::size_t max_early_gaps = 16;

}  // namespace

WriterProxy::WriterProxy(const Guid& guid,
                         Start start,
                         std::size_t max_ahead,
                         std::size_t max_absent_ranges)
    : guid_(guid),
      resume_after_(std::max(start.resume_after, SequenceNumber{0})),
      received_(resume_after_),
      committed_(resume_after_),
      start_known_(start.wants_history || resume_after_.value > 0),
      max_ahead_(max_ahead),
      absent_(std::max<std::size_t>(max_absent_ranges, 1)),
      early_gaps_(max_early_gaps) {}

SequenceNumber WriterProxy::announced_last() const {
    return std::max(heartbeat_last_, received_);
}

SequenceNumber WriterProxy::evidence() const {
    return std::max(announced_last(), highest_data_);
}

bool WriterProxy::is_absent(SequenceNumber number) const {
    const auto range = absent_.at_or_above(number);
    return range && range->numbers.contains(number);
}

Arrived WriterProxy::classify(SequenceNumber number) const {
    if (!wire::is_valid(number)) return Arrived::refused;
    if (number <= received_) return Arrived::duplicate;
    if (start_known_ && number == next(received_)) return Arrived::in_order;
    return ahead_.count(number) != 0 ? Arrived::duplicate : Arrived::ahead;
}

bool WriterProxy::hold(ReceivedSample sample, HeldBytes& held, MonoTime now) {
    const SequenceNumber number = sample.number;
    const std::size_t bytes = sample.bytes();
    const auto has_room = [&] {
        return ahead_.size() < max_ahead_ && held.used <= held.limit &&
               bytes <= held.limit - held.used;
    };
    while (!has_room()) {
        if (ahead_.empty() || std::prev(ahead_.end())->first < number) return false;
        const auto highest = std::prev(ahead_.end());
        held.used -= highest->second.bytes();
        ahead_.erase(highest);
    }
    sample.make_owned();
    held.used += bytes;
    ahead_.emplace(number, std::move(sample));
    highest_data_ = std::max(highest_data_, number);
    apply_early_gaps(now);
    if (unconfirmed_first_ && number >= *unconfirmed_first_) {
        confirm(*unconfirmed_first_);
        unconfirmed_first_.reset();
    }
    return true;
}

bool WriterProxy::accept_heartbeat_count(std::int32_t count, MonoTime now) {
    const auto bits = static_cast<std::uint32_t>(count);
    const bool newer = static_cast<std::int32_t>(bits - last_count_) > 0;
    if (count_accepted_at_ && !newer && now - *count_accepted_at_ < any_count_after) return false;
    last_count_ = bits;
    count_accepted_at_ = now;
    return true;
}

void WriterProxy::on_heartbeat(SequenceNumber first, SequenceNumber last, MonoTime now) {
    // The newest HEARTBEAT is right, also when it names less than one before: that one was forged.
    heartbeat_last_ = last;
    apply_early_gaps(now);
    watch_for_restart(last, now);
    heartbeat_seen_ = true;
    if (!start_known_) {
        choose_start(first, last);
        return;
    }
    if (start_is_a_guess_ && last < received_) {
        received_ = committed_ = last;
        return;
    }
    on_first(first);
}

// A writer that keeps naming numbers below what is stored counts from the start again (R2.3). A
// single such HEARTBEAT may have been overtaken by its DATA, except for the first one after a
// match.
void WriterProxy::watch_for_restart(SequenceNumber last, MonoTime now) {
    if (last >= committed_ || committed_ == dropped_from_) {
        low_since_.reset();
        numbering_restarted_ = false;
        return;
    }
    if (!low_since_) low_since_ = now;
    const bool at_once = !heartbeat_seen_ && last < resume_after_;
    if (at_once || (!start_is_a_guess_ && now - *low_since_ >= any_count_after)) {
        numbering_restarted_ = true;
    }
}

// RTPS 2.5, 8.4.7.1: a reader that does not want history begins after the first HEARTBEAT's lastSN,
// or with what reached it before.
void WriterProxy::choose_start(SequenceNumber first, SequenceNumber last) {
    SequenceNumber start = last;
    if (!ahead_.empty()) start = std::min(start, previous(ahead_.begin()->first));
    start = std::max(start, previous(first));
    received_ = committed_ = start;
    start_known_ = true;
    start_is_a_guess_ = true;
}

void WriterProxy::on_first(SequenceNumber first) {
    if (first <= next(received_)) {
        unconfirmed_first_.reset();
        return;
    }
    if (unconfirmed_first_) {
        confirm(std::min(*unconfirmed_first_, first));
    } else if (!ahead_.empty() && std::prev(ahead_.end())->first >= first) {
        confirm(first);
        return;
    }
    unconfirmed_first_ = first;
}

void WriterProxy::confirm(SequenceNumber first) {
    absent_.insert({next(received_), previous(first)}, AbsentRanges::Reason::lost);
}

void WriterProxy::on_gap(const wire::Gap& gap, MonoTime now) {
    const SequenceNumber known = evidence();
    const auto add = [&](SequenceNumber first, SequenceNumber last) {
        first = std::max(first, next(received_));
        absent_.insert({first, std::min(last, known)}, AbsentRanges::Reason::irrelevant);
        if (last <= known) return;
        if (now - early_gaps_at_ >= early_gap_lifetime) early_gaps_.clear();
        early_gaps_at_ = now;
        early_gaps_.insert({std::max(first, next(known)), last}, AbsentRanges::Reason::irrelevant);
    };
    add(gap.start, previous(gap.list.base));
    gap.list.for_each([&add](SequenceNumber number) { add(number, number); });
}

void WriterProxy::apply_early_gaps(MonoTime now) {
    if (early_gaps_.empty()) return;
    if (now - early_gaps_at_ >= early_gap_lifetime) {
        early_gaps_.clear();
        return;
    }
    const SequenceNumber known = evidence();
    early_gaps_.erase_through(received_);
    auto range = early_gaps_.at_or_above(next(received_));
    while (range && range->numbers.first <= known) {
        absent_.insert({range->numbers.first, std::min(range->numbers.last, known)}, range->reason);
        range = early_gaps_.at_or_above(next(range->numbers.last));
    }
    early_gaps_.erase_through(known);
}

void WriterProxy::give_up(SequenceNumber number) {
    const Arrived place = classify(number);
    if (place != Arrived::in_order && place != Arrived::ahead) return;
    absent_.insert({number, number}, AbsentRanges::Reason::lost);
    highest_data_ = std::max(highest_data_, number);
}

bool WriterProxy::commit(SequenceNumber through) {
    const SequenceNumber safe = std::min(through, received_);
    if (safe <= committed_) return false;
    committed_ = safe;
    return true;
}

void WriterProxy::advance(HeldBytes& held, std::vector<ReceivedSample>& out) {
    if (!start_known_) return;
    while (deliver_held(held, out) || skip_absent(out)) {
    }
    absent_.erase_through(received_);
    if (unconfirmed_first_ && *unconfirmed_first_ <= next(received_)) unconfirmed_first_.reset();
}

bool WriterProxy::deliver_held(HeldBytes& held, std::vector<ReceivedSample>& out) {
    if (ahead_.empty()) return false;
    const auto lowest = ahead_.begin();
    // A guess that was lowered, or a start above what was held, may leave older ones behind.
    if (lowest->first > next(received_)) return false;
    held.used -= lowest->second.bytes();
    if (lowest->first == next(received_)) {
        out.push_back(std::move(lowest->second));
        delivered(lowest->first);
    }
    ahead_.erase(lowest);
    return true;
}

bool WriterProxy::skip_absent(std::vector<ReceivedSample>& out) {
    const SequenceNumber first = next(received_);
    const auto range = absent_.at_or_above(first);
    if (!range || range->numbers.first > first) return false;
    SequenceNumber through = range->numbers.last;
    if (!ahead_.empty()) through = std::min(through, previous(ahead_.begin()->first));
    if (through < first) return false;

    ReceivedSample skipped;
    skipped.writer = guid_;
    skipped.first = first;
    skipped.number = skipped.through = through;
    skipped.irrelevant = true;
    skipped.lost = range->reason == AbsentRanges::Reason::lost;
    out.push_back(std::move(skipped));
    if (range->reason == AbsentRanges::Reason::lost) {
        lost_ += static_cast<std::uint64_t>(through.value - first.value) + 1U;
    }
    delivered(through);
    return true;
}

void WriterProxy::flush(HeldBytes& held, std::vector<ReceivedSample>& out) {
    if (!start_known_ && !ahead_.empty()) {
        received_ = committed_ = previous(ahead_.begin()->first);
        start_known_ = true;
    }
    advance(held, out);
    while (!ahead_.empty()) {
        absent_.insert({next(received_), previous(ahead_.begin()->first)},
                       AbsentRanges::Reason::lost);
        advance(held, out);
    }
}

void WriterProxy::discard_held(HeldBytes& held) {
    for (const auto& [number, sample] : ahead_)
        held.used -= sample.bytes();
    ahead_.clear();
}

std::optional<SequenceNumber> WriterProxy::first_missing(SequenceNumber from) const {
    if (!start_known_) return std::nullopt;
    SequenceNumber number = std::max(from, next(received_));
    auto held = ahead_.lower_bound(number);
    while (number <= heartbeat_last_) {
        while (held != ahead_.end() && held->first < number)
            ++held;
        if (held != ahead_.end() && held->first == number) {
            ++number;
            continue;
        }
        const auto range = absent_.at_or_above(number);
        if (!range || !range->numbers.contains(number)) return number;
        number = next(range->numbers.last);
        if (held != ahead_.end() && held->first < number) held = ahead_.lower_bound(number);
    }
    return std::nullopt;
}

std::uint64_t WriterProxy::missing_count() const {
    if (!start_known_ || heartbeat_last_ <= received_) return 0;
    const auto span = static_cast<std::uint64_t>(heartbeat_last_.value - received_.value);
    std::uint64_t here = absent_.count_in({next(received_), heartbeat_last_});
    for (const auto& [number, sample] : ahead_) {
        if (number <= heartbeat_last_ && !is_absent(number)) ++here;
    }
    return here < span ? span - here : 0;
}

}  // namespace durability::rtps
