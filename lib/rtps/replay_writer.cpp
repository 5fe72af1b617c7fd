#include "rtps/replay_writer.hpp"

#include <algorithm>

namespace durability::rtps {
namespace {

// A reader of a live process answers a HEARTBEAT within milliseconds; one that does not for this
// long is broken, and the reader that waits for it is served all the same.
constexpr Duration barrier_patience = std::chrono::seconds{10};

}  // namespace

ReplayWriter::ReplayWriter(EntityId own, ReplayOptions options)
    : own_(own), options_(options), heartbeat_count_(options.first_count) {}

void ReplayWriter::resume_process(const GuidPrefix& process, ReplayNumbers numbers) {
    Process& entry = processes_[process];
    if (entry.numbers.last() >= numbers.last()) return;
    entry.numbers = std::move(numbers);
    entry.contacted = true;
    entry.confirmed = true;
}

void ReplayWriter::match(const Guid& reader,
                         DestinationPtr destination,
                         ReplayReaderTraits traits) {
    if (index_.contains(reader)) return;
    Process& process = processes_[reader.prefix];
    process.readers.push_back(
        std::make_unique<ReplayReader>(reader, std::move(destination), traits));
    index_.emplace(reader, process.readers.back().get());
}

void ReplayWriter::unmatch(const Guid& reader) {
    if (index_.erase(reader) == 0) return;
    const auto entry = processes_.find(reader.prefix);
    if (entry == processes_.end()) return;
    Process& process = entry->second;
    std::erase_if(process.readers, [&](const auto& known) { return known->guid() == reader; });
    // The numbers stay: Cyclone DDS keeps its proxy writer, and with it the position, without
    // readers.
}

void ReplayWriter::forget_process(const GuidPrefix& process) {
    const auto entry = processes_.find(process);
    if (entry == processes_.end()) return;
    for (const auto& reader : entry->second.readers)
        index_.erase(reader->guid());
    processes_.erase(entry);
}

bool ReplayWriter::is_matched(const Guid& reader) const {
    return index_.contains(reader);
}

bool ReplayWriter::process_contacted(const GuidPrefix& process) const {
    const auto entry = processes_.find(process);
    return entry != processes_.end() && entry->second.contacted;
}

const ReplayNumbers* ReplayWriter::numbers(const GuidPrefix& process) const {
    const auto entry = processes_.find(process);
    return entry == processes_.end() ? nullptr : &entry->second.numbers;
}

std::vector<GuidPrefix> ReplayWriter::processes() const {
    std::vector<GuidPrefix> result;
    for (const auto& [process, known] : processes_)
        result.push_back(process);
    return result;
}

std::optional<Arrival> ReplayWriter::first_unacknowledged(const Guid& reader) const {
    const auto entry = index_.find(reader);
    const auto process = processes_.find(reader.prefix);
    if (entry == index_.end() || process == processes_.end()) return std::nullopt;
    const auto number = entry->second->first_unacknowledged();
    // The number behind a set stands for no sample; then everything before it is acknowledged.
    return number ? process->second.numbers.find(*number) : std::nullopt;
}

ReplayReader* ReplayWriter::find(const Guid& reader) {
    const auto entry = index_.find(reader);
    return entry == index_.end() ? nullptr : entry->second;
}

void ReplayWriter::number(const GuidPrefix& process,
                          std::span<const ArrivalRange> history,
                          std::span<const ArrivalRange> open) {
    const auto entry = processes_.find(process);
    if (entry == processes_.end()) return;
    ReplayNumbers& numbers = entry->second.numbers;
    const std::vector<SequenceRange> owned = numbers.assign(history).owned;
    numbers.assign(open, owned.empty() ? SequenceNumber{0} : owned.back().last);
}

void ReplayWriter::prepare(const Guid& reader,
                           std::span<const ArrivalRange> history,
                           std::span<const ArrivalRange> open,
                           bool ends_sets) {
    const ReplayReader* target = find(reader);
    if (target == nullptr || target->begun()) return;
    Process& process = processes_.at(reader.prefix);
    Process::Prepared& prepared = process.prepared[reader];
    prepared.owned = process.numbers.assign(history).owned;
    const SequenceNumber above =
        prepared.owned.empty() ? SequenceNumber{0} : prepared.owned.back().last;
    prepared.open = process.numbers.assign(open, above).owned;
    prepared.end.reset();
    if (ends_sets && !(prepared.owned.empty() && prepared.open.empty()))
        prepared.end = process.numbers.skip();
}

void ReplayWriter::begin(const Guid& reader, std::span<const ArrivalRange> history, MonoTime now) {
    prepare(reader, history);
    begin(reader, now);
}

void ReplayWriter::begin(const Guid& reader, MonoTime now, bool singly) {
    ReplayReader* target = find(reader);
    if (target == nullptr || target->begun()) return;
    Process& process = processes_.at(reader.prefix);
    process.singly = process.singly || singly;
    auto prepared = process.prepared.extract(reader);
    const Process::Prepared nothing;
    const Process::Prepared& share = prepared ? prepared.mapped() : nothing;
    target->begin(share.owned, share.open, process.numbers.last(), now, share.end);
    guard(process, *target, now);
}

void ReplayWriter::expect_single_reader(const GuidPrefix& process) {
    const auto found = processes_.find(process);
    if (found == processes_.end() || found->second.confirmed) return;
    const bool any_begun = std::ranges::any_of(found->second.readers,
                                               [](const auto& reader) { return reader->begun(); });
    found->second.singly = found->second.singly || any_begun;
}

void ReplayWriter::close(const Guid& reader, std::span<const ArrivalRange> send, MonoTime now) {
    ReplayReader* target = find(reader);
    if (target == nullptr || !target->begun() || target->open().empty()) return;
    Process& process = processes_.at(reader.prefix);
    std::vector<SequenceRange> owned;
    const auto is_sent = [&](SequenceNumber number) {
        const auto arrival = process.numbers.find(number);
        if (!arrival) return false;
        const auto range = std::ranges::lower_bound(send, *arrival, {}, &ArrivalRange::last);
        return range != send.end() && range->first <= *arrival;
    };
    for (const SequenceRange& open : target->open()) {
        if (send.empty()) break;
        for (SequenceNumber number = open.first; number <= open.last; number = next(number)) {
            if (!is_sent(number)) continue;
            if (!owned.empty() && next(owned.back().last) == number) {
                owned.back().last = number;
            } else {
                owned.push_back({number, number});
            }
        }
    }
    const bool was_settled = target->settled();
    target->close(owned, now);
    if (!owned.empty()) guard(process, *target, now);
    note_completion(*target, was_settled);
}

void ReplayWriter::guard(Process& process, const ReplayReader& target, MonoTime now) {
    if (!target.traits().shares_position) return;
    // Those above what each of them was told of, whether this reader or an earlier one made them.
    const SequenceNumber last = process.numbers.last();
    SequenceNumber from = next(last);
    const auto is_behind = [&](const auto& other) {
        return other.get() != &target && other->begun() && other->traits().reliable &&
               other->high() < last;
    };
    for (const auto& other : process.readers) {
        if (is_behind(other)) from = std::min(from, next(other->high()));
    }
    if (!target.owns_any({from, last})) return;
    for (const auto& other : process.readers) {
        if (is_behind(other)) other->extend(last, now);
    }
    process.barriers.push_back({from, last, after(now, barrier_patience)});
}

bool ReplayWriter::others_confirmed(const Process& process, const Process::Barrier& barrier) const {
    return std::ranges::all_of(process.readers, [&](const auto& other) {
        if (!other->begun() || !other->traits().reliable) return true;
        // Those that own numbers of the range wait with the first of them.
        // So do those to which they may still come.
        return other->high() < barrier.from || other->acked() > barrier.to ||
               other->owns_any({barrier.from, barrier.to}) ||
               other->is_open({barrier.from, barrier.to});
    });
}

void ReplayWriter::lift_barriers(Process& process, MonoTime now) {
    std::erase_if(process.barriers, [&](const Process::Barrier& barrier) {
        return now >= barrier.give_up || others_confirmed(process, barrier);
    });
}

ReplayContext ReplayWriter::context(Process& process, const ReplayReader& reader) {
    SequenceNumber barrier = max_sequence_number;
    for (const auto& entry : process.barriers) {
        if (reader.owns_any({entry.from, entry.to})) barrier = std::min(barrier, entry.from);
    }
    return ReplayContext{own_,
                         options_,
                         heartbeat_count_,
                         process.numbers,
                         process.confirmed,
                         barrier,
                         process.singly};
}

void ReplayWriter::note_completion(const ReplayReader& reader, bool was_settled) {
    if (!was_settled && reader.settled()) completed_.push_back({reader.guid()});
}

bool ReplayWriter::held(const Process& process, const ReplayReader& reader) {
    if (!reader.traits().shares_position || reader.samples_owned() > 0) return false;
    return std::ranges::any_of(process.readers, [](const auto& other) { return !other->begun(); });
}

void ReplayWriter::pump(Process& process, ReplayReader& reader, MonoTime now, Outbox& out) {
    if (!reader.begun() || held(process, reader)) return;
    const bool was_settled = reader.settled();
    process.contacted = true;
    reader.pump(context(process, reader), now, out);
    note_completion(reader, was_settled);
}

void ReplayWriter::on_acknack(const Guid& reader,
                              const wire::AckNack& acknack,
                              MonoTime now,
                              Outbox& out) {
    ReplayReader* target = find(reader);
    if (target == nullptr) return;
    Process& process = processes_.at(reader.prefix);
    // Cyclone DDS sets the final flag in every ACKNACK but the pre-emptive one.
    if (acknack.final || acknack.state.base.value > 1) process.confirmed = true;
    if (held(process, *target)) return;
    const bool was_settled = target->settled();
    process.contacted = true;
    target->on_acknack(acknack, context(process, *target), now, out);
    note_completion(*target, was_settled);
    if (!process.barriers.empty()) {
        lift_barriers(process, now);
        for (const auto& other : process.readers)
            pump(process, *other, now, out);
        return;
    }
    pump(process, *target, now, out);
}

void ReplayWriter::on_nack_frag(const Guid& reader,
                                const wire::NackFrag& nack,
                                MonoTime now,
                                Outbox& out) {
    ReplayReader* target = find(reader);
    if (target == nullptr) return;
    Process& process = processes_.at(reader.prefix);
    target->on_nack_frag(nack, context(process, *target), now, out);
    pump(process, *target, now, out);
}

void ReplayWriter::tick(MonoTime now, Outbox& out) {
    for (auto& [prefix, process] : processes_) {
        const std::size_t barriers = process.barriers.size();
        lift_barriers(process, now);
        const bool lifted = process.barriers.size() < barriers;
        for (const auto& reader : process.readers) {
            if (lifted || reader->next_deadline() <= now) pump(process, *reader, now, out);
        }
    }
    assert_liveliness(now, out);
}

MonoTime ReplayWriter::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const auto& [prefix, process] : processes_) {
        for (const auto& barrier : process.barriers)
            due = std::min(due, barrier.give_up);
        for (const auto& reader : process.readers) {
            if (!held(process, *reader)) due = std::min(due, reader->next_deadline());
        }
    }
    if (assertion_period_ != infinite_duration && !index_.empty())
        due = std::min(due, after(asserted_, assertion_period_));
    return due;
}

