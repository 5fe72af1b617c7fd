#include "discovery/departure.hpp"

#include "discovery/parameter_walk.hpp"

namespace durability::discovery {
namespace {

constexpr std::uint32_t departed = wire::status_disposed | wire::status_unregistered;

}  // namespace

bool is_departure(const wire::InlineQos& qos) {
    return (qos.status_info & departed) != 0;
}

wire::Decoded<Guid> departed_guid(const wire::InlineQos& qos,
                                  PayloadKind kind,
                                  ByteView payload,
                                  std::uint16_t id) {
    if (qos.key_hash) return guid_from_octets(*qos.key_hash);
    if (kind == PayloadKind::none) return wire::decode_failure(wire::DecodeError::bad_parameter);
    return decode_key_payload(payload, id);
}

Buffer encode_departure(const Guid& guid) {
    wire::InlineQos qos;
    qos.key_hash = to_octets(guid);
    qos.status_info = departed;
    Buffer out;
    wire::encode_inline_qos(out, qos);
    return out;
}

}  // namespace durability::discovery
