// What a StatefulReader sends: acknowledgements, requests for samples and fragments, and when.
#include "rtps/stateful_reader.hpp"

#include <algorithm>
#include <utility>

namespace durability::rtps {

namespace {

// Large samples asked for with one ACKNACK; those behind them follow when these are complete.
constexpr std::size_t max_fragmented_samples = 8;
// However long a request has gone unanswered, a HEARTBEAT may repeat it after so many intervals.
constexpr int heartbeat_patience = 16;

constexpr FragmentNumber all_fragments{0xffffffffU};

}  // namespace

void StatefulReader::committed(const Guid& writer,
                               SequenceNumber through,
                               MonoTime now,
                               Outbox& outbox) {
    Writer* known = find(writer);
    if (known == nullptr || !known->proxy.commit(through)) return;
    send_acknack(*known, plan(*known, now), now, outbox);
}

void StatefulReader::answer(Writer& writer, Reply reply, MonoTime now, Outbox& outbox) {
    const Plan plan = this->plan(writer, now);
    if (plan.complete && reply == Reply::if_missing) return;
    // Of several HEARTBEATs in a row that can only be answered the same way, the last one is
    // answered.
    const bool same = writer.answered_at && next(writer.proxy.committed()) == writer.acked_base &&
                      plan.asks_nothing();
    if (same && now - *writer.answered_at < options_.answer_interval) {
        writer.answer_owed = true;
        schedule(writer, after(*writer.answered_at, options_.answer_interval));
        return;
    }
    if (plan.asks_nothing() && reply == Reply::if_missing) {
        if (writer.asked_at) schedule(writer, after(*writer.asked_at, repeat_after(writer)));
        return;
    }
    send_acknack(writer, plan, now, outbox);
}

// The shortest time between two requests for the same numbers: one interval, more while nothing
// comes.
Duration StatefulReader::repeat_after(const Writer& writer) const {
    return std::clamp(writer.repair_delay / 2,
                      options_.repair_interval,
                      options_.repair_interval * heartbeat_patience);
}

StatefulReader::Plan StatefulReader::plan(Writer& writer, MonoTime now) {
    Plan plan;
    const WriterProxy& proxy = writer.proxy;
    // What is received and not committed is neither acknowledged nor asked for: the base stays
    // below it.
    plan.numbers.base = next(proxy.committed());
    std::optional<SequenceNumber> missing = proxy.first_missing(next(proxy.received()));
    plan.complete = !missing;
    if (!missing) return plan;

    const Duration patience = repeat_after(writer);
    const bool repeat = !writer.asked_at || now - *writer.asked_at >= patience;
    plan.repeats = repeat;
    const bool assembling = fragments_.assemblies() != 0;
    while (missing && plan.numbers.fits(*missing)) {
        const bool partly_here = assembling && fragments_.contains(proxy.guid(), *missing);
        if (partly_here && plan.fragments.size() < max_fragmented_samples) {
            auto set = fragments_.ask(proxy.guid(), *missing, all_fragments, patience, now);
            if (set) plan.fragments.emplace_back(*missing, *set);
        }
        if (!partly_here && (repeat || *missing > writer.asked_through)) {
            plan.numbers.insert(*missing);
        }
        missing = proxy.first_missing(next(*missing));
    }
    return plan;
}

void StatefulReader::send_acknack(Writer& writer, const Plan& plan, MonoTime now, Outbox& outbox) {
    wire::AckNack acknack;
    acknack.reader = own_;
    acknack.writer = writer.proxy.guid().entity;
    acknack.state = plan.numbers;
    acknack.count = next_count(writer);
    acknack.final = plan.asks_nothing();
    outbox.acknack(writer.destination, acknack);
    for (const auto& [number, missing] : plan.fragments) {
        send_nack_frag(writer, number, missing, outbox);
    }
    writer.acked_base = plan.numbers.base;
    writer.answered_at = now;
    writer.answer_owed = false;
    if (!plan.asks_nothing()) note_request(writer, plan, now);
}

void StatefulReader::probe(const Guid& writer, MonoTime now, Outbox& outbox) {
    Writer* known = find(writer);
    if (known == nullptr) return;
    wire::AckNack acknack;
    acknack.reader = own_;
    acknack.writer = writer.entity;
    const bool fast_dds = known->destination->vendor == vendor::eprosima;
    acknack.state.base = fast_dds ? SequenceNumber{0} : next(known->proxy.committed());
    acknack.count = next_count(*known);
    acknack.final = false;
    outbox.acknack(known->destination, acknack);
    known->answered_at = now;
}

void StatefulReader::note_request(Writer& writer, const Plan& plan, MonoTime now) {
    SequenceNumber highest = plan.repeats ? SequenceNumber{0} : writer.asked_through;
    if (plan.numbers.num_bits != 0) {
        highest =
            std::max(highest, SequenceNumber{plan.numbers.base.value + plan.numbers.num_bits - 1});
    }
    if (!plan.fragments.empty()) highest = std::max(highest, plan.fragments.back().first);
    writer.asked_through = highest;
    writer.asked_at = now;
    ++writer.counters.requests;
    schedule(writer, after(now, writer.repair_delay));
    if (plan.repeats) {
        writer.repair_delay = std::min(writer.repair_delay * 2, options_.max_repair_interval);
    }
}

void StatefulReader::send_nack_frag(Writer& writer,
                                    SequenceNumber number,
                                    const wire::FragmentNumberSet& missing,
                                    Outbox& outbox) {
    wire::NackFrag nack_frag;
    nack_frag.reader = own_;
    nack_frag.writer = writer.proxy.guid().entity;
    nack_frag.number = number;
    nack_frag.state = missing;
    nack_frag.count = next_count(writer);
    outbox.nack_frag(writer.destination, nack_frag);
}

void StatefulReader::on_heartbeat_frag(const Guid& writer,
                                       const wire::HeartbeatFrag& heartbeat_frag,
                                       MonoTime now,
                                       Outbox& outbox) {
    Writer* known = find(writer);
    if (known == nullptr || heartbeat_frag.last.value == 0) return;
    const SequenceNumber number = heartbeat_frag.number;
    const Arrived place = known->proxy.classify(number);
    if (place != Arrived::in_order && place != Arrived::ahead) return;

    Plan plan;
    plan.repeats = !known->asked_at || now - *known->asked_at >= repeat_after(*known);
    if (fragments_.contains(writer, number)) {
        const auto missing =
            fragments_.ask(writer, number, heartbeat_frag.last, repeat_after(*known), now);
        if (!missing) return;
        plan.fragments.emplace_back(number, *missing);
    } else {
        // Nothing of it came, so nobody knows its size yet; the first few fragments will tell.
        if (!plan.repeats && number <= known->asked_through) return;
        wire::FragmentNumberSet missing;
        const std::uint32_t last = std::min(heartbeat_frag.last.value, wire::max_set_bits);
        for (std::uint32_t i = 1; i <= last; ++i)
            missing.insert(FragmentNumber{i});
        plan.fragments.emplace_back(number, missing);
    }
    send_nack_frag(*known, number, plan.fragments.front().second, outbox);
    note_request(*known, plan, now);
}

// Nobody answers before the writer's participant knows this reader, so this goes on for a while. A
// base of 0 makes Fast DDS answer at once, everybody else takes it for malformed (fact sheet 6.2);
// but a Fast DDS writer that knew the reader before a restart answers a real base only (12.3), so
// both are tried.
void StatefulReader::send_preemptive(Writer& writer, Outbox& outbox) {
    const SequenceNumber committed = writer.proxy.committed();
    const bool odd = writer.preemptive_sent % 2U == 1U;
    const bool zero = committed.value == 0 && writer.destination != nullptr &&
                      writer.destination->vendor == vendor::eprosima &&
                      !(writer.options.expects_resume && odd);
    wire::AckNack acknack;
    acknack.reader = own_;
    acknack.writer = writer.proxy.guid().entity;
    acknack.state.base = zero ? SequenceNumber{0} : next(committed);
    acknack.count = next_count(writer);
    acknack.final = false;
    outbox.acknack(writer.destination, acknack);
    ++writer.preemptive_sent;
}

void StatefulReader::tick(MonoTime now, Outbox& outbox, std::vector<ReceivedSample>& out) {
    if (now < earliest_) return;
    earliest_ = MonoTime::max();
    for (auto& [guid, writer] : writers_) {
        if (writer.due <= now) {
            writer.due = MonoTime::max();
            tick_writer(writer, now, outbox, out);
        }
        earliest_ = std::min(earliest_, writer.due);
    }
}

void StatefulReader::tick_writer(Writer& writer,
                                 MonoTime now,
                                 Outbox& outbox,
                                 std::vector<ReceivedSample>& out) {
    if (!writer.proxy.heartbeat_seen()) {
        if (writer.preemptive_sent >= options_.preemptive_retries) return;
        send_preemptive(writer, outbox);
        schedule(writer, after(now, writer.preemptive_delay));
        const Duration longest = writer.preemptive_sent < options_.eager_preemptive
                                     ? options_.eager_preemptive_interval
                                     : options_.max_preemptive_interval;
        writer.preemptive_delay = std::min(writer.preemptive_delay * 2, longest);
        return;
    }
    give_up_if_stuck(writer, now, out);
    const Plan plan = this->plan(writer, now);
    if (!plan.asks_nothing()) {
        if (writer.unanswered >= options_.limits.repair_retries) return;
        ++writer.unanswered;
        send_acknack(writer, plan, now, outbox);
        return;
    }
    if (writer.answer_owed) send_acknack(writer, plan, now, outbox);
    // Asked not long ago; what is missing beyond the window follows as commits move it.
    if (!plan.complete && writer.asked_at) {
        const MonoTime again = after(*writer.asked_at, repeat_after(writer));
        if (again > now) schedule(writer, again);
    }
}

void StatefulReader::schedule(Writer& writer, MonoTime at) {
    writer.due = std::min(writer.due, at);
    earliest_ = std::min(earliest_, at);
}

std::int32_t StatefulReader::next_count(Writer& writer) {
    // 0 is ignored by Fast DDS (fact sheet 6.2).
    if (writer.count == 0) ++writer.count;
    return static_cast<std::int32_t>(writer.count++);
}

}  // namespace durability::rtps
