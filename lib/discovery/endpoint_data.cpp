#include "discovery/endpoint_data.hpp"

#include "discovery/parameter_walk.hpp"
#include "wire/parameter_id.hpp"

#include <utility>

namespace durability::discovery {
namespace {

namespace pid = wire::pid;

// Fast DDS: a reader that never acknowledges, a writer that does not wait for it.
constexpr std::uint16_t eprosima_disable_positive_acks = 0x8005;

// One SEDP payload on its way into a value.
class EndpointDecoder {
  public:
    EndpointDecoder(const wire::StringLimits& limits, VendorId sender)
        : limits_(limits), sender_(sender) {
        data_.vendor = sender;
    }

    Complaint take(const wire::Parameter& parameter, std::endian order) {
        switch (pid::without_flag(parameter.id)) {
            case pid::unicast_locator:
                return append_locator(parameter.value, order, data_.unicast);
            case pid::multicast_locator:
                return append_locator(parameter.value, order, data_.multicast);
            default:
                break;
        }
        if ((parameter.id & pid::vendor_specific_flag) != 0)
            return take_vendor_parameter(parameter);
        Taken taken = take_single(parameter, order);
        if (!taken.known) taken = take_policy(parameter, order);
        if (!taken.known) return unknown_parameter(parameter.id);
        if (taken.complaint) return taken.complaint;
        if (!seen_.mark(pid::without_flag(parameter.id)))
            return wire::DecodeError::duplicate_parameter;
        return std::nullopt;
    }

    wire::Decoded<EndpointData> finish() {
        // Like Fast DDS, we accept the key hash in place of the GUID (fact sheet 2.2).
        if (!seen_.contains(pid::endpoint_guid)) data_.guid = key_hash_;
        const Guid participant{data_.guid.prefix, entity::participant};
        if (!seen_.contains(pid::participant_guid)) data_.participant = participant;
        const bool complete =
            data_.guid.prefix != unknown_prefix && (data_.is_writer() || data_.is_reader()) &&
            data_.participant == participant && !data_.topic.empty() && !data_.type.empty();
        if (!complete) return wire::decode_failure(wire::DecodeError::bad_parameter);
        fill_in_defaults();
        return std::move(data_);
    }

  private:
    struct Taken {
        bool known{false};
        Complaint complaint{};
    };

    // The one policy whose default depends on what the endpoint is; the GUID may have come last.
    void fill_in_defaults() {
        if (seen_.contains(pid::reliability)) return;
        const auto role =
            data_.is_writer() ? wire::EndpointRole::writer : wire::EndpointRole::reader;
        const EndpointQos defaults = wire::default_qos(role);
        data_.qos.reliability = defaults.reliability;
        data_.qos.max_blocking_time = defaults.max_blocking_time;
    }

    Taken take_single(const wire::Parameter& parameter, std::endian order) {
        const ByteView value = parameter.value;
        switch (pid::without_flag(parameter.id)) {
            case pid::endpoint_guid:
                return {true, assign(wire::decode_guid(value), data_.guid)};
            case pid::participant_guid:
                return {true, assign(wire::decode_guid(value), data_.participant)};
            case pid::key_hash:
                return {true, assign(wire::decode_guid(value), key_hash_)};
            case pid::topic_name:
                return {
                    true,
                    assign(wire::decode_string(value, order, limits_.string_length), data_.topic)};
            case pid::type_name:
                return {
                    true,
                    assign(wire::decode_string(value, order, limits_.string_length), data_.type)};
            case pid::protocol_version:
                return {true, assign(wire::decode_protocol_version(value), data_.version)};
            case pid::vendor_id:
                return {true, assign(wire::decode_vendor(value), data_.vendor)};
            case pid::expects_inline_qos:
                return {true, assign(wire::decode_boolean(value), data_.expects_inline_qos)};
            default:
                return {};
        }
    }

    Taken take_policy(const wire::Parameter& parameter, std::endian order) {
        const auto known = wire::decode_qos_parameter(parameter, order, limits_, data_.qos);
        if (!known) return {true, known.error()};
        return {*known, std::nullopt};
    }

    // A vendor may do with its own ids what it likes, so nothing in them makes the list invalid.
    Complaint take_vendor_parameter(const wire::Parameter& parameter) {
        if (parameter.id == pid::vendor_persistence_guid &&
            (sender_ == vendor::eprosima || sender_ == vendor::rti)) {
            if (const auto guid = wire::decode_guid(parameter.value))
                data_.persistence_guid = *guid;
        }
        if (parameter.id == eprosima_disable_positive_acks && sender_ == vendor::eprosima) {
            data_.disable_positive_acks = !parameter.value.empty() && parameter.value[0] == 1;
        }
        return std::nullopt;
    }

    const wire::StringLimits& limits_;
    VendorId sender_;
    EndpointData data_;
    Guid key_hash_;
    SeenParameters seen_;
};

}  // namespace

wire::Decoded<EndpointData> decode_endpoint(ByteView payload,
                                            const wire::StringLimits& limits,
                                            VendorId sender) {
    EndpointDecoder decoder(limits, sender);
    const Complaint complaint =
        walk_parameters(payload, [&](const wire::Parameter& parameter, std::endian order) {
            return decoder.take(parameter, order);
        });
    if (complaint) return wire::decode_failure(*complaint);
    return decoder.finish();
}

Buffer encode_endpoint(const EndpointData& data) {
    Buffer out;
    begin_announcement(out, data.version, data.vendor);
    wire::ParameterListBuilder list(out);
    list.guid(pid::endpoint_guid, data.guid);
    list.guid(pid::participant_guid, data.participant);
    list.string(pid::topic_name, data.topic);
    list.string(pid::type_name, data.type);
    for (const Locator& locator : data.unicast)
        list.locator(pid::unicast_locator, locator);
    for (const Locator& locator : data.multicast)
        list.locator(pid::multicast_locator, locator);
    if (data.expects_inline_qos) list.boolean(pid::expects_inline_qos, true);
    const auto role = data.is_writer() ? wire::EndpointRole::writer : wire::EndpointRole::reader;
    wire::encode_qos(list, data.qos, role);
    list.finish();
    return out;
}

wire::Decoded<Guid> decode_endpoint_key(ByteView payload) {
    return decode_key_payload(payload, pid::endpoint_guid);
}

Buffer encode_endpoint_key(const Guid& endpoint) {
    return encode_key_payload(endpoint, pid::endpoint_guid);
}

}  // namespace durability::discovery
