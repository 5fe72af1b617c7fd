#include "discovery/participant_data.hpp"

#include "discovery/parameter_walk.hpp"
#include "wire/parameter_id.hpp"

#include <utility>

namespace durability::discovery {
namespace {

namespace pid = wire::pid;

// One SPDP payload on its way into a value.
class ParticipantDecoder {
  public:
    ParticipantDecoder(const wire::StringLimits& limits, VendorId sender) : limits_(limits) {
        data_.vendor = sender;
        // Nobody leaves the set out; whoever announces itself has at least the endpoints of SPDP
        // and SEDP.
        data_.builtin_endpoints = 0x3fU;
    }

    Complaint take(const wire::Parameter& parameter, std::endian order) {
        switch (pid::without_flag(parameter.id)) {
            case pid::metatraffic_unicast_locator:
                return append_locator(parameter.value, order, data_.metatraffic_unicast);
            case pid::metatraffic_multicast_locator:
                return append_locator(parameter.value, order, data_.metatraffic_multicast);
            case pid::default_unicast_locator:
                return append_locator(parameter.value, order, data_.default_unicast);
            case pid::default_multicast_locator:
                return append_locator(parameter.value, order, data_.default_multicast);
            case pid::property_list:
                take_properties(parameter.value, order);
                return std::nullopt;
            default:
                break;
        }
        const std::optional<Complaint> taken = take_single(parameter, order);
        if (!taken) return unknown_parameter(parameter.id);
        if (*taken) return *taken;
        if (!seen_.mark(pid::without_flag(parameter.id)))
            return wire::DecodeError::duplicate_parameter;
        return std::nullopt;
    }

    wire::Decoded<ParticipantData> finish() {
        // Like Fast DDS, we accept the key hash in place of the GUID (fact sheet 1.2).
        if (!seen_.contains(pid::participant_guid)) data_.guid = key_hash_;
        if (data_.guid.entity != entity::participant || data_.guid.prefix == unknown_prefix) {
            return wire::decode_failure(wire::DecodeError::bad_parameter);
        }
        return std::move(data_);
    }

  private:
    // Nothing: not a parameter we know.
    std::optional<Complaint> take_single(const wire::Parameter& parameter, std::endian order) {
        const ByteView value = parameter.value;
        switch (pid::without_flag(parameter.id)) {
            case pid::participant_guid:
                return assign(wire::decode_guid(value), data_.guid);
            case pid::key_hash:
                return assign(wire::decode_guid(value), key_hash_);
            case pid::protocol_version:
                return assign(wire::decode_protocol_version(value), data_.version);
            case pid::vendor_id:
                return assign(wire::decode_vendor(value), data_.vendor);
            case pid::builtin_endpoint_set:
                return assign(wire::decode_u32(value, order), data_.builtin_endpoints);
            case pid::participant_lease_duration:
                return assign(wire::decode_duration(value, order), data_.lease);
            case pid::domain_id:
                return assign(wire::decode_u32(value, order), data_.domain_id.emplace());
            case pid::without_flag(pid::domain_tag):
                return assign(wire::decode_string(value, order, limits_.string_length),
                              data_.domain_tag);
            case pid::entity_name:
                return assign(wire::decode_string(value, order, limits_.string_length),
                              data_.entity_name);
            case pid::expects_inline_qos:
                return assign(wire::decode_boolean(value), data_.expects_inline_qos);
            default:
                return std::nullopt;
        }
    }

    void take_properties(ByteView value, std::endian order) {
        auto list = wire::decode_property_list(value, order, limits_);
        if (!list) return;
        for (auto& property : *list) {
            if (!property.first.starts_with(own_property_prefix)) continue;
            if (data_.properties.size() >= max_own_properties) return;
            data_.properties.push_back(std::move(property));
        }
    }

    const wire::StringLimits& limits_;
    ParticipantData data_;
    Guid key_hash_;
    SeenParameters seen_;
};

void append_locators(wire::ParameterListBuilder& list,
                     std::uint16_t id,
                     const std::vector<Locator>& locators) {
    for (const Locator& locator : locators)
        list.locator(id, locator);
}

}  // namespace

wire::Decoded<ParticipantData> decode_participant(ByteView payload,
                                                  const wire::StringLimits& limits,
                                                  VendorId sender) {
    ParticipantDecoder decoder(limits, sender);
    const Complaint complaint =
        walk_parameters(payload, [&](const wire::Parameter& parameter, std::endian order) {
            return decoder.take(parameter, order);
        });
    if (complaint) return wire::decode_failure(*complaint);
    return decoder.finish();
}

Buffer encode_participant(const ParticipantData& data) {
    Buffer out;
    begin_announcement(out, data.version, data.vendor);
    wire::ParameterListBuilder list(out);
    list.guid(pid::participant_guid, data.guid);
    list.duration(pid::participant_lease_duration, data.lease);
    list.u32(pid::builtin_endpoint_set, data.builtin_endpoints);
    if (data.domain_id) list.u32(pid::domain_id, *data.domain_id);
    if (!data.domain_tag.empty()) list.string(pid::domain_tag, data.domain_tag);
    append_locators(list, pid::metatraffic_unicast_locator, data.metatraffic_unicast);
    append_locators(list, pid::metatraffic_multicast_locator, data.metatraffic_multicast);
    append_locators(list, pid::default_unicast_locator, data.default_unicast);
    append_locators(list, pid::default_multicast_locator, data.default_multicast);
    if (data.expects_inline_qos) list.boolean(pid::expects_inline_qos, true);
    if (!data.entity_name.empty()) list.string(pid::entity_name, data.entity_name);
    if (!data.properties.empty()) list.properties(pid::property_list, data.properties);
    list.finish();
    return out;
}

wire::Decoded<Guid> decode_participant_key(ByteView payload) {
    return decode_key_payload(payload, pid::participant_guid);
}

Buffer encode_participant_key(const Guid& participant) {
    return encode_key_payload(participant, pid::participant_guid);
}

}  // namespace durability::discovery
