// The submessages of RTPS 2.5, 8.3.8, as values. Views point into the datagram they were decoded
// from and are valid as long as it is. Decoders and encoders: one file for each kind beside this
// one.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/locator.hpp"
#include "model/rtps_time.hpp"
#include "model/sample.hpp"
#include "model/sequence_number.hpp"
#include "wire/decode_error.hpp"
#include "wire/sequence_set.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace durability::wire {

// The first octet of a submessage header (9.4.5.1.1). 0x80 and above belong to vendors.
namespace submessage_id {
inline constexpr std::uint8_t pad = 0x01;
inline constexpr std::uint8_t acknack = 0x06;
inline constexpr std::uint8_t heartbeat = 0x07;
inline constexpr std::uint8_t gap = 0x08;
inline constexpr std::uint8_t info_timestamp = 0x09;
inline constexpr std::uint8_t info_source = 0x0c;
inline constexpr std::uint8_t info_destination = 0x0e;
inline constexpr std::uint8_t info_reply = 0x0f;
inline constexpr std::uint8_t nack_frag = 0x12;
inline constexpr std::uint8_t heartbeat_frag = 0x13;
inline constexpr std::uint8_t data = 0x15;
inline constexpr std::uint8_t data_frag = 0x16;
}  // namespace submessage_id

// Flags of the second octet; what bit 1 and above mean depends on the kind.
namespace submessage_flag {
inline constexpr std::uint8_t little_endian = 0x01;
inline constexpr std::uint8_t data_inline_qos = 0x02;
inline constexpr std::uint8_t data_payload = 0x04;
inline constexpr std::uint8_t data_key = 0x08;
inline constexpr std::uint8_t data_non_standard = 0x10;
inline constexpr std::uint8_t data_frag_inline_qos = 0x02;
inline constexpr std::uint8_t data_frag_key = 0x04;
inline constexpr std::uint8_t data_frag_non_standard = 0x08;
inline constexpr std::uint8_t final = 0x02;            // HEARTBEAT and ACKNACK
inline constexpr std::uint8_t liveliness = 0x04;       // HEARTBEAT
inline constexpr std::uint8_t no_timestamp = 0x02;     // INFO_TS
inline constexpr std::uint8_t reply_multicast = 0x02;  // INFO_REPLY
}  // namespace submessage_flag

inline constexpr std::size_t submessage_header_size = 4;

[[nodiscard]] constexpr std::endian order_of(std::uint8_t flags) {
    return (flags & submessage_flag::little_endian) != 0 ? std::endian::little : std::endian::big;
}

// 8.3.8.2. has_data and has_key exclude each other; neither means no payload.
struct Data {
    EntityId reader;
    EntityId writer;
    SequenceNumber number;
    bool has_data{false};
    bool has_key{false};
    bool non_standard{false};  // the payload is not in a representation of the standard
    ByteView inline_qos;       // parameter list including its sentinel; empty if there is none
    ByteView payload;          // with the encapsulation header and the padding, as received
    std::endian order{std::endian::little};  // of the inline QoS

    [[nodiscard]] PayloadKind payload_kind() const {
        if (has_data) return PayloadKind::data;
        return has_key ? PayloadKind::key : PayloadKind::none;
    }
};

// 8.3.8.3. Fragments first .. first + count - 1 of one sample.
struct DataFrag {
    EntityId reader;
    EntityId writer;
    SequenceNumber number;
    FragmentNumber first{1};
    std::uint16_t count{1};
    std::uint16_t fragment_size{0};
    std::uint32_t sample_size{0};  // octets of the whole sample, encapsulation header included
    bool has_key{false};
    bool non_standard{false};
    ByteView inline_qos;
    ByteView payload;  // exactly the octets of these fragments
    std::endian order{std::endian::little};
};

// 8.3.8.6. The writer holds first .. last; empty when last is first - 1.
struct Heartbeat {
    EntityId reader;
    EntityId writer;
    SequenceNumber first{1};
    SequenceNumber last{0};
    std::int32_t count{0};
    bool final{false};
    bool liveliness{false};
    friend bool operator==(const Heartbeat&, const Heartbeat&) = default;
};

// 8.3.8.7. Fragments 1 .. last of sample `number` have been sent.
struct HeartbeatFrag {
    EntityId reader;
    EntityId writer;
    SequenceNumber number;
    FragmentNumber last{1};
    std::int32_t count{0};
    friend bool operator==(const HeartbeatFrag&, const HeartbeatFrag&) = default;
};

// 8.3.8.1. Everything below the base is acknowledged, the members of the set are missing.
// A base of 0 occurs with an empty set only (pre-emptive ACKNACK of Fast DDS).
struct AckNack {
    EntityId reader;
    EntityId writer;
    SequenceNumberSet state;
    std::int32_t count{0};
    bool final{false};
    friend bool operator==(const AckNack&, const AckNack&) = default;
};

// 8.3.8.12. The members of the set are missing from sample `number`.
struct NackFrag {
    EntityId reader;
    EntityId writer;
    SequenceNumber number;
    FragmentNumberSet state;
    std::int32_t count{0};
    friend bool operator==(const NackFrag&, const NackFrag&) = default;
};

// 8.3.8.4. start .. list.base - 1 and the members of the list are irrelevant; start <= list.base.
struct Gap {
    EntityId reader;
    EntityId writer;
    SequenceNumber start{1};
    SequenceNumberSet list;
    friend bool operator==(const Gap&, const Gap&) = default;
};

// 8.3.8.11. Invalid when the sender says that there is none.
struct InfoTimestamp {
    Timestamp timestamp{};
    friend bool operator==(const InfoTimestamp&, const InfoTimestamp&) = default;
};
// 8.3.8.8. All zero: every participant that receives the message.
struct InfoDestination {
    GuidPrefix prefix;
    friend bool operator==(const InfoDestination&, const InfoDestination&) = default;
};
// 8.3.8.10. Who the following submessages really come from.
struct InfoSource {
    ProtocolVersion version;
    VendorId vendor;
    GuidPrefix prefix;
    friend bool operator==(const InfoSource&, const InfoSource&) = default;
};
// 8.3.8.9. Where answers should go; parsed, not followed (answers go to announced locators only).
struct InfoReply {
    std::vector<Locator> unicast;
    std::vector<Locator> multicast;
    friend bool operator==(const InfoReply&, const InfoReply&) = default;
};
struct Pad {};
struct Unknown {
    std::uint8_t id{0};
};

using Submessage = std::variant<Data,
                                DataFrag,
                                Heartbeat,
                                HeartbeatFrag,
                                AckNack,
                                NackFrag,
                                Gap,
                                InfoTimestamp,
                                InfoDestination,
                                InfoSource,
                                InfoReply,
                                Pad,
                                Unknown>;

// What a DATA is made of when it is sent.
struct DataFields {
    EntityId reader;
    EntityId writer;
    SequenceNumber number;
    ByteView inline_qos;  // encoded little-endian parameter list with its sentinel; empty: none
    ByteView payload;     // sent unchanged, followed by zeros up to a multiple of 4
    PayloadKind payload_kind{PayloadKind::none};  // none: neither the D nor the K flag, no payload
};

// What a DATA_FRAG is made of when it is sent.
struct DataFragFields {
    EntityId reader;
    EntityId writer;
    SequenceNumber number;
    FragmentNumber first{1};
    std::uint16_t count{1};
    std::uint16_t fragment_size{0};
    std::uint32_t sample_size{0};
    ByteView inline_qos;
    ByteView payload;  // the octets of these fragments
    bool key{false};   // the sample is a serialized key
};

}  // namespace durability::wire
