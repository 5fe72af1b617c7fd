// Constants and codecs of the store's files. Normative: lib/store/LOG-FORMAT.md; change both
// together, and tests/store/log_format_test.cpp decodes that page's example. Knows bytes, not
// files.
#pragma once

#include "base/bytes.hpp"
#include "model/sample.hpp"
#include "store/dedup.hpp"
#include "store/layout.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace durability::store {

inline constexpr std::uint32_t format_version = 1;
inline constexpr std::size_t file_header_size = 64;
inline constexpr std::size_t frame_header_size = 16;
inline constexpr std::size_t frame_alignment = 8;
// Fixed part of a sample frame's body, and everything optional that may follow it.
inline constexpr std::size_t sample_fixed_size = 32;
inline constexpr std::size_t sample_optional_size = 16 + 8 + 26 + 8;

// What a file is; the last octets of its magic.
enum class FileType : std::uint8_t {
    log = 1,
    meta = 2,
    checkpoint = 3,
    records = 4
};

struct FileHeader {
    FileType type{FileType::log};
    std::uint32_t version{format_version};
    std::uint32_t compatible_flags{0};
    std::uint32_t incompatible_flags{0};
    Guid writer;        // of a log; else unknown
    GroupHash group{};  // of a log, meta or checkpoint file; else zero
    std::uint32_t segment{0};
};

enum class HeaderVerdict : std::uint8_t {
    good,
    truncated,  // fewer bytes than a header
    foreign,    // the magic is not ours
    newer,      // a version or an incompatible flag this build does not know
    damaged,    // the checksum disagrees
};

void encode_file_header(const FileHeader& header, Buffer& out);
[[nodiscard]] HeaderVerdict decode_file_header(ByteView bytes, FileHeader& header);

enum class FrameKind : std::uint8_t {
    sample = 1,
    commit = 2,      // the log's first `length` bytes had been synced when this was written
    marks = 3,       // the numbers of the writer known so far; replaces what earlier frames said
    group = 4,       // the group's metadata
    expiry = 5,      // the writer is retired until ..., or is back
    checkpoint = 6,  // part of the list of retained arrival numbers
    checkpoint_end = 7,  // how many there are, and up to which arrival number the list speaks
    record = 8,
    record_erased = 9,
    set = 10,  // the samples that follow are a coherent set: there as a whole, or not at all
};

// Bits of a sample frame's flags. The other kinds have none.
namespace sample_flag {
inline constexpr std::uint8_t lifecycle_mask = 0x03;
inline constexpr std::uint8_t payload_kind_shift = 2;
inline constexpr std::uint8_t payload_kind_mask = 0x0c;
inline constexpr std::uint8_t key_hash = 0x10;
inline constexpr std::uint8_t related = 0x20;
inline constexpr std::uint8_t coherent_set = 0x40;
inline constexpr std::uint8_t key_tag = 0x80;  // only with key_hash
}  // namespace sample_flag

// The payload of a sample with these flags is a value, not a key or nothing.
[[nodiscard]] constexpr bool holds_value(std::uint8_t flags) {
    return (flags & sample_flag::payload_kind_mask) == static_cast<unsigned>(PayloadKind::data)
                                                           << sample_flag::payload_kind_shift;
}

[[nodiscard]] constexpr bool is_unregister(std::uint8_t flags) {
    return (flags & static_cast<unsigned>(Lifecycle::unregister)) != 0;
}

struct FrameHeader {
    std::uint32_t payload_length{0};  // of the body, without padding
    FrameKind kind{FrameKind::sample};
    std::uint8_t flags{0};
    std::uint16_t reserved{0};
    std::uint32_t body_crc{0};
};

// Header, body and padding.
[[nodiscard]] constexpr std::uint64_t frame_size(std::uint64_t body_size) {
    return (frame_header_size + body_size + frame_alignment - 1) / frame_alignment *
           frame_alignment;
}

// False when the checksum of the sixteen bytes disagrees. `bytes` holds at least that many.
[[nodiscard]] bool decode_frame_header(const std::uint8_t* bytes, FrameHeader& header);
// A kind, flag or reserved bit that only a newer version can have written.
[[nodiscard]] bool is_from_newer_version(const FrameHeader& header);

// A frame around `body`.
void encode_frame(FrameKind kind, std::uint8_t flags, ByteView body, Buffer& out);

// A sample as it stands in a frame.
struct SampleFrame {
    std::int64_t number{0};
    Timestamp source_timestamp{};
    Arrival arrival{0};
    WallTime received{};
    std::uint8_t flags{0};
    std::optional<InstanceKey> key;
    const std::uint8_t* related{nullptr};  // 26 octets
    const std::uint8_t* set{nullptr};      // 8 octets
    ByteView payload;
};

[[nodiscard]] std::uint8_t sample_flags(const SampleMeta& meta);
// Size of the optional fields that these flags announce.
[[nodiscard]] constexpr std::size_t optional_size(std::uint8_t flags) {
    return ((flags & sample_flag::key_hash) != 0 ? 16U : 0U) +
           ((flags & sample_flag::key_tag) != 0 ? 8U : 0U) +
           ((flags & sample_flag::related) != 0 ? 26U : 0U) +
           ((flags & sample_flag::coherent_set) != 0 ? 8U : 0U);
}
[[nodiscard]] constexpr std::uint64_t sample_frame_size(std::uint8_t flags, std::uint64_t payload) {
    return frame_size(sample_fixed_size + optional_size(flags) + payload);
}
void encode_sample(
    const SampleMeta& meta, Arrival arrival, WallTime received, ByteView payload, Buffer& out);
// False when the body is too short for what the flags announce, or a number is not one.
[[nodiscard]] bool decode_sample(std::uint8_t flags, ByteView body, SampleFrame& frame);
[[nodiscard]] SampleMeta meta_of(const SampleFrame& frame, const Guid& writer);

struct CommitFrame {
    std::uint64_t offset{
        0};  // of this frame itself, so that bytes of a payload cannot pass for one
    std::uint64_t length{0};  // bytes of the file that were synced
};
inline constexpr std::uint64_t commit_frame_size = frame_size(16);
void encode_commit(const CommitFrame& commit, Buffer& out);
[[nodiscard]] std::optional<CommitFrame> decode_commit(ByteView body);

struct SetFrame {
    std::uint64_t length{0};   // of the sample frames that follow
    std::uint32_t samples{0};  // so many, at least two
};
inline constexpr std::uint64_t set_frame_size = frame_size(16);
void encode_set(const SetFrame& set, Buffer& out);
// Nothing also for what cannot be: frames have a least size.
[[nodiscard]] std::optional<SetFrame> decode_set(ByteView body);

void encode_marks(const NumberSet& numbers, Buffer& out);
[[nodiscard]] std::optional<NumberSet> decode_marks(ByteView body);

struct ExpiryFrame {
    bool retired{false};  // false: the writer is back, the rest means nothing
    WallTime date{};
    Duration delay{};  // what the date was computed from
};
void encode_expiry(const ExpiryFrame& expiry, Buffer& out);
[[nodiscard]] std::optional<ExpiryFrame> decode_expiry(ByteView body);

}  // namespace durability::store
