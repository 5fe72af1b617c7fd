#include "rtps/best_effort_reader.hpp"

#include "wire/sequence_set.hpp"

#include <utility>

namespace durability::rtps {

namespace {

constexpr std::uint64_t leap_size = 1'024;
// So many older numbers in a row, and no newer one between them, are no reordering.
constexpr std::uint32_t older_run_limit = 8;

// How many numbers lie between the two.
std::uint64_t passed_over(SequenceNumber from, SequenceNumber to) {
    return static_cast<std::uint64_t>(to.value - from.value) - 1U;
}

}  // namespace

BestEffortReader::BestEffortReader(EntityId own, const FragmentLimits& limits)
    : own_(own), fragments_(limits) {}

void BestEffortReader::match(const Guid& writer, SequenceNumber resume_after) {
    unmatch(writer);
    Writer fresh;
    fresh.last = resume_after;
    writers_.emplace(writer, fresh);
}

void BestEffortReader::unmatch(const Guid& writer) {
    writers_.erase(writer);
    fragments_.erase(writer);
}

bool BestEffortReader::below_leap(const Writer& writer, SequenceNumber number) {
    return writer.leap && writer.leap->from < number && number < writer.leap->to;
}

// One forged number far ahead must not silence the writer for good: when its samples go on below
// the leap, the leap is taken back. Numbers outside it were delivered and stay so.
bool BestEffortReader::takes_leap_back(Writer& writer, SequenceNumber number) {
    if (!below_leap(writer, number) || number <= writer.previous_older) return false;
    writer.previous_older = number;
    if (++writer.older_run < older_run_limit) return false;
    writer.status.lost -= passed_over(writer.leap->from, writer.leap->to);
    writer.last = writer.leap->from;
    writer.leap.reset();
    return true;
}

bool BestEffortReader::accept(Writer& writer, SequenceNumber number) {
    if (!wire::is_valid(number)) return false;
    if (number <= writer.last && !takes_leap_back(writer, number)) {
        ++writer.status.duplicates;
        return false;
    }
    const std::uint64_t passed = passed_over(writer.last, number);
    if (passed >= leap_size) writer.leap = Leap{writer.last, number};
    writer.status.lost += passed;
    writer.last = number;
    writer.older_run = 0;
    writer.previous_older = {0};
    return true;
}

void BestEffortReader::on_data(const Guid& writer,
                               const wire::Data& data,
                               Timestamp timestamp,
                               MonoTime /*now*/,
                               std::vector<ReceivedSample>& out) {
    const auto known = writers_.find(writer);
    if (known == writers_.end() || data.non_standard) return;
    if (!accept(known->second, data.number)) return;
    ++known->second.status.received;
    ReceivedSample& sample = out.emplace_back();
    sample.writer = writer;
    sample.number = sample.through = sample.first = data.number;
    sample.payload_kind = data.payload_kind();
    sample.source_timestamp = timestamp;
    sample.order = data.order;
    sample.inline_qos = data.inline_qos;
    sample.payload = Payload::borrowed(data.payload);
}

void BestEffortReader::on_data_frag(const Guid& writer,
                                    const wire::DataFrag& data_frag,
                                    Timestamp timestamp,
                                    MonoTime now,
                                    std::vector<ReceivedSample>& out) {
    const auto known = writers_.find(writer);
    if (known == writers_.end() || data_frag.non_standard) return;
    if (!wire::is_valid(data_frag.number)) return;
    const bool old = data_frag.number <= known->second.last;
    if (old && !below_leap(known->second, data_frag.number)) return;
    FragmentResult result = fragments_.add(writer, data_frag, timestamp, now);
    switch (result.verdict) {
        case FragmentVerdict::stored:
        case FragmentVerdict::duplicate:
            return;
        case FragmentVerdict::mismatch:
        case FragmentVerdict::too_large:
        case FragmentVerdict::no_room:
            ++known->second.status.dropped;
            return;
        case FragmentVerdict::completed:
            break;
    }
    if (!accept(known->second, data_frag.number)) return;
    ++known->second.status.received;
    fragments_.erase_through(writer, data_frag.number);
    out.push_back(std::move(*result.sample));
}

std::optional<BestEffortStatus> BestEffortReader::status(const Guid& writer) const {
    const auto known = writers_.find(writer);
    if (known == writers_.end()) return std::nullopt;
    BestEffortStatus status = known->second.status;
    status.last = known->second.last;
    return status;
}

}  // namespace durability::rtps
