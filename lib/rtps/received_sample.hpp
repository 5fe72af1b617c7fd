// What a reader hands up: a sample, or the word that a range of numbers will never come.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/rtps_time.hpp"
#include "model/sample.hpp"
#include "model/sequence_number.hpp"

#include <bit>

namespace durability::rtps {

// Per writer these come in increasing order of numbers, each number exactly once, without holes
// when the reader is reliable. Views (inline QoS, borrowed payload) are valid until the next call
// of the reader that produced them and as long as the datagram lives; the structure may be moved
// freely.
struct ReceivedSample {
    Guid writer;
    // The sample's number; for an irrelevant range its last number. `through` is the same and says
    // what it is for: once this is dealt with, everything of the writer up to `through` is.
    SequenceNumber number;
    SequenceNumber through;
    // The first number of an irrelevant range; equal to `number` for a sample.
    SequenceNumber first;
    // No sample: first .. through are irrelevant (GAP) or lost, only the commit mark has to move.
    bool irrelevant{false};
    // Of an irrelevant range: not declared irrelevant but unobtainable (the writer dropped them,
    // they were too large, or it never answered). Counted in WriterStatus::lost.
    bool lost{false};
    PayloadKind payload_kind{PayloadKind::none};
    Timestamp source_timestamp{};
    std::endian order{std::endian::little};  // of the inline QoS
    ByteView inline_qos;      // parameter list with its sentinel; empty if there is none
    Buffer inline_qos_bytes;  // owns inline_qos where the sample outlived its datagram
    Payload payload;          // with its encapsulation header

    // Copies what is borrowed, so that the sample may outlive its datagram.
    void make_owned() {
        payload.make_owned();
        if (inline_qos.empty() || !inline_qos_bytes.empty()) return;
        inline_qos_bytes.assign(inline_qos.begin(), inline_qos.end());
        inline_qos = inline_qos_bytes;
    }
    [[nodiscard]] std::size_t bytes() const { return payload.size() + inline_qos.size(); }
};

}  // namespace durability::rtps
