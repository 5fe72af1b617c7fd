#include "wire/message_builder.hpp"

#include "wire/acknack.hpp"
#include "wire/data.hpp"
#include "wire/data_frag.hpp"
#include "wire/gap.hpp"
#include "wire/heartbeat.hpp"
#include "wire/heartbeat_frag.hpp"
#include "wire/info.hpp"
#include "wire/nack_frag.hpp"

#include <algorithm>
#include <utility>

namespace durability::wire {
namespace {

// Enough for control traffic, so that a datagram of acknowledgements is one small allocation.
constexpr std::size_t initial_capacity = 256;

}  // namespace

MessageBuilder::MessageBuilder(const Header& header, std::size_t max_size)
    : header_(header), max_size_(std::min(max_size, max_datagram_size)) {}

std::size_t MessageBuilder::room() const {
    const std::size_t used = empty() ? header_size : datagram_.size();
    return used < max_size_ ? max_size_ - used : 0;
}

// Whether a submessage of this size fits; if so the header is in place. A submessage that fits a
// datagram is always shorter than its 16-bit length can say.
bool MessageBuilder::begin(std::size_t submessage_size) {
    if (submessage_size > room()) return false;
    if (empty()) {
        datagram_.reserve(std::max(initial_capacity, header_size + submessage_size));
        encode_header(datagram_, header_);
    }
    return true;
}

bool MessageBuilder::info_destination(const GuidPrefix& prefix) {
    if (!begin(info_destination_size)) return false;
    encode_info_destination(datagram_, InfoDestination{prefix});
    return true;
}

bool MessageBuilder::info_timestamp(Timestamp timestamp) {
    if (!begin(info_timestamp_size(timestamp))) return false;
    encode_info_timestamp(datagram_, InfoTimestamp{timestamp});
    return true;
}

bool MessageBuilder::data(const DataFields& fields) {
    if (!begin(data_size(fields))) return false;
    encode_data(datagram_, fields);
    return true;
}

bool MessageBuilder::data_frag(const DataFragFields& fields) {
    if (!begin(data_frag_size(fields))) return false;
    encode_data_frag(datagram_, fields);
    return true;
}

bool MessageBuilder::heartbeat(const Heartbeat& value) {
    if (!begin(heartbeat_size(value))) return false;
    encode_heartbeat(datagram_, value);
    return true;
}

bool MessageBuilder::heartbeat_frag(const HeartbeatFrag& value) {
    if (!begin(heartbeat_frag_size(value))) return false;
    encode_heartbeat_frag(datagram_, value);
    return true;
}

bool MessageBuilder::acknack(const AckNack& value) {
    if (!begin(acknack_size(value))) return false;
    encode_acknack(datagram_, value);
    return true;
}

bool MessageBuilder::nack_frag(const NackFrag& value) {
    if (!begin(nack_frag_size(value))) return false;
    encode_nack_frag(datagram_, value);
    return true;
}

bool MessageBuilder::gap(const Gap& value) {
    if (!begin(gap_size(value))) return false;
    encode_gap(datagram_, value);
    return true;
}

Buffer MessageBuilder::take() {
    return std::exchange(datagram_, Buffer{});
}

}  // namespace durability::wire
