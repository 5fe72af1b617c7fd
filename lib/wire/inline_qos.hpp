// What accompanies a sample in the inline QoS of DATA and DATA_FRAG (RTPS 2.5, 8.7 and 9.6.4).
#pragma once

#include "base/bytes.hpp"
#include "model/sample.hpp"
#include "wire/decode_error.hpp"

#include <bit>
#include <cstdint>
#include <optional>

namespace durability::wire {

// Bits of PID_STATUS_INFO (9.6.4.9).
inline constexpr std::uint32_t status_disposed = 1;
inline constexpr std::uint32_t status_unregistered = 2;
inline constexpr std::uint32_t status_filtered = 4;

struct InlineQos {
    std::optional<KeyHash> key_hash;
    std::uint32_t status_info{0};
    std::optional<SampleId> original_writer;
    // The number may be SEQUENCENUMBER_UNKNOWN: a request that is not known yet.
    std::optional<RelatedSample> related;
    // Number of the first sample of the set; below 1: the set has ended (8.7.6).
    std::optional<SequenceNumber> coherent_set;
    std::optional<SequenceNumber> group_coherent_set;
    std::optional<SequenceNumber> group_sequence;
    // A parameter we do not know says that who does not know it must not use the sample
    // (9.6.2.2.1).
    bool has_unknown_must_understand{false};
    friend bool operator==(const InlineQos&, const InlineQos&) = default;

    [[nodiscard]] Lifecycle lifecycle() const { return static_cast<Lifecycle>(status_info & 3U); }
};

// Reads a list (Data::inline_qos); an empty view is the empty list. Unknown parameters are skipped.
// Errors: those of ParameterReader, bad_length, bad_range (an original writer without a number),
// duplicate_parameter. Allocates nothing; thread-safe.
[[nodiscard]] Decoded<InlineQos> decode_inline_qos(ByteView list, std::endian order);

// Appends the list, little-endian, with its sentinel; values that are not set are left out.
void encode_inline_qos(Buffer& out, const InlineQos& qos);
// Adds PID_COHERENT_SET to a list that encode_inline_qos() made without one.
void add_coherent_set(Buffer& list, SequenceNumber first);
// The number that says that no set is meant (8.7.6).
inline constexpr SequenceNumber no_coherent_set{-4294967296};

}  // namespace durability::wire
