// A parameter list: the first octet chooses the byte order, the rest is the list. Reads it as
// inline QoS, as QoS of an endpoint and value by value, and checks that what is accepted can be
// sent and read again.
#include "wire/inline_qos.hpp"
#include "wire/locator.hpp"
#include "wire/qos_parameters.hpp"

#include <cstdlib>

using namespace durability;
using namespace durability::wire;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void read_values(const Parameter& parameter, std::endian order) {
    const StringLimits limits;
    (void)decode_u32(parameter.value, order);
    (void)decode_boolean(parameter.value);
    (void)decode_guid(parameter.value);
    (void)decode_duration(parameter.value, order);
    (void)decode_locator(parameter.value, order);
    (void)decode_string(parameter.value, order, limits.string_length);
    (void)decode_property_list(parameter.value, order, limits);
    (void)decode_string_sequence(
        parameter.value, order, limits.partitions, limits.partition_length);
    (void)decode_octet_sequence(parameter.value, order, limits.octets);
}

EndpointQos read_qos(ByteView list, std::endian order) {
    EndpointQos qos = default_qos(EndpointRole::writer);
    ParameterReader reader(list, order);
    while (const auto parameter = reader.next()) {
        if (!*parameter) break;
        read_values(**parameter, order);
        (void)decode_qos_parameter(**parameter, order, {}, qos);
    }
    require(reader.position() <= list.size());
    return qos;
}

void check_qos(EndpointQos qos) {
    Buffer out;
    ParameterListBuilder list(out);
    encode_qos(list, qos, EndpointRole::writer);
    list.finish();
    require(list.ok());
    const EndpointQos again = read_qos(out, std::endian::little);
    // What a writer does not send.
    qos.type_information.clear();
    qos.force_type_validation = false;
    qos.time_based_filter = {};
    if (qos.representations.empty()) qos.representations = {representation_xcdr1};
    require(again == qos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::endian order = (data[0] & 1U) != 0 ? std::endian::big : std::endian::little;
    const ByteView list(data + 1, size - 1);
    check_qos(read_qos(list, order));
    if (auto qos = decode_inline_qos(list, order)) {
        Buffer out;
        encode_inline_qos(out, *qos);
        qos->has_unknown_must_understand = false;
        require(decode_inline_qos(out, std::endian::little) == *qos);
    }
    return 0;
}
