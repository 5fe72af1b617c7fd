#include "service/identity.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "store/commands.hpp"

namespace durability::service {
namespace {

// First octets of keys: what the record is about within its kind.
constexpr std::uint8_t key_participant = 'p';
constexpr std::uint8_t key_counter = 'c';
constexpr std::uint8_t key_entity = 'e';
constexpr std::uint8_t key_frontier = 'f';
constexpr std::uint8_t key_numbers = 'm';
constexpr std::uint8_t key_addresses = 'a';
// No machine has more; a record that claims so is not ours.
constexpr std::size_t max_addresses = 4'096;

void put(ByteWriter& out, const Guid& guid) {
    out.bytes(to_octets(guid));
}
Guid get_guid(ByteReader& in) {
    return guid_from_octets(in.octets<16>());
}

template <class T>
std::optional<T> finished(const ByteReader& in, T value) {
    if (!in.ok() || in.remaining() != 0) return std::nullopt;
    return value;
}

}  // namespace

std::string_view name(Side side) {
    switch (side) {
        case Side::ingest:
            return "ingest";
        case Side::replay:
            return "replay";
    }
    return "?";
}

Buffer identity_key(Side side) {
    return {key_participant, static_cast<std::uint8_t>(side)};
}
Buffer addresses_key() {
    return {key_addresses};
}
Buffer counter_key(Side side) {
    return {key_counter, static_cast<std::uint8_t>(side)};
}

Buffer entity_key(Side side, std::string_view description) {
    Buffer key;
    key.reserve(description.size() + 2);
    key.push_back(key_entity);
    key.push_back(static_cast<std::uint8_t>(side));
    for (const char octet : description)
        key.push_back(static_cast<std::uint8_t>(octet));
    return key;
}

Buffer frontier_key(const Guid& reader, EntityId replay_writer) {
    Buffer key{key_frontier};
    ByteWriter out(key);
    put(out, reader);
    out.u32(replay_writer.value);
    return key;
}

Buffer numbers_key(EntityId replay_writer, const GuidPrefix& process) {
    Buffer key{key_numbers};
    ByteWriter out(key);
    out.u32(replay_writer.value);
    out.bytes(process.octets);
    return key;
}

Buffer peer_key(const GuidPrefix& prefix) {
    return {prefix.octets.begin(), prefix.octets.end()};
}

Buffer yield_key(const GuidPrefix& replay) {
    Buffer key;
    ByteWriter out(key);
    out.u8('y');
    out.bytes(replay.octets);
    return key;
}

std::optional<GuidPrefix> yield_of_key(ByteView key) {
    GuidPrefix prefix;
    if (key.size() != prefix.octets.size() + 1 || key[0] != 'y') return std::nullopt;
    std::copy(key.begin() + 1, key.end(), prefix.octets.begin());
    return prefix;
}

Buffer encode(const ParticipantIdentity& identity) {
    Buffer bytes;
    ByteWriter out(bytes);
    out.bytes(identity.prefix.octets);
    out.u16(identity.metatraffic_port);
    out.u16(identity.user_port);
    return bytes;
}

std::optional<ParticipantIdentity> decode_identity(ByteView bytes) {
    ByteReader in(bytes);
    ParticipantIdentity identity;
    identity.prefix.octets = in.octets<12>();
    identity.metatraffic_port = in.u16();
    identity.user_port = in.u16();
    return finished(in, identity);
}

Buffer encode(const Reserved& reserved) {
    Buffer bytes;
    ByteWriter out(bytes);
    out.i64(reserved.sedp_number.value);
    out.i64(reserved.spdp_number.value);
    out.i32(reserved.count);
    return bytes;
}

std::optional<Reserved> decode_reserved(ByteView bytes) {
    ByteReader in(bytes);
    Reserved reserved;
    reserved.sedp_number.value = in.i64();
    reserved.spdp_number.value = in.i64();
    reserved.count = in.i32();
    if (reserved.sedp_number.value < 0 || reserved.spdp_number.value < 0 || reserved.count < 0)
        return std::nullopt;
    return finished(in, reserved);
}

Buffer encode(const Frontier& frontier) {
    Buffer bytes;
    ByteWriter out(bytes);
    put(out, frontier.reader);
    out.u32(frontier.replay_writer.value);
    out.u64(frontier.matched);
    out.u64(frontier.acknowledged);
    // With more than these, all is taken for sent: giving everything again would be worse.
    if (frontier.open.empty() || frontier.open.size() > Frontier::most_open) return bytes;
    out.u32(static_cast<std::uint32_t>(frontier.open.size()));
    for (const ArrivalRange& range : frontier.open) {
        out.u64(range.first);
        out.u64(range.last);
    }
    return bytes;
}

std::optional<Frontier> decode_frontier(ByteView bytes) {
    ByteReader in(bytes);
    Frontier frontier;
    frontier.reader = get_guid(in);
    frontier.replay_writer.value = in.u32();
    frontier.matched = in.u64();
    frontier.acknowledged = in.u64();
    if (in.remaining() == 0) return finished(in, frontier);
    const std::uint32_t count = in.u32();
    if (count > Frontier::most_open) return std::nullopt;
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        const Arrival first = in.u64();
        frontier.open.push_back({first, in.u64()});
    }
    return finished(in, frontier);
}

