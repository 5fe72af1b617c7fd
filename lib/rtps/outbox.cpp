#include "rtps/outbox.hpp"

#include "wire/data.hpp"
#include "wire/data_frag.hpp"

#include <algorithm>
#include <utility>

namespace durability::rtps {

namespace {

// RTPS header 20, INFO_DST 16, INFO_TS 12 octets (RTPS 2.5, 9.4.4, 9.4.5.8, 9.4.5.12).
constexpr std::size_t info_timestamp_size = 12;
constexpr std::size_t datagram_overhead = wire::header_size + 16 + info_timestamp_size;

}  // namespace

Outbox::Outbox(const wire::Header& own, std::size_t max_datagram, std::size_t max_queued_bytes)
    : builder_(own, max_datagram),
      max_datagram_(max_datagram),
      max_queued_bytes_(max_queued_bytes) {}

std::size_t Outbox::max_submessage() const {
    return max_datagram_ > datagram_overhead ? max_datagram_ - datagram_overhead : 0;
}

std::size_t Outbox::queued_bytes() const {
    return closed_bytes_ + (current_ != nullptr ? builder_.size() : 0);
}

void Outbox::close() {
    if (current_ == nullptr) return;
    Buffer datagram = builder_.take();
    if (has_content_) {
        closed_bytes_ += datagram.size();
        queue_.push_back(Transmit{std::move(datagram), current_->locators});
    }
    current_ = nullptr;
    has_content_ = false;
}

bool Outbox::begin(const DestinationPtr& destination) {
    current_ = destination;
    has_content_ = false;
    timestamp_in_force_ = invalid_timestamp;
    if (destination->prefix == unknown_prefix) return true;
    return builder_.info_destination(destination->prefix);
}

bool Outbox::open_for(const DestinationPtr& destination) {
    if (destination == nullptr || destination->locators.empty()) return false;
    if (queued_bytes() >= max_queued_bytes_) return false;
    const bool same = current_ != nullptr && (current_ == destination || *current_ == *destination);
    if (same) return true;
    close();
    return begin(destination);
}

bool Outbox::put_timestamp(Timestamp timestamp, std::size_t following) {
    if (timestamp == timestamp_in_force_) return true;
    // Not alone at the end of a datagram.
    if (builder_.room() < info_timestamp_size + following) return false;
    if (!builder_.info_timestamp(timestamp)) return false;
    timestamp_in_force_ = timestamp;
    return true;
}

template <class Append>
void Outbox::append(const DestinationPtr& destination, Append append_to) {
    if (!open_for(destination)) {
        ++dropped_;
        return;
    }
    if (append_to()) {
        has_content_ = true;
        return;
    }
    // The open datagram is full; a new one takes it, or nothing does.
    close();
    if (begin(destination) && append_to()) {
        has_content_ = true;
        return;
    }
    ++dropped_;
}

void Outbox::heartbeat(const DestinationPtr& destination, const wire::Heartbeat& heartbeat) {
    last_count_ = std::max(last_count_, heartbeat.count);
    append(destination, [&] { return builder_.heartbeat(heartbeat); });
}

void Outbox::heartbeat_frag(const DestinationPtr& destination,
                            const wire::HeartbeatFrag& heartbeat_frag) {
    last_count_ = std::max(last_count_, heartbeat_frag.count);
    append(destination, [&] { return builder_.heartbeat_frag(heartbeat_frag); });
}

void Outbox::acknack(const DestinationPtr& destination, const wire::AckNack& acknack) {
    last_count_ = std::max(last_count_, acknack.count);
    append(destination, [&] { return builder_.acknack(acknack); });
}

void Outbox::nack_frag(const DestinationPtr& destination, const wire::NackFrag& nack_frag) {
    last_count_ = std::max(last_count_, nack_frag.count);
    append(destination, [&] { return builder_.nack_frag(nack_frag); });
}

void Outbox::gap(const DestinationPtr& destination, const wire::Gap& gap) {
    append(destination, [&] { return builder_.gap(gap); });
}

void Outbox::data(const DestinationPtr& destination,
                  const wire::DataFields& data,
                  Timestamp timestamp) {
    const std::size_t size = wire::data_size(data);
    if (!data.writer.is_builtin()) user_octets_ += data.payload.size() + data.inline_qos.size();
    append(destination, [&] { return put_timestamp(timestamp, size) && builder_.data(data); });
}

void Outbox::data_frag(const DestinationPtr& destination,
                       const wire::DataFragFields& data_frag,
                       Timestamp timestamp) {
    const std::size_t size = wire::data_frag_size(data_frag);
    if (!data_frag.writer.is_builtin())
        user_octets_ += data_frag.payload.size() + data_frag.inline_qos.size();
    append(destination,
           [&] { return put_timestamp(timestamp, size) && builder_.data_frag(data_frag); });
}

std::optional<Transmit> Outbox::next_transmit() {
    if (queue_.empty()) close();
    if (queue_.empty()) return std::nullopt;
    Transmit transmit = std::move(queue_.front());
    queue_.pop_front();
    closed_bytes_ -= transmit.datagram.size();
    return transmit;
}

}  // namespace durability::rtps
