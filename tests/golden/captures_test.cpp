// Public captures of other implementations are read completely: no header, submessage, inline QoS
// or discovery payload in them is refused.
#include "support/hex_file.hpp"
#include "wire/cdr.hpp"
#include "wire/inline_qos.hpp"
#include "wire/message_reader.hpp"
#include "wire/qos_parameters.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace durability;
using namespace durability::wire;

namespace {

void check_discovery(ByteView payload) {
    const auto header = decode_encapsulation(payload);
    REQUIRE(header.has_value());
    if (!header->is_parameter_list()) return;
    ParameterReader reader(payload.subspan(encapsulation_size), header->order());
    EndpointQos qos;
    while (const auto parameter = reader.next()) {
        REQUIRE(parameter->has_value());
        INFO("parameter " << (*parameter)->id);
        CHECK(decode_qos_parameter(**parameter, header->order(), {}, qos).has_value());
    }
    CHECK(reader.reached_sentinel());
}

}  // namespace

TEST_CASE("captures of Cyclone DDS and Connext are read completely") {
    std::map<std::uint16_t, std::size_t> submessages;
    for (const auto& entry : test::read_hex_file(DURABILITYD_CORPUS_DIR "/captures.hex")) {
        INFO(entry.name);
        MessageReader reader(entry.bytes);
        REQUIRE(reader.header().has_value());
        while (const auto submessage = reader.next()) {
            REQUIRE(submessage->has_value());
            ++submessages[reader.state().source_vendor.value];
            if (const auto* data = std::get_if<Data>(&**submessage)) {
                CHECK(decode_inline_qos(data->inline_qos, data->order).has_value());
                if (data->has_data) check_discovery(data->payload);
            }
        }
    }
    CHECK(submessages[vendor::eclipse.value] > 100);
    // 29 frames, of which three differ: a probe, an announcement and a farewell.
    CHECK(submessages[vendor::rti.value] == 2);
}
