#include "store/log_format.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "base/crc32c.hpp"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstring>

namespace durability::store {
namespace {

// Seven octets that no text file begins with, then the type. The carriage return and line feed show
// a transfer that translated line ends.
constexpr std::array<std::uint8_t, 7> magic{0xd5, 'D', 'U', 'R', 'S', '\r', '\n'};

template <class T>
T load(const std::uint8_t* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return boost::endian::little_to_native(value);
}

// Writes at `at` and returns the position behind.
template <class T>
std::uint8_t* store_at(std::uint8_t* at, T value) {
    value = boost::endian::native_to_little(value);
    std::memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

void put_frame_header(std::uint8_t* at, FrameKind kind, std::uint8_t flags, ByteView body) {
    store_at(at, static_cast<std::uint32_t>(body.size()));
    at[4] = static_cast<std::uint8_t>(kind);
    at[5] = flags;
    store_at(at + 6, std::uint16_t{0});
    store_at(at + 8, crc32c(body));
    store_at(at + 12, crc32c({at, 12}));
}

}  // namespace

void encode_file_header(const FileHeader& header, Buffer& out) {
    Buffer bytes;
    ByteWriter writer(bytes);
    writer.bytes(magic);
    writer.u8(static_cast<std::uint8_t>(header.type));
    writer.u32(header.version);
    writer.u32(file_header_size);
    writer.u32(header.compatible_flags);
    writer.u32(header.incompatible_flags);
    writer.bytes(to_octets(header.writer));
    writer.bytes(header.group);
    writer.u32(header.segment);
    writer.u32(crc32c(bytes));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

HeaderVerdict decode_file_header(ByteView bytes, FileHeader& header) {
    const std::size_t compare = std::min(bytes.size(), magic.size());
    if (!std::equal(
            magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(compare), bytes.begin())) {
        // A file that was extended but never reached by its data is torn, not foreign.
        const bool zeros = std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b == 0; });
        return zeros ? HeaderVerdict::truncated : HeaderVerdict::foreign;
    }
    if (bytes.size() < file_header_size) return HeaderVerdict::truncated;
    ByteReader in(bytes.first(file_header_size));
    in.skip(magic.size());
    const std::uint8_t type = in.u8();
    header.version = in.u32();
    const std::uint32_t size = in.u32();
    header.compatible_flags = in.u32();
    header.incompatible_flags = in.u32();
    header.writer = guid_from_octets(in.octets<16>());
    header.group = in.octets<16>();
    header.segment = in.u32();
    const std::uint32_t expected = in.u32();
    const bool sound = crc32c(bytes.first(file_header_size - 4)) == expected;
    if (!sound) return HeaderVerdict::damaged;
    // The checksum holds, so a value we do not know was meant.
    if (header.version > format_version || header.incompatible_flags != 0 ||
        size != file_header_size) {
        return HeaderVerdict::newer;
    }
    if (type < 1 || type > static_cast<std::uint8_t>(FileType::records))
        return HeaderVerdict::newer;
    header.type = static_cast<FileType>(type);
    return HeaderVerdict::good;
}

bool decode_frame_header(const std::uint8_t* bytes, FrameHeader& header) {
    if (crc32c({bytes, 12}) != load<std::uint32_t>(bytes + 12)) return false;
    header.payload_length = load<std::uint32_t>(bytes);
    header.kind = static_cast<FrameKind>(bytes[4]);
    header.flags = bytes[5];
    header.reserved = load<std::uint16_t>(bytes + 6);
    header.body_crc = load<std::uint32_t>(bytes + 8);
    return true;
}

bool is_from_newer_version(const FrameHeader& header) {
    if (header.reserved != 0) return true;
    const auto kind = static_cast<std::uint8_t>(header.kind);
    if (kind < 1 || kind > static_cast<std::uint8_t>(FrameKind::set)) return true;
    return header.kind != FrameKind::sample && header.flags != 0;
}

void encode_frame(FrameKind kind, std::uint8_t flags, ByteView body, Buffer& out) {
    const std::size_t at = out.size();
    out.resize(at + frame_size(body.size()));
    if (!body.empty()) std::memcpy(out.data() + at + frame_header_size, body.data(), body.size());
    put_frame_header(out.data() + at, kind, flags, body);
}

std::uint8_t sample_flags(const SampleMeta& meta) {
    unsigned flags = static_cast<unsigned>(meta.lifecycle) & sample_flag::lifecycle_mask;
    flags |= (static_cast<unsigned>(meta.payload_kind) << sample_flag::payload_kind_shift) &
             sample_flag::payload_kind_mask;
    if (meta.key) flags |= sample_flag::key_hash;
    if (meta.key && meta.key->tag != 0) flags |= sample_flag::key_tag;
    if (meta.related) flags |= sample_flag::related;
    if (meta.coherent_set) flags |= sample_flag::coherent_set;
    return static_cast<std::uint8_t>(flags);
}

void encode_sample(
    const SampleMeta& meta, Arrival arrival, WallTime received, ByteView payload, Buffer& out) {
    const std::uint8_t flags = sample_flags(meta);
    std::array<std::uint8_t, frame_header_size + sample_fixed_size + sample_optional_size> front;
    std::uint8_t* at = front.data() + frame_header_size;
    at = store_at(at, meta.id.number.value);
    at = store_at(at, meta.source_timestamp.seconds);
    at = store_at(at, meta.source_timestamp.fraction);
    at = store_at(at, arrival);
    at = store_at(at, received.time_since_epoch().count());
    if (meta.key) at = std::copy(meta.key->hash.begin(), meta.key->hash.end(), at);
    if (meta.key && meta.key->tag != 0) at = store_at(at, meta.key->tag);
    if (meta.related) {
        at = store_at(at, meta.related->parameter_id);
        const auto guid = to_octets(meta.related->id.writer);
        at = std::copy(guid.begin(), guid.end(), at);
        at = store_at(at, meta.related->id.number.value);
    }
    if (meta.coherent_set) at = store_at(at, meta.coherent_set->value);

    // The body is checksummed where it lies, in two parts, so that the payload is copied once.
    const auto front_size = static_cast<std::size_t>(at - front.data());
    const ByteView fields(front.data() + frame_header_size, front_size - frame_header_size);
    std::uint8_t* const header = front.data();
    store_at(header, static_cast<std::uint32_t>(fields.size() + payload.size()));
    header[4] = static_cast<std::uint8_t>(FrameKind::sample);
    header[5] = flags;
    store_at(header + 6, std::uint16_t{0});
    store_at(header + 8, crc32c(payload, crc32c(fields)));
    store_at(header + 12, crc32c({header, 12}));

    static constexpr std::array<std::uint8_t, frame_alignment> padding{};
    const std::size_t size = front_size + payload.size();
    const auto pad =
        static_cast<std::ptrdiff_t>((frame_alignment - size % frame_alignment) % frame_alignment);
    out.insert(out.end(), front.data(), front.data() + front_size);
    out.insert(out.end(), payload.begin(), payload.end());
    out.insert(out.end(), padding.begin(), padding.begin() + pad);
}

bool decode_sample(std::uint8_t flags, ByteView body, SampleFrame& frame) {
    const std::size_t fields = sample_fixed_size + optional_size(flags);
    if (body.size() < fields) return false;
    const std::uint8_t* at = body.data();
    frame.number = load<std::int64_t>(at);
    frame.source_timestamp = {load<std::int32_t>(at + 8), load<std::uint32_t>(at + 12)};
    frame.arrival = load<std::uint64_t>(at + 16);
    frame.received = WallTime{Duration{load<std::int64_t>(at + 24)}};
    frame.flags = flags;
    at += sample_fixed_size;
    frame.related = frame.set = nullptr;
    frame.key.reset();
    if ((flags & sample_flag::key_hash) != 0) {
        std::memcpy(frame.key.emplace().hash.data(), at, 16);
        at += 16;
    }
    if ((flags & sample_flag::key_tag) != 0) {
        if (!frame.key) return false;
        frame.key->tag = load<std::uint64_t>(at);
        at += 8;
    }
    if ((flags & sample_flag::related) != 0) {
        frame.related = at;
        at += 26;
    }
    if ((flags & sample_flag::coherent_set) != 0) frame.set = at;
    frame.payload = body.subspan(fields);
    const auto kind = (flags & sample_flag::payload_kind_mask) >> sample_flag::payload_kind_shift;
    return frame.number > 0 && frame.number <= max_sequence_number.value &&
           kind <= static_cast<int>(PayloadKind::key);
}

SampleMeta meta_of(const SampleFrame& frame, const Guid& writer) {
    SampleMeta meta;
    meta.id = {writer, SequenceNumber{frame.number}};
    meta.source_timestamp = frame.source_timestamp;
    meta.lifecycle = static_cast<Lifecycle>(frame.flags & sample_flag::lifecycle_mask);
    meta.payload_kind = static_cast<PayloadKind>((frame.flags & sample_flag::payload_kind_mask) >>
                                                 sample_flag::payload_kind_shift);
    meta.key = frame.key;
    if (frame.related != nullptr) {
        RelatedSample& related = meta.related.emplace();
        related.parameter_id = load<std::uint16_t>(frame.related);
        std::array<std::uint8_t, 16> octets{};
        std::memcpy(octets.data(), frame.related + 2, octets.size());
        related.id = {guid_from_octets(octets), {load<std::int64_t>(frame.related + 18)}};
    }
    if (frame.set != nullptr) meta.coherent_set = SequenceNumber{load<std::int64_t>(frame.set)};
    return meta;
}

void encode_commit(const CommitFrame& commit, Buffer& out) {
    std::array<std::uint8_t, 16> body{};
    store_at(store_at(body.data(), commit.offset), commit.length);
    encode_frame(FrameKind::commit, 0, body, out);
}

std::optional<CommitFrame> decode_commit(ByteView body) {
    if (body.size() != 16) return std::nullopt;
    return CommitFrame{load<std::uint64_t>(body.data()), load<std::uint64_t>(body.data() + 8)};
}

void encode_set(const SetFrame& set, Buffer& out) {
    std::array<std::uint8_t, 16> body{};
    store_at(store_at(store_at(body.data(), set.length), set.samples), std::uint32_t{0});
    encode_frame(FrameKind::set, 0, body, out);
}

std::optional<SetFrame> decode_set(ByteView body) {
    if (body.size() != 16) return std::nullopt;
    const SetFrame set{load<std::uint64_t>(body.data()), load<std::uint32_t>(body.data() + 8)};
    const bool is_sound = load<std::uint32_t>(body.data() + 12) == 0 && set.samples >= 2 &&
                          set.length % frame_alignment == 0 &&
                          set.length / frame_size(sample_fixed_size) >= set.samples;
    return is_sound ? std::optional(set) : std::nullopt;
}

void encode_marks(const NumberSet& numbers, Buffer& out) {
    Buffer body;
    ByteWriter writer(body);
    writer.u32(static_cast<std::uint32_t>(numbers.ranges().size()));
    writer.u32(0);
    for (const SequenceRange& range : numbers.ranges()) {
        writer.i64(range.first.value);
        writer.i64(range.last.value);
    }
    encode_frame(FrameKind::marks, 0, body, out);
}

std::optional<NumberSet> decode_marks(ByteView body) {
    ByteReader in(body);
    const std::uint32_t count = in.u32();
    in.skip(4);
    if (!in.ok() || in.remaining() != std::uint64_t{count} * 16) return std::nullopt;
    NumberSet numbers;
    for (std::uint32_t i = 0; i < count; ++i) {
        const SequenceRange range{{in.i64()}, {in.i64()}};
        if (range.first.value < 1 || range.empty() || range.last > max_sequence_number) {
            return std::nullopt;
        }
        numbers.insert(range);
    }
    return numbers;
}

void encode_expiry(const ExpiryFrame& expiry, Buffer& out) {
    Buffer body;
    ByteWriter writer(body);
    writer.u8(expiry.retired ? 1 : 0);
    writer.zeros(7);
    writer.i64(expiry.date.time_since_epoch().count());
    writer.i64(expiry.delay.count());
    encode_frame(FrameKind::expiry, 0, body, out);
}

std::optional<ExpiryFrame> decode_expiry(ByteView body) {
    ByteReader in(body);
    ExpiryFrame expiry;
    const std::uint8_t retired = in.u8();
    in.skip(7);
    expiry.date = WallTime{Duration{in.i64()}};
    expiry.delay = Duration{in.i64()};
    if (!in.ok() || retired > 1 || expiry.delay < Duration::zero()) return std::nullopt;
    expiry.retired = retired == 1;
    return expiry;
}

}  // namespace durability::store
