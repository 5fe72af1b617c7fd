#include "tally.hpp"

#include "payload.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace peer {

bool Tally::SeenNumbers::insert(std::uint32_t number) {
    auto bit = chunks_[number / chunk_bits][number % chunk_bits];
    if (bit) return false;
    bit = true;
    return true;
}

Tally::Verdict Tally::add(const Received& sample, Time now) {
    ++received_;
    InstanceReport& report = reports_[sample.id];
    report.state = sample.state;
    if (!sample.valid) return Verdict{true};
    ++valid_;
    bytes_ += sample.payload.size();
    if (!first_) first_ = now;
    last_ = now;

    if (!seen_[sample.id].insert(sample.seq)) {
        ++duplicates_;
        ++report.duplicates;
    } else if (sample.seq < report.newest) {
        ++out_of_order_;
        ++report.out_of_order;
    }
    ++report.valid;
    report.last = sample.seq;
    report.newest = std::max(report.newest, sample.seq);
    lowest_ = valid_ == 1 ? sample.seq : std::min(lowest_, sample.seq);
    highest_ = std::max(highest_, sample.seq);

    const bool right =
        !check_bytes_ || (sample.right && is_payload(sample.payload, seed_, sample.id, sample.seq));
    if (!right) ++bad_;
    return Verdict{right};
}

std::string Tally::summary(Time created, std::optional<Time> matched) const {
    const auto since = [](std::optional<Time> from, std::optional<Time> to) {
        if (!from || !to) return -1.0;
        return std::chrono::duration<double, std::milli>(*to - *from).count();
    };
    return fmt::format(
        "received={} valid={} duplicates={} out_of_order={} bad={} first_ms={:.3f} last_ms={:.3f} "
        "match_ms={:.3f} lowest={} highest={}",
        received_,
        valid_,
        duplicates_,
        out_of_order_,
        bad_,
        since(matched, first_),
        since(matched, last_),
        since(created, matched),
        lowest_,
        highest_);
}

}  // namespace peer
