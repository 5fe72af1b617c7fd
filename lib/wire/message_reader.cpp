#include "wire/message_reader.hpp"

#include "base/byte_reader.hpp"
#include "wire/acknack.hpp"
#include "wire/data.hpp"
#include "wire/data_frag.hpp"
#include "wire/gap.hpp"
#include "wire/heartbeat.hpp"
#include "wire/heartbeat_frag.hpp"
#include "wire/info.hpp"
#include "wire/nack_frag.hpp"

#include <algorithm>

namespace durability::wire {
namespace {

enum class FrameKind : std::uint8_t {
    content,
    info,
    skipped
};

FrameKind kind_of(std::uint8_t id) {
    switch (id) {
        case submessage_id::data:
        case submessage_id::data_frag:
        case submessage_id::heartbeat:
        case submessage_id::heartbeat_frag:
        case submessage_id::acknack:
        case submessage_id::nack_frag:
        case submessage_id::gap:
            return FrameKind::content;
        case submessage_id::info_timestamp:
        case submessage_id::info_destination:
        case submessage_id::info_source:
        case submessage_id::info_reply:
            return FrameKind::info;
        default:
            return FrameKind::skipped;  // PAD and what we do not know: 256 ids, no enumeration
    }
}

Decoded<Submessage> decode_content(std::uint8_t id, std::uint8_t flags, ByteView body) {
    switch (id) {
        case submessage_id::data:
            return decode_data(body, flags);
        case submessage_id::data_frag:
            return decode_data_frag(body, flags);
        case submessage_id::heartbeat:
            return decode_heartbeat(body, flags);
        case submessage_id::heartbeat_frag:
            return decode_heartbeat_frag(body, flags);
        case submessage_id::acknack:
            return decode_acknack(body, flags);
        case submessage_id::nack_frag:
            return decode_nack_frag(body, flags);
        case submessage_id::gap:
            return decode_gap(body, flags);
        default:
            return decode_failure(DecodeError::unsupported);
    }
}

}  // namespace

MessageReader::MessageReader(ByteView datagram)
    : datagram_(datagram), header_(decode_header(datagram)) {
    if (!header_) {
        end();
        return;
    }
    position_ = std::min(header_size, datagram.size());
    state_.source = header_->prefix;
    state_.source_vendor = header_->vendor;
    state_.source_version = header_->version;
}

std::optional<Decoded<Submessage>> MessageReader::next() {
    while (position_ < datagram_.size()) {
        const auto frame = next_frame();
        if (!frame) {
            end();
            return decode_failure(frame.error());
        }
        switch (kind_of(frame->id)) {
            case FrameKind::skipped:
                break;
            case FrameKind::info:
                if (const auto applied = apply_info(*frame); !applied) {
                    end();
                    return decode_failure(applied.error());
                }
                break;
            case FrameKind::content: {
                std::optional<Decoded<Submessage>> result(
                    decode_content(frame->id, frame->flags, frame->body));
                if (!*result) end();
                return result;
            }
        }
    }
    return std::nullopt;
}

// Moves behind the frame. Only the last submessage may have a length that is not a multiple of 4:
// the next one would not be aligned (9.4.1).
Decoded<MessageReader::Frame> MessageReader::next_frame() {
    const ByteView rest = datagram_.subspan(position_);
    if (rest.size() < submessage_header_size) return decode_failure(DecodeError::truncated);
    Frame frame;
    frame.id = rest[0];
    frame.flags = rest[1];
    ByteReader in(rest.subspan(2, 2), order_of(frame.flags));
    std::size_t length = in.u16();
    const std::size_t available = rest.size() - submessage_header_size;
    const bool may_be_empty =
        frame.id == submessage_id::pad || frame.id == submessage_id::info_timestamp;
    if (length == 0 && !may_be_empty) length = available;
    if (length > available) return decode_failure(DecodeError::truncated);
    if (length % 4 != 0 && length != available) return decode_failure(DecodeError::bad_length);
    frame.body = rest.subspan(submessage_header_size, length);
    position_ += submessage_header_size + length;
    return frame;
}

// 8.3.8.8 to 8.3.8.11, "change in state of Receiver".
tl::expected<void, DecodeError> MessageReader::apply_info(const Frame& frame) {
    switch (frame.id) {
        case submessage_id::info_timestamp: {
            const auto value = decode_info_timestamp(frame.body, frame.flags);
            if (!value) return decode_failure(value.error());
            state_.timestamp = value->timestamp;
            return {};
        }
        case submessage_id::info_destination: {
            const auto value = decode_info_destination(frame.body);
            if (!value) return decode_failure(value.error());
            state_.destination = value->prefix;
            return {};
        }
        case submessage_id::info_source: {
            const auto value = decode_info_source(frame.body);
            if (!value) return decode_failure(value.error());
            state_.source = value->prefix;
            state_.source_vendor = value->vendor;
            state_.source_version = value->version;
            state_.timestamp = invalid_timestamp;
            return {};
        }
        default: {  // INFO_REPLY: checked, not followed
            const auto value = decode_info_reply(frame.body, frame.flags);
            if (!value) return decode_failure(value.error());
            return {};
        }
    }
}

}  // namespace durability::wire
