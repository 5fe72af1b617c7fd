// A sample as the daemon knows it: identity, lifecycle, key and opaque payload. It knows no IDL.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/rtps_time.hpp"
#include "model/sequence_number.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace durability {

// The identity of a sample: who wrote it first, and as which of its numbers. A sample that carries
// PID_ORIGINAL_WRITER_INFO has that identity (RTPS 2.5, 8.7.9), else the writer's GUID and number.
struct SampleId {
    Guid writer;
    SequenceNumber number;
    friend auto operator<=>(const SampleId&, const SampleId&) = default;
};

// Sixteen octets that name an instance: PID_KEY_HASH, or a hash computed by the same rule
// (9.6.4.8).
using KeyHash = std::array<std::uint8_t, 16>;
// 32 lower-case hexadecimal digits, as `durabilityctl dump` prints them.
[[nodiscard]] std::optional<KeyHash> parse_key_hash(std::string_view text);

// Names an instance. Keys that a key hash cannot hold are known by their MD5, and two keys can have
// the same one: the tag, made from the whole key, tells them apart. It is 0 where the hash holds
// the key itself, and where the key was never seen, only its hash.
struct InstanceKey {
    KeyHash hash{};
    std::uint64_t tag{0};
    friend auto operator<=>(const InstanceKey&, const InstanceKey&) = default;
};

// What a writer did, not the state that followed (semantics.md, section 4). The values are the bits
// of PID_STATUS_INFO (9.6.4.9).
enum class Lifecycle : std::uint8_t {
    data = 0,
    dispose = 1,
    unregister = 2,
    dispose_unregister = 3
};

// What the serialized payload of a sample holds.
enum class PayloadKind : std::uint8_t {
    none = 0,
    data = 1,
    key = 2
};

// A related request, and under which parameter id it came (0x0083, or 0x800f of Fast DDS 2.x).
struct RelatedSample {
    std::uint16_t parameter_id{0};
    SampleId id;
    friend bool operator==(const RelatedSample&, const RelatedSample&) = default;
};

struct SampleMeta {
    SampleId id;
    Timestamp source_timestamp{};  // exactly as received; invalid when the writer gave none
    Lifecycle lifecycle{Lifecycle::data};
    PayloadKind payload_kind{PayloadKind::data};
    std::optional<InstanceKey> key;
    std::optional<RelatedSample> related;
    std::optional<SequenceNumber>
        coherent_set;  // number of the set's first sample at the source writer
    friend bool operator==(const SampleMeta&, const SampleMeta&) = default;
};

// The order in which samples reached the store, over all writers of a domain; never used twice.
using Arrival = std::uint64_t;

// Arrivals that follow one another without a hole. Histories are kept as ascending lists of these:
// mostly short ones, however many samples they stand for.
struct ArrivalRange {
    Arrival first{0};
    Arrival last{0};
    [[nodiscard]] std::uint64_t size() const { return last - first + 1; }
    friend bool operator==(const ArrivalRange&, const ArrivalRange&) = default;
};

// Adds an arrival above all others.
inline void append(std::vector<ArrivalRange>& ranges, Arrival arrival) {
    if (!ranges.empty() && ranges.back().last + 1 == arrival) {
        ranges.back().last = arrival;
    } else {
        ranges.push_back({arrival, arrival});
    }
}

// Ranges of several lists as one, ascending and without overlaps.
[[nodiscard]] std::vector<ArrivalRange> merge(std::vector<ArrivalRange> ranges);
// Whether any arrival is in both; each ascending.
[[nodiscard]] bool overlap(std::span<const ArrivalRange> one, std::span<const ArrivalRange> other);

}  // namespace durability

template <>
struct std::hash<durability::SampleId> {
    std::size_t operator()(const durability::SampleId& id) const noexcept {
        return std::hash<durability::Guid>{}(id.writer) ^
               std::hash<durability::SequenceNumber>{}(id.number);
    }
};
