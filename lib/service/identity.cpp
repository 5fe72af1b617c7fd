#include "service/identity.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"

namespace durability::service {
namespace {

// First octets of keys: what the record is about within its kind.
constexpr std::uint8_t key_participant = 'p';
constexpr std::uint8_t key_counter = 'c';
constexpr std::uint8_t key_entity = 'e';
constexpr std::uint8_t key_frontier = 'f';

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
Buffer counter_key(Side side) {
    return {key_counter, static_cast<std::uint8_t>(side)};
}

Buffer entity_key(Side side, std::string_view description) {
    Buffer key{key_entity, static_cast<std::uint8_t>(side)};
    key.insert(key.end(), description.begin(), description.end());
    return key;
}

Buffer frontier_key(const Guid& reader, EntityId replay_writer) {
    Buffer key{key_frontier};
    ByteWriter out(key);
    put(out, reader);
    out.u32(replay_writer.value);
    return key;
}

Buffer peer_key(const GuidPrefix& prefix) {
    return {prefix.octets.begin(), prefix.octets.end()};
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
    out.i64(frontier.last_number.value);
    return bytes;
}

std::optional<Frontier> decode_frontier(ByteView bytes) {
    ByteReader in(bytes);
    Frontier frontier;
    frontier.reader = get_guid(in);
    frontier.replay_writer.value = in.u32();
    frontier.matched = in.u64();
    frontier.acknowledged = in.u64();
    frontier.last_number.value = in.i64();
    if (frontier.last_number.value < 0) return std::nullopt;
    return finished(in, frontier);
}

Buffer encode(EntityId id) {
    Buffer bytes;
    ByteWriter out(bytes);
    out.u32(id.value);
    return bytes;
}

std::optional<EntityId> decode_entity(ByteView bytes) {
    ByteReader in(bytes);
    const EntityId id{in.u32()};
    return finished(in, id);
}

}  // namespace durability::service