Buffer encode(std::span<const std::uint32_t> addresses) {
    Buffer bytes;
    ByteWriter out(bytes);
    const std::size_t first = addresses.size() - std::min(addresses.size(), max_addresses);
    for (const std::uint32_t address : addresses.subspan(first))
        out.u32(address);
    return bytes;
}

std::optional<std::vector<std::uint32_t>> decode_addresses(ByteView bytes) {
    if (bytes.size() % 4 != 0 || bytes.size() / 4 > max_addresses) return std::nullopt;
    ByteReader in(bytes);
    std::vector<std::uint32_t> addresses;
    while (in.remaining() > 0)
        addresses.push_back(in.u32());
    return finished(in, addresses);
}

Buffer encode(EntityId id) {
    Buffer bytes;
    ByteWriter out(bytes);
    out.u32(id.value);
    return bytes;
}

Buffer encode(const rtps::ReplayNumbers& numbers) {
    Buffer bytes;
    ByteWriter out(bytes);
    out.i64(numbers.last().value);
    const std::size_t last_only = bytes.size();
    out.varint(numbers.runs().size());
    for (const auto& run : numbers.runs()) {
        out.varint(static_cast<std::uint64_t>(run.front().number.value));
        out.varint(run.size());
        Arrival end = 0;
        for (const rtps::ReplayNumbers::Piece& piece : run) {
            out.varint(piece.arrival - end);
            out.varint(piece.count);
            end = piece.arrival + piece.count;
        }
        if (bytes.size() > store::max_record_value) {
            bytes.resize(last_only);
            out.varint(0);
            break;
        }
    }
    return bytes;
}

std::optional<ProcessNumbers> decode_numbers(ByteView key, ByteView bytes) {
    ByteReader name(key);
    if (name.u8() != key_numbers) return std::nullopt;
    ProcessNumbers result;
    result.replay_writer.value = name.u32();
    result.process.octets = name.octets<12>();
    if (!name.ok() || name.remaining() != 0) return std::nullopt;

    ByteReader in(bytes);
    const SequenceNumber last{in.i64()};
    std::vector<rtps::ReplayNumbers::Run> runs;
    const std::uint64_t run_count = in.varint();
    SequenceNumber expected{1};
    for (std::uint64_t i = 0; i < run_count && in.ok(); ++i) {
        rtps::ReplayNumbers::Run run;
        SequenceNumber number{static_cast<std::int64_t>(in.varint())};
        const std::uint64_t pieces = in.varint();
        // Each piece takes at least two octets, so a count cannot make us reserve what is not
        // there.
        if (!in.ok() || number < expected || pieces == 0 || pieces > in.remaining() / 2)
            return std::nullopt;
        run.reserve(pieces);
        Arrival end = 0;
        for (std::uint64_t n = 0; n < pieces; ++n) {
            const std::uint64_t hole = in.varint();
            const std::uint64_t count = in.varint();
            const auto room = static_cast<std::uint64_t>(last.value - number.value) + 1;
            if (last < number || count == 0 || count > room || hole > store::max_arrival - end ||
                count > store::max_arrival - end - hole) {
                return std::nullopt;
            }
            run.push_back({number, end + hole, count});
            end += hole + count;
            number.value += static_cast<std::int64_t>(count);
        }
        expected = number;
        runs.push_back(std::move(run));
    }
    if (!in.ok() || in.remaining() != 0 || last.value < 0 || durability::previous(expected) > last)
        return std::nullopt;
    result.numbers = rtps::ReplayNumbers(std::move(runs), last);
    return result;
}

std::optional<EntityId> decode_entity(ByteView bytes) {
    ByteReader in(bytes);
    const EntityId id{in.u32()};
    return finished(in, id);
}

}  // namespace durability::service