// The next one in the order of GUIDs after the last, in a circle.
ReplayReader* ReplayWriter::next_to_read() const {
    ReplayReader* chosen = nullptr;
    const auto comes_before = [this](const Guid& one, const Guid& other) {
        const bool one_later = one > read_last_;
        const bool other_later = other > read_last_;
        return one_later == other_later ? one < other : one_later;
    };
    for (const auto& [prefix, process] : processes_) {
        for (const auto& reader : process.readers) {
            if (chosen != nullptr && comes_before(chosen->guid(), reader->guid())) continue;
            if (reader->wants_read(options_)) chosen = reader.get();
        }
    }
    return chosen;
}

std::optional<ReplayRead> ReplayWriter::next_read() {
    while (ReplayReader* const reader = next_to_read()) {
        read_last_ = reader->guid();
        Process& process = processes_.at(reader->guid().prefix);
        std::vector<Arrival> arrivals = reader->next_read(context(process, *reader));
        if (!arrivals.empty())
            return ReplayRead{reader->guid(), std::move(arrivals), options_.read_ahead};
    }
    return std::nullopt;
}

void ReplayWriter::provide(const Guid& reader,
                           std::vector<ReplaySample> samples,
                           MonoTime now,
                           Outbox& out) {
    ReplayReader* target = find(reader);
    if (target == nullptr) return;
    Process& process = processes_.at(reader.prefix);
    target->provide(std::move(samples), context(process, *target), now, out);
    pump(process, *target, now, out);
}

std::size_t ReplayWriter::supersede(const Guid& reader,
                                    std::uint64_t instance,
                                    const std::function<bool(Timestamp)>& is_replaced,
                                    MonoTime now) {
    ReplayReader* target = find(reader);
    return target == nullptr ? 0 : target->supersede(instance, is_replaced, now);
}

std::optional<ReplayCompleted> ReplayWriter::next_completed() {
    if (completed_.empty()) return std::nullopt;
    const ReplayCompleted completed = completed_.front();
    completed_.pop_front();
    return completed;
}

std::optional<ReplayWriter::ReaderStatus> ReplayWriter::status(const Guid& reader) const {
    const auto entry = index_.find(reader);
    if (entry == index_.end()) return std::nullopt;
    const ReplayReader& known = *entry->second;
    return ReaderStatus{known.begun(),
                        known.complete(),
                        known.samples_owned(),
                        known.samples_sent(),
                        known.samples_acknowledged(),
                        previous(known.acked()),
                        known.high()};
}

}  // namespace durability::rtps
