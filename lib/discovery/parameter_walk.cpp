#include "discovery/parameter_walk.hpp"

#include "wire/locator.hpp"
#include "wire/parameter_id.hpp"
#include "wire/parameter_value.hpp"

namespace durability::discovery {
namespace {

void append_list_header(Buffer& out) {
    wire::encode_encapsulation(out, wire::Encapsulation{wire::encapsulation::pl_cdr_le, 0});
}

}  // namespace

bool SeenParameters::mark(std::uint16_t id) {
    const std::size_t slot = id % slots;
    if (seen_.test(slot)) return false;
    seen_.set(slot);
    return true;
}

Complaint unknown_parameter(std::uint16_t id) {
    const bool of_the_standard = (id & wire::pid::vendor_specific_flag) == 0;
    if (of_the_standard && wire::pid::must_understand(id)) return wire::DecodeError::unsupported;
    return std::nullopt;
}

Complaint append_locator(ByteView value, std::endian order, std::vector<Locator>& out) {
    const auto locator = wire::decode_locator(value, order);
    if (!locator) return locator.error();
    if (locator->is_udp_v4() && out.size() < max_locators_per_list) out.push_back(*locator);
    return std::nullopt;
}

wire::Decoded<Guid> decode_key_payload(ByteView payload, std::uint16_t id) {
    const auto header = wire::decode_encapsulation(payload);
    if (!header) return wire::decode_failure(header.error());
    if (!header->is_parameter_list()) {
        return wire::decode_guid(payload.subspan(wire::encapsulation_size));
    }
    std::optional<Guid> named;
    std::optional<Guid> hashed;
    const Complaint complaint =
        walk_parameters(payload, [&](const wire::Parameter& parameter, std::endian) -> Complaint {
            if (parameter.id == id)
                return assign(wire::decode_guid(parameter.value), named.emplace());
            if (parameter.id == wire::pid::key_hash) {
                return assign(wire::decode_guid(parameter.value), hashed.emplace());
            }
            return std::nullopt;
        });
    if (complaint) return wire::decode_failure(*complaint);
    if (named) return *named;
    if (hashed) return *hashed;
    return wire::decode_failure(wire::DecodeError::bad_parameter);
}

Buffer encode_key_payload(const Guid& guid, std::uint16_t id) {
    Buffer out;
    append_list_header(out);
    wire::ParameterListBuilder list(out);
    list.guid(id, guid);
    list.finish();
    return out;
}

void begin_announcement(Buffer& out, ProtocolVersion version, VendorId vendor) {
    append_list_header(out);
    wire::ParameterListBuilder list(out);
    list.protocol_version(wire::pid::protocol_version, version);
    list.vendor(wire::pid::vendor_id, vendor);
}

}  // namespace durability::discovery
