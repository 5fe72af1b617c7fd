#include "rtps/replay_reader.hpp"

#include "wire/inline_qos.hpp"

#include <algorithm>
#include <iterator>

namespace durability::rtps {
namespace {

// Room left in a datagram for what precedes the payload: RTPS header, INFO_DST, INFO_TS, DATA_FRAG
// header and a HEARTBEAT that may share it.
constexpr std::size_t datagram_overhead = 20 + 16 + 12 + 36 + 32;
// Repairs that may wait for the store; more are asked for again by the reader.
constexpr std::size_t max_repairs = 256;

std::size_t wire_size(const ReplaySample& sample) {
    return sample.payload.size() + sample.inline_qos.size() + 36;
}

}  // namespace

// A reader that is owed nothing does not need it, and others of its process that are still behind
// would take it for the end of their history (fact sheet 12.1).
bool ReplayReader::needs_empty_heartbeat(const ReplayContext& context) const {
    return !context.process_confirmed && !context.singly && samples_owned_ > 0;
}

bool ReplayReader::owns(SequenceNumber number) const {
    const auto range = std::ranges::lower_bound(owned_, number, {}, &SequenceRange::last);
    return range != owned_.end() && range->first <= number;
}

bool ReplayReader::owns_any(SequenceRange range) const {
    const auto number = next_owned(range.first);
    return number && *number <= range.last;
}

std::optional<SequenceNumber> ReplayReader::next_owned(SequenceNumber from) const {
    const auto range = std::ranges::lower_bound(owned_, from, {}, &SequenceRange::last);
    if (range == owned_.end()) return std::nullopt;
    return std::max(range->first, from);
}

std::uint64_t ReplayReader::owned_below(SequenceNumber end) const {
    std::int64_t count = 0;
    for (const SequenceRange& range : owned_) {
        if (range.first >= end) break;
        count += std::min(next(range.last), end).value - range.first.value;
    }
    if (end_ && *end_ < end && owns(*end_)) --count;
    return static_cast<std::uint64_t>(count);
}

ReplayReader::Loaded* ReplayReader::find_loaded(SequenceNumber number) {
    const auto found = std::ranges::lower_bound(loaded_, number, {}, &Loaded::number);
    return found != loaded_.end() && found->number == number ? &*found : nullptr;
}

std::uint32_t ReplayReader::fragment_count(const ReplaySample& sample,
                                           const ReplayContext& context) const {
    const std::size_t room = context.options.max_datagram - datagram_overhead;
    if (sample.payload.size() + sample.inline_qos.size() <= room) return 0;
    const std::size_t size = context.options.fragment_size;
    return static_cast<std::uint32_t>((sample.payload.size() + size - 1) / size);
}

bool ReplayReader::is_open(SequenceRange range) const {
    return std::ranges::any_of(open_, [&](const SequenceRange& open) {
        return open.first <= range.last && range.first <= open.last;
    });
}

void ReplayReader::close(const std::vector<SequenceRange>& owned, MonoTime now) {
    if (open_.empty()) return;
    open_.clear();
    // All of them are above what it owned before.
    owned_.insert(owned_.end(), owned.begin(), owned.end());
    if (end_ && !owned_.empty()) owned_.push_back({*end_, *end_});
    samples_owned_ = owned_below(next(high_));
    heartbeat_delay_ = {};
    heartbeat_due_ = traits_.reliable && !complete() ? now : MonoTime::max();
}

void ReplayReader::begin(std::vector<SequenceRange> owned,
                         std::vector<SequenceRange> open,
                         SequenceNumber high,
                         MonoTime now,
                         std::optional<SequenceNumber> end) {
    begun_ = true;
    owned_ = std::move(owned);
    open_ = std::move(open);
    end_ = end;
    if (end_) (open_.empty() ? owned_ : open_).push_back({*end_, *end_});
    high_ = high;
    samples_owned_ = owned_below(next(high_));
    heartbeat_delay_ = {};
    heartbeat_due_ = traits_.reliable ? now : MonoTime::max();
}

std::size_t ReplayReader::supersede(std::uint64_t instance,
                                    const std::function<bool(Timestamp)>& is_replaced,
                                    MonoTime now) {
    std::size_t count = 0;
    for (Loaded& loaded : loaded_) {
        ReplaySample& sample = loaded.sample;
        if (!sample.available || sample.instance != instance ||
            !is_replaced(sample.source_timestamp)) {
            continue;
        }
        // Its size stays what was counted.
        sample.available = false;
        charge(loaded, 0);
        ++count;
        if (loaded.number < next_send_ && traits_.reliable) heartbeat_due_ = now;
    }
    return count;
}

void ReplayReader::extend(SequenceNumber high, MonoTime now) {
    if (!begun_ || high <= high_) return;
    high_ = high;
    heartbeat_delay_ = {};
    if (traits_.reliable) heartbeat_due_ = now;
}

void ReplayReader::charge(Loaded& loaded, std::size_t octets) {
    in_flight_ = in_flight_ - loaded.charged + octets;
    loaded.charged = octets;
}

void ReplayReader::number_set(SequenceNumber number, ReplaySample& sample) {
    if (!sample.available || !sample.coherent_set) return;
    auto set = std::ranges::upper_bound(sets_, number, {}, &LoadedSet::first);
    if (set == sets_.begin() || std::prev(set)->id != *sample.coherent_set) {
        set = std::next(sets_.insert(set, {number, *sample.coherent_set}));
    }
    wire::add_coherent_set(sample.inline_qos, std::prev(set)->first);
}

void ReplayReader::acknowledge(SequenceNumber base) {
    if (base <= acked_) return;
    acked_ = base;
    while (!loaded_.empty() && loaded_.front().number < base) {
        Loaded& front = loaded_.front();
        // A number acknowledged before it was sent reached the reader through another of its
        // process.
        if (front.number >= next_send_) loaded_octets_ -= wire_size(front.sample);
        charge(front, 0);
        if (front.fragments > 0) --fragmented_;
        loaded_.pop_front();
    }
    next_send_ = std::max(next_send_, base);
    next_load_ = std::max(next_load_, base);
    while (sets_.size() > 1 && sets_[1].first <= base)
        sets_.pop_front();
    std::erase_if(repairs_, [base](SequenceNumber number) { return number < base; });
    heartbeat_delay_ = {};
    if (settled()) heartbeat_due_ = MonoTime::max();
}

void ReplayReader::on_acknack(const wire::AckNack& acknack,
                              const ReplayContext& context,
                              MonoTime now,
                              Outbox& out) {
    // While its share is being worked out it is shown nothing, not even an empty range: that would
    // end the time in which readers of a Cyclone DDS process can share one run, and take the chance
    // to address this one alone.
    if (!begun_) return;
    if (acknack.state.base > next(high_)) return;  // claims what it was never offered
    acknowledge(acknack.state.base);
    repair(acknack.state, context, now, out);
    if (!acknack.final && !settled()) heartbeat_due_ = now;
    if (!acknack.final && settled()) send_heartbeat(context, now, out);
}

void ReplayReader::repair(const wire::SequenceNumberSet& wanted,
                          const ReplayContext& context,
                          MonoTime now,
                          Outbox& out) {
    std::optional<SequenceRange> gap;
    bool repaired = false;
    wanted.for_each([&](SequenceNumber number) {
        // What was not sent yet comes in any case.
        if (number >= next_send_ || number > high_) return;
        repaired = true;
        if (owns(number)) {
            repair_one(number, context, now, out);
            return;
        }
        if (gap && next(gap->last) == number) {
            gap->last = number;
            return;
        }
        if (gap) send_gap(*gap, context, out);
        gap = SequenceRange{number, number};
    });
    if (gap) send_gap(*gap, context, out);
    if (repaired) heartbeat_due_ = now;
}

void ReplayReader::repair_one(SequenceNumber number,
                              const ReplayContext& context,
                              MonoTime now,
                              Outbox& out) {
    if (number == end_) return send_end(context, out);
    Loaded* loaded = find_loaded(number);
    if (loaded == nullptr) {
        const bool known = std::ranges::find(repairs_, number) != repairs_.end();
        if (!known && repairs_.size() < max_repairs) repairs_.push_back(number);
        return;
    }
    if (loaded->repaired != MonoTime::min() &&
        now - loaded->repaired < context.options.repair_interval)
        return;
    loaded->repaired = now;
    if (!loaded->sample.available) {
        send_gap({number, number}, context, out);
        return;
    }
    if (loaded->fragments == 0) {
        send_data(number, loaded->sample, context, out);
        return;
    }
    // Nothing of it arrived: its fragments go out again under the window, from pump().
    loaded->fragments_sent = 0;
    loaded->fragments_acked = 0;
    charge(*loaded, 0);
}

void ReplayReader::on_nack_frag(const wire::NackFrag& nack,
                                const ReplayContext& context,
                                MonoTime now,
                                Outbox& out) {
    if (!begun_ || nack.number >= next_send_) return;
    Loaded* loaded = find_loaded(nack.number);
    if (loaded == nullptr || !loaded->sample.available) {
        if (owns(nack.number)) repair_one(nack.number, context, now, out);
        return;
    }
    const std::uint32_t confirmed = nack.state.base.value - 1;
    if (confirmed > loaded->fragments_sent || loaded->fragments == 0) return;
    if (confirmed > loaded->fragments_acked) {
        loaded->fragments_acked = confirmed;
        loaded->repaired = MonoTime::min();
        heartbeat_delay_ = {};
    }
    charge(*loaded,
           std::size_t{loaded->fragments_sent - loaded->fragments_acked} *
               context.options.fragment_size);
    if (loaded->repaired != MonoTime::min() &&
        now - loaded->repaired < context.options.repair_interval / 2)
        return;
    bool repaired = false;
    nack.state.for_each([&](FragmentNumber fragment) {
        if (fragment.value > loaded->fragments_sent) return;
        send_fragment(nack.number, loaded->sample, fragment.value, context, out);
        repaired = true;
    });
    if (!repaired) return;
    loaded->repaired = now;
    heartbeat_due_ = now;
}

void ReplayReader::pump(const ReplayContext& context, MonoTime now, Outbox& out) {
    if (!begun_) return;
    if (context.barrier != max_sequence_number) {
        // A HEARTBEAT or the numbers below the barrier would make it one of those in sync, which
        // the GAP for the others then moves along. The writer calls again when the barrier is
        // lifted.
        heartbeat_due_ = MonoTime::max();
        return;
    }
    pace(context, now);
    while (send_next(context, out)) {
        if (since_heartbeat_ >= context.options.window / 4 && pace_due_ == MonoTime::max())
            send_heartbeat(context, now, out);
    }
    if (!traits_.reliable) return;
    const Loaded* begun = under_way();
    if (begun == nullptr) {
        pace_due_ = MonoTime::max();
    } else if (pace_due_ == MonoTime::max()) {
        // The window is full now; what it takes the reader to empty its buffer.
        const auto steps = context.options.window / context.options.paced_octets + 1;
        pace_due_ = after(now, context.options.pace_interval * static_cast<int>(steps));
    }
    // While a sample is under way an answer could only ask for what is on its way.
    if ((since_heartbeat_ > 0 && begun == nullptr) || heartbeat_due_ <= now)
        send_heartbeat(context, now, out);
}

ReplayReader::Loaded* ReplayReader::under_way() {
    // Looked for only where there are any: thousands of small ones may be under way.
    if (fragmented_ == 0) return nullptr;
    for (Loaded& loaded : loaded_) {
        if (loaded.number >= next_send_) break;
        if (loaded.fragments_sent < loaded.fragments && loaded.sample.available) return &loaded;
    }
    return nullptr;
}

void ReplayReader::pace(const ReplayContext& context, MonoTime now) {
    paced_left_ = 0;
    if (pace_due_ > now) return;
    paced_left_ = context.options.paced_octets;
    pace_due_ = after(now, context.options.pace_interval);
}

// One datagram's worth at most; false when nothing may be sent now.
bool ReplayReader::send_next(const ReplayContext& context, Outbox& out) {
    const bool window_open = !traits_.reliable || in_flight_ < context.options.window;
    if (!window_open && paced_left_ == 0) return false;
    // Large samples that are under way, or asked for again from their first fragment.
    if (Loaded* const loaded = under_way()) {
        if (!window_open) paced_left_ -= std::min(paced_left_, context.options.fragment_size);
        return send_loaded(*loaded, context, out);
    }
    if (!window_open || next_send_ > sendable()) return false;
    if (needs_empty_heartbeat(context) && traits_.reliable && next_send_ == SequenceNumber{1} &&
        since_heartbeat_ == 0) {
        send_empty_heartbeat(context, out);
    }
    const auto owned = next_owned(next_send_);
    const SequenceNumber stop = owned ? *owned : next(sendable());
    if (stop > next_send_) {
        if (traits_.reliable) {
            send_gap({next_send_, previous(stop)}, context, out);
            since_heartbeat_ += 1;
        }
        next_send_ = stop;
        return true;
    }
    if (!owned || *owned >= context.barrier) return false;
    if (owned == end_) {
        send_end(context, out);
        next_send_ = next(*owned);
        if (!traits_.reliable) acknowledge(next_send_);
        return true;
    }
    Loaded* loaded = find_loaded(*owned);
    if (loaded == nullptr) return false;  // being read
    next_send_ = next(*owned);
    loaded_octets_ -= wire_size(loaded->sample);
    if (!loaded->sample.available) {
        if (traits_.reliable) {
            send_gap({*owned, *owned}, context, out);
            since_heartbeat_ += 1;
        }
        return true;
    }
    return send_loaded(*loaded, context, out);
}

bool ReplayReader::send_loaded(Loaded& loaded, const ReplayContext& context, Outbox& out) {
    const std::uint32_t fragments = loaded.fragments;
    if (fragments == 0) {
        send_data(loaded.number, loaded.sample, context, out);
        charge(loaded, wire_size(loaded.sample));
    } else {
        ++loaded.fragments_sent;
        send_fragment(loaded.number, loaded.sample, loaded.fragments_sent, context, out);
        charge(loaded,
               std::size_t{loaded.fragments_sent - loaded.fragments_acked} *
                   context.options.fragment_size);
    }
    // A best-effort reader acknowledges nothing: what was sent is done.
    if (!traits_.reliable && loaded.fragments_sent == fragments) acknowledge(next(loaded.number));
    return true;
}

void ReplayReader::send_data(SequenceNumber number,
                             const ReplaySample& sample,
                             const ReplayContext& context,
                             Outbox& out) {
    wire::DataFields fields;
    fields.reader = guid_.entity;
    fields.writer = context.writer;
    fields.number = number;
    fields.inline_qos = sample.inline_qos;
    fields.payload = sample.payload;
    fields.payload_kind = sample.payload_kind;
    out.data(destination_, fields, sample.source_timestamp);
    since_heartbeat_ += wire_size(sample);
}

// Nothing but the end of the set before it (8.7.6).
void ReplayReader::send_end(const ReplayContext& context, Outbox& out) {
    ReplaySample nothing;
    nothing.payload_kind = PayloadKind::none;
    wire::InlineQos qos;
    qos.coherent_set = wire::no_coherent_set;
    wire::encode_inline_qos(nothing.inline_qos, qos);
    send_data(*end_, nothing, context, out);
}

void ReplayReader::send_fragment(SequenceNumber number,
                                 const ReplaySample& sample,
                                 std::uint32_t fragment,
                                 const ReplayContext& context,
                                 Outbox& out) {
    const std::size_t size = context.options.fragment_size;
    const std::size_t offset = std::size_t{fragment - 1} * size;
    wire::DataFragFields fields;
    fields.reader = guid_.entity;
    fields.writer = context.writer;
    fields.number = number;
    fields.first = FragmentNumber{fragment};
    fields.count = 1;
    fields.fragment_size = static_cast<std::uint16_t>(size);
    fields.sample_size = static_cast<std::uint32_t>(sample.payload.size());
    // Timestamp and inline QoS count from the first fragment in every vendor (fact sheet 6.4);
    // repeating the inline QoS with each would only cost.
    if (fragment == 1) fields.inline_qos = sample.inline_qos;
    fields.payload = sample.payload.subspan(offset, std::min(size, sample.payload.size() - offset));
    fields.key = sample.payload_kind == PayloadKind::key;
    out.data_frag(destination_, fields, sample.source_timestamp);
    since_heartbeat_ += fields.payload.size();
}

void ReplayReader::send_gap(SequenceRange range, const ReplayContext& context, Outbox& out) const {
    wire::Gap gap;
    gap.reader = guid_.entity;
    gap.writer = context.writer;
    gap.start = range.first;
    gap.list.base = next(range.last);
    out.gap(destination_, gap);
}

void ReplayReader::put_heartbeat(SequenceNumber last,
                                 bool final,
                                 const ReplayContext& context,
                                 Outbox& out,
                                 bool liveliness) const {
    wire::Heartbeat heartbeat;
    heartbeat.reader = guid_.entity;
    heartbeat.writer = context.writer;
    heartbeat.first = SequenceNumber{1};
    heartbeat.last = last;
    heartbeat.count = context.heartbeat_count++;
    heartbeat.final = final;
    heartbeat.liveliness = liveliness;
    out.heartbeat(destination_, heartbeat);
}

void ReplayReader::put_liveliness(const ReplayContext& context, Outbox& out) const {
    put_heartbeat(begun_ ? previous(acked_) : SequenceNumber{0}, true, context, out, true);
}

void ReplayReader::send_empty_heartbeat(const ReplayContext& context, Outbox& out) const {
    put_heartbeat(SequenceNumber{0}, true, context, out);
}

// Shows the reader what it was sent so far and asks for an answer.
void ReplayReader::send_heartbeat(const ReplayContext& context, MonoTime now, Outbox& out) {
    since_heartbeat_ = 0;
    if (needs_empty_heartbeat(context)) send_empty_heartbeat(context, out);
    // With nothing outstanding the reader need not answer; it only learns that it is complete.
    const bool shows_all = traits_.shares_position && (context.singly || !open_.empty());
    put_heartbeat(shows_all ? high_ : previous(next_send_), settled(), context, out);
    if (settled()) {
        heartbeat_due_ = MonoTime::max();
        return;
    }
    heartbeat_delay_ = heartbeat_delay_ == Duration{}
                           ? context.options.first_heartbeat_delay
                           : std::min(heartbeat_delay_ * 2, context.options.max_heartbeat_delay);
    heartbeat_due_ = after(now, heartbeat_delay_);
}

std::vector<Arrival> ReplayReader::next_repair_read(const ReplayContext& context) {
    std::vector<Arrival> arrivals;
    PendingRead read{true, {}};
    std::ranges::sort(repairs_);
    for (const SequenceNumber number : repairs_) {
        const auto arrival = context.numbers.find(number);
        if (!arrival) continue;  // of an earlier run of the daemon; owned numbers are always known
        read.numbers.push_back(number);
        arrivals.push_back(*arrival);
    }
    repairs_.clear();
    if (!arrivals.empty()) reading_ = std::move(read);
    return arrivals;
}

bool ReplayReader::wants_read(const ReplayOptions& options) const {
    if (!begun_ || reading_) return false;
    if (!repairs_.empty()) return true;
    return loaded_octets_ < options.read_ahead / 2 && next_owned(next_load_).has_value();
}

std::vector<Arrival> ReplayReader::next_read(const ReplayContext& context) {
    if (!wants_read(context.options)) return {};
    if (!repairs_.empty()) return next_repair_read(context);
    std::vector<Arrival> arrivals;
    PendingRead read;
    while (arrivals.size() < context.options.max_samples_read) {
        const auto number = next_owned(next_load_);
        if (!number) break;
        next_load_ = next(*number);
        const auto arrival = context.numbers.find(*number);
        if (!arrival) continue;
        read.numbers.push_back(*number);
        arrivals.push_back(*arrival);
    }
    if (!arrivals.empty()) reading_ = std::move(read);
    return arrivals;
}

void ReplayReader::provide(std::vector<ReplaySample> samples,
                           const ReplayContext& context,
                           MonoTime now,
                           Outbox& out) {
    if (!reading_) return;
    const PendingRead read = std::move(*reading_);
    reading_.reset();
    const std::size_t provided = std::min(read.numbers.size(), samples.size());
    if (provided < read.numbers.size()) {
        const auto rest = read.numbers.begin() + static_cast<std::ptrdiff_t>(provided);
        if (read.repair) {
            repairs_.insert(repairs_.end(), rest, read.numbers.end());
        } else {
            next_load_ = std::max(*rest, acked_);
        }
    }
    for (std::size_t i = 0; i < provided; ++i) {
        const SequenceNumber number = read.numbers[i];
        if (number < acked_) continue;
        number_set(number, samples[i]);
        if (!read.repair) {
            loaded_octets_ += wire_size(samples[i]);
            const std::uint32_t fragments = fragment_count(samples[i], context);
            if (fragments > 0) ++fragmented_;
            loaded_.push_back(
                Loaded{number, std::move(samples[i]), fragments, 0, 0, 0, MonoTime::min()});
            continue;
        }
        if (!samples[i].available) {
            send_gap({number, number}, context, out);
        } else if (const std::uint32_t fragments = fragment_count(samples[i], context);
                   fragments == 0) {
            send_data(number, samples[i], context, out);
        } else {
            for (std::uint32_t f = 1; f <= fragments; ++f)
                send_fragment(number, samples[i], f, context, out);
        }
        heartbeat_due_ = now;
    }
}

}  // namespace durability::rtps
