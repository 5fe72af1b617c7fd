// Parameters as recorded from Cyclone DDS 0.10.2 and Fast DDS 2.9.1 (fact sheet 11): they decode to
// what the application had set, and what we send for the same setting is the same octets.
#include "support/hex.hpp"
#include "wire/inline_qos.hpp"
#include "wire/locator.hpp"
#include "wire/qos_parameters.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

constexpr auto little = std::endian::little;

// One recorded parameter without its sentinel.
EndpointQos decode(const std::string& hex) {
    const Buffer list = from_hex(hex + "01000000");
    EndpointQos qos;
    ParameterReader reader(list, little);
    const auto parameter = reader.next();
    REQUIRE((parameter && *parameter));
    REQUIRE(decode_qos_parameter(**parameter, little, {}, qos) == true);
    REQUIRE_FALSE(reader.next().has_value());
    REQUIRE(reader.reached_sentinel());
    return qos;
}

bool encoding_contains(const EndpointQos& qos, EndpointRole role, const std::string& hex) {
    Buffer out;
    ParameterListBuilder list(out);
    encode_qos(list, qos, role);
    list.finish();
    return to_hex(out).find(to_hex(from_hex(hex))) != std::string::npos;
}

}  // namespace

TEST_CASE("recorded: DURABILITY_SERVICE of 5 s, KEEP_LAST 10") {
    const std::string bytes =
        "1e001c00 0500000000000000 00000000 0a000000 ffffffff ffffffff ffffffff";
    const EndpointQos qos = decode(bytes);
    REQUIRE(qos.durability_service.has_value());
    CHECK(*qos.durability_service ==
          DurabilityServiceQos{{5, 0}, {HistoryKind::keep_last, 10}, {}});
    CHECK(encoding_contains(qos, EndpointRole::writer, bytes));
    CHECK_FALSE(encoding_contains(qos, EndpointRole::reader, bytes));
}

TEST_CASE("recorded: DURABILITY_SERVICE of 0 s, KEEP_ALL") {
    const std::string bytes =
        "1e001c00 0000000000000000 01000000 01000000 ffffffff ffffffff ffffffff";
    const EndpointQos qos = decode(bytes);
    REQUIRE(qos.durability_service.has_value());
    CHECK(*qos.durability_service == DurabilityServiceQos{{0, 0}, {HistoryKind::keep_all, 1}, {}});
    CHECK(encoding_contains(qos, EndpointRole::writer, bytes));
}

TEST_CASE("recorded: RELIABILITY RELIABLE with 10 s and with 100 ms") {
    const std::string ten_seconds = "1a000c00 02000000 0a000000 00000000";
    EndpointQos qos = decode(ten_seconds);
    CHECK(qos.reliability == ReliabilityKind::reliable);
    CHECK(qos.max_blocking_time == QosDuration{10, 0});
    CHECK(encoding_contains(qos, EndpointRole::writer, ten_seconds));

    qos = decode("1a000c00 02000000 00000000 9a999919");
    CHECK(qos.max_blocking_time == default_qos(EndpointRole::writer).max_blocking_time);
    CHECK(encoding_contains(default_qos(EndpointRole::writer),
                            EndpointRole::writer,
                            "1a000c00 02000000 00000000 9a999919"));
}

TEST_CASE("recorded: DATA_REPRESENTATION of both and of XCDR2 alone") {
    const std::string both = "73000800 02000000 00000200";
    EndpointQos qos = decode(both);
    CHECK(qos.representations == std::vector<std::int16_t>{0, 2});
    CHECK(encoding_contains(qos, EndpointRole::reader, both));
    const std::string xcdr2 = "73000800 01000000 02000000";
    qos = decode(xcdr2);
    CHECK(qos.representations == std::vector<std::int16_t>{2});
    CHECK(encoding_contains(qos, EndpointRole::writer, xcdr2));
}

TEST_CASE("recorded: TYPE_CONSISTENCY of Fast DDS does not force validation") {
    CHECK_FALSE(decode("74000800 0100 01 01 00 00 00 00").force_type_validation);
}

TEST_CASE("recorded: TYPE_INFORMATION is kept octet for octet") {
    const std::string blob =
        "60000000 01001040 28000000 24000000 14000000 f12e6f6e762a3e15b7296aaa8616e100 48000000"
        "00000000 04000000 00000000 02001040 28000000 24000000 14000000 "
        "f2e1136dd3b6676a4eb09f10c26b1600"
        "73000000 00000000 04000000 00000000";
    const Buffer expected = from_hex(blob);
    REQUIRE(expected.size() == 100);
    CHECK(decode("75006400" + blob).type_information == expected);
}

TEST_CASE("recorded: lease of 10 s and a UDPv4 locator") {
    Buffer out;
    ParameterListBuilder list(out);
    list.duration(pid::participant_lease_duration, {10, 0});
    list.locator(pid::metatraffic_unicast_locator, Locator::udp_v4(0x7f000001, 7410));
    CHECK(to_hex(out) ==
          to_hex(from_hex("02000800 0a000000 00000000"
                          "32001800 01000000 f21c0000 000000000000000000000000 7f000001")));
    CHECK(decode_duration(ByteView(out).subspan(4, 8), little) == QosDuration{10, 0});
    CHECK(decode_locator(ByteView(out).subspan(16), little) == Locator::udp_v4(0x7f000001, 7410));
}

TEST_CASE("recorded: the inline QoS with which each peer disposes of an instance") {
    const auto cyclone = decode_inline_qos(from_hex("71000400 00000001 01000000"), little);
    REQUIRE(cyclone.has_value());
    CHECK(cyclone->lifecycle() == Lifecycle::dispose);
    CHECK_FALSE(cyclone->key_hash.has_value());

    const std::string bytes =
        "70001000 00000000000000000000000000000000 71000400 00000001 01000000";
    const auto fastdds = decode_inline_qos(from_hex(bytes), little);
    REQUIRE(fastdds.has_value());
    CHECK(fastdds->lifecycle() == Lifecycle::dispose);
    CHECK(fastdds->key_hash == KeyHash{});
    Buffer out;
    encode_inline_qos(out, *fastdds);
    CHECK(to_hex(out) == to_hex(from_hex(bytes)));
}

TEST_CASE("recorded: ORIGINAL_WRITER_INFO with number 1") {
    const std::string bytes =
        "61001800 0110aaaabbbbccccdddd0001 00000102 00000000 01000000 01000000";
    const auto qos = decode_inline_qos(from_hex(bytes), little);
    REQUIRE((qos && qos->original_writer));
    CHECK(qos->original_writer->number == SequenceNumber{1});
    CHECK(to_string(qos->original_writer->writer) == "0110aaaabbbbccccdddd0001:00000102");
    Buffer out;
    encode_inline_qos(out, *qos);
    CHECK(to_hex(out) == to_hex(from_hex(bytes)));
}
