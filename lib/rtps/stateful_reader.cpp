#include "rtps/stateful_reader.hpp"

#include <algorithm>
#include <utility>

namespace durability::rtps {

namespace {

// Borrows from the datagram.
void fill(ReceivedSample& sample, const Guid& writer, const wire::Data& data, Timestamp timestamp) {
    sample.writer = writer;
    sample.number = sample.through = sample.first = data.number;
    sample.payload_kind = data.payload_kind();
    sample.source_timestamp = timestamp;
    sample.order = data.order;
    sample.inline_qos = data.inline_qos;
    sample.payload = Payload::borrowed(data.payload);
}

}  // namespace

StatefulReader::Writer::Writer(const Guid& guid,
                               DestinationPtr to,
                               const MatchOptions& match,
                               const ReaderLimits& limits)
    : proxy(guid,
            {match.resume_after, match.wants_history},
            limits.reorder_samples_per_writer,
            limits.absent_ranges_per_writer),
      destination(std::move(to)),
      options(match) {}

StatefulReader::StatefulReader(EntityId own, ReaderOptions options)
    : own_(own), options_(options), fragments_(options.limits.fragments) {
    held_.limit = options.limits.reorder_bytes;
}

void StatefulReader::match(const Guid& writer,
                           DestinationPtr destination,
                           const MatchOptions& options,
                           MonoTime now) {
    unmatch(writer);
    Writer& added =
        writers_.try_emplace(writer, writer, std::move(destination), options, options_.limits)
            .first->second;
    added.count = static_cast<std::uint32_t>(options_.first_count);
    added.preemptive_delay = options_.preemptive_interval;
    added.repair_delay = options_.repair_interval;
    schedule(added, now);
}

void StatefulReader::set_destination(const Guid& writer, DestinationPtr destination) {
    if (Writer* known = find(writer)) known->destination = std::move(destination);
}

void StatefulReader::unmatch(const Guid& writer) {
    Writer* known = find(writer);
    if (known == nullptr) return;
    known->proxy.discard_held(held_);
    fragments_.erase(writer);
    last_found_ = nullptr;
    writers_.erase(writer);
}

void StatefulReader::unmatch(const Guid& writer, std::vector<ReceivedSample>& out) {
    Writer* known = find(writer);
    if (known == nullptr) return;
    known->proxy.flush(held_, out);
    unmatch(writer);
}

StatefulReader::Writer* StatefulReader::find(const Guid& writer) {
    if (last_found_ != nullptr && last_found_->proxy.guid() == writer) return last_found_;
    const auto known = writers_.find(writer);
    if (known == writers_.end()) return nullptr;
    last_found_ = &known->second;
    return last_found_;
}

void StatefulReader::on_data(const Guid& writer,
                             const wire::Data& data,
                             Timestamp timestamp,
                             MonoTime now,
                             std::vector<ReceivedSample>& out) {
    Writer* known = find(writer);
    if (known == nullptr) return;
    if (data.non_standard) {
        refuse_for_good(*known, data.number, now, out);
        return;
    }
    const Arrived place = known->proxy.classify(data.number);
    if (place == Arrived::duplicate) {
        ++known->counters.duplicates;
        return;
    }
    if (place == Arrived::refused) {
        ++known->counters.dropped;
        return;
    }
    if (place == Arrived::in_order) {
        fill(out.emplace_back(), writer, data, timestamp);
        after_delivery(*known, data.number, now, out);
        return;
    }
    ReceivedSample held;
    fill(held, writer, data, timestamp);
    hold(*known, std::move(held), now, out);
}

void StatefulReader::on_data_frag(const Guid& writer,
                                  const wire::DataFrag& data_frag,
                                  Timestamp timestamp,
                                  MonoTime now,
                                  std::vector<ReceivedSample>& out) {
    Writer* known = find(writer);
    if (known == nullptr) return;
    const Arrived place = known->proxy.classify(data_frag.number);
    if (place == Arrived::duplicate) {
        ++known->counters.duplicates;
        return;
    }
    if (place == Arrived::refused) {
        ++known->counters.dropped;
        return;
    }
    if (data_frag.non_standard) {
        refuse_for_good(*known, data_frag.number, now, out);
        return;
    }
    FragmentResult result = fragments_.add(writer, data_frag, timestamp, now);
    switch (result.verdict) {
        case FragmentVerdict::duplicate:
            return;
        case FragmentVerdict::mismatch:
        case FragmentVerdict::no_room:
            ++known->counters.dropped;
            return;
        case FragmentVerdict::too_large:
            refuse_for_good(*known, data_frag.number, now, out);
            return;
        case FragmentVerdict::stored:
            note_progress(*known);
            if (result.asked_arrived) schedule(*known, now);
            return;
        case FragmentVerdict::completed:
            break;
    }
    if (place == Arrived::in_order) {
        out.push_back(std::move(*result.sample));
        after_delivery(*known, data_frag.number, now, out);
    } else {
        hold(*known, std::move(*result.sample), now, out);
    }
}

void StatefulReader::after_delivery(Writer& writer,
                                    SequenceNumber number,
                                    MonoTime now,
                                    std::vector<ReceivedSample>& out) {
    writer.proxy.delivered(number);
    ++writer.counters.samples;
    if (writer.asked_at) note_progress(writer);
    if (!writer.proxy.plain()) {
        advance(writer, now, out);
        return;
    }
    settle(writer, now);
}

void StatefulReader::hold(Writer& writer,
                          ReceivedSample sample,
                          MonoTime now,
                          std::vector<ReceivedSample>& out) {
    if (!writer.proxy.hold(std::move(sample), held_, now)) {
        ++writer.counters.dropped;
        return;
    }
    note_progress(writer);
    // It may have confirmed that what is missing before it will not come.
    advance(writer, now, out);
}

void StatefulReader::advance(Writer& writer, MonoTime now, std::vector<ReceivedSample>& out) {
    const std::size_t before = out.size();
    writer.proxy.advance(held_, out);
    if (out.size() > before) note_progress(writer);
    for (std::size_t i = before; i < out.size(); ++i) {
        if (!out[i].irrelevant) ++writer.counters.samples;
    }
    settle(writer, now);
}

void StatefulReader::settle(Writer& writer, MonoTime now) {
    fragments_.erase_through(writer.proxy.guid(), writer.proxy.received());
    if (options_.ack == AckPolicy::on_receipt) writer.proxy.commit(writer.proxy.received());
    if (!writer.asked_at) return;
    if (writer.proxy.received() < writer.asked_through) return;
    // What was asked for is here; the next request need not wait for a HEARTBEAT.
    writer.asked_at.reset();
    writer.asked_through = {0};
    if (writer.proxy.first_missing(next(writer.proxy.received()))) schedule(writer, now);
}

void StatefulReader::note_progress(Writer& writer) const {
    writer.unanswered = 0;
    writer.repair_delay = options_.repair_interval;
    writer.stuck_rounds = 0;
}

// A sample that can never be taken: kept out for good, so that those behind it are not.
void StatefulReader::refuse_for_good(Writer& writer,
                                     SequenceNumber number,
                                     MonoTime now,
                                     std::vector<ReceivedSample>& out) {
    writer.proxy.give_up(number);
    advance(writer, now, out);
}

void StatefulReader::on_gap(const Guid& writer,
                            const wire::Gap& gap,
                            MonoTime now,
                            std::vector<ReceivedSample>& out) {
    Writer* known = find(writer);
    if (known == nullptr) return;
    known->proxy.on_gap(gap, now);
    advance(*known, now, out);
}

void StatefulReader::on_heartbeat(const Guid& writer,
                                  const wire::Heartbeat& heartbeat,
                                  MonoTime now,
                                  Outbox& outbox,
                                  std::vector<ReceivedSample>& out) {
    Writer* known = find(writer);
    if (known == nullptr) return;
    // Some implementations call an empty history 0..0 (R10.1).
    const SequenceNumber first = std::max(heartbeat.first, SequenceNumber{1});
    if (heartbeat.last < previous(first) || heartbeat.last > max_sequence_number) return;
    if (!known->proxy.accept_heartbeat_count(heartbeat.count, now)) return;

    known->proxy.on_heartbeat(first, heartbeat.last, now);
    known->unanswered = 0;
    advance(*known, now, out);
    count_stuck_round(*known, now);
    // An acknowledgement of what was stored under the old numbering would be beyond its last
    // number.
    if (known->proxy.numbering_restarted()) return;
    answer(*known, heartbeat.final ? Reply::if_missing : Reply::always, now, outbox);
}

// Asked for, and the writer spoke since, but not of that: one more round without it.
void StatefulReader::count_stuck_round(Writer& writer, MonoTime now) {
    if (!writer.asked_at) return;
    const auto missing = writer.proxy.first_missing(next(writer.proxy.received()));
    if (!missing || *missing > writer.asked_through) return;
    if (*missing != writer.stuck_at || writer.stuck_rounds == 0) {
        writer.stuck_at = *missing;
        writer.stuck_since = now;
        writer.stuck_rounds = 0;
    }
    ++writer.stuck_rounds;
    if (writer.stuck_rounds >= options_.limits.give_up_rounds) schedule(writer, now);
}

// The writer hears us, answers, and still does not send what was asked for: it never will.
void StatefulReader::give_up_if_stuck(Writer& writer,
                                      MonoTime now,
                                      std::vector<ReceivedSample>& out) {
    if (writer.stuck_rounds < options_.limits.give_up_rounds) return;
    if (now - writer.stuck_since < options_.limits.give_up_after) return;
    writer.stuck_rounds = 0;
    fragments_.erase_through(writer.proxy.guid(), writer.stuck_at);
    refuse_for_good(writer, writer.stuck_at, now, out);
}

void StatefulReader::deny_restart(const Guid& writer, MonoTime now, Outbox& outbox) {
    const auto known = writers_.find(writer);
    if (known == writers_.end()) return;
    known->second.proxy.deny_restart();
    answer(known->second, Reply::always, now, outbox);
}

bool StatefulReader::numbering_restarted(const Guid& writer) const {
    const auto known = writers_.find(writer);
    return known != writers_.end() && known->second.proxy.numbering_restarted();
}

std::optional<WriterStatus> StatefulReader::status(const Guid& writer) const {
    const auto known = writers_.find(writer);
    if (known == writers_.end()) return std::nullopt;
    const WriterProxy& proxy = known->second.proxy;
    WriterStatus status = known->second.counters;
    status.received = proxy.received();
    status.committed = proxy.committed();
    status.announced_last = proxy.announced_last();
    status.missing = proxy.missing_count();
    status.held = proxy.ahead_count();
    status.lost = proxy.lost();
    status.heartbeat_seen = proxy.heartbeat_seen();
    status.numbering_restarted = proxy.numbering_restarted();
    return status;
}

}  // namespace durability::rtps
