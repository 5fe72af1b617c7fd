#include "discovery/participant_data.hpp"

#include "discovery/captured.hpp"
#include "discovery/messages.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::discovery;
using captured::from_hex;

namespace {

const wire::StringLimits limits;

wire::Decoded<ParticipantData> decode_message(const Buffer& message) {
    const auto data = data_of(message, entity::spdp_writer);
    REQUIRE(data.size() == 1);
    return decode_participant(data[0].data.payload, limits, data[0].state.source_vendor);
}

wire::Decoded<ParticipantData> decode_hex(std::string_view list) {
    return decode_participant(from_hex(list), limits, vendor::unknown);
}

constexpr std::string_view header = "00030000";
constexpr std::string_view guid = "50001000 010f01020304050607080900 000001c1";
constexpr std::string_view sentinel = "01000000";

std::string list(std::string_view parameters) {
    return std::string(header) + std::string(guid) + std::string(parameters) +
           std::string(sentinel);
}

ParticipantData full_participant() {
    ParticipantData data;
    data.guid = {GuidPrefix{{1, 0x7f, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, entity::participant};
    data.version = {2, 5};
    data.vendor = vendor::own;
    data.metatraffic_unicast = {Locator::udp_v4(0x7f000001, 7410)};
    data.metatraffic_multicast = {Locator::udp_v4(0xefff0001, 7400)};
    data.default_unicast = {Locator::udp_v4(0x7f000001, 7411), Locator::udp_v4(0x0a000001, 7411)};
    data.default_multicast = {Locator::udp_v4(0xefff0001, 7401)};
    data.builtin_endpoints = builtin_endpoint::own;
    data.lease = {30, 0};
    data.domain_id = 7;
    data.domain_tag = "hall 3";
    data.entity_name = "durabilityd ingest";
    data.expects_inline_qos = true;
    data.properties = {{"durabilityd.role", "replay"}, {"durabilityd.host", ""}};
    return data;
}

}  // namespace

TEST_CASE("SPDP of Cyclone DDS is read") {
    const auto data = decode_message(captured::cyclone_spdp());
    REQUIRE(data.has_value());
    CHECK(to_string(data->guid) == "5ab810011636c7d51895c54e:000001c1");
    CHECK(data->version == ProtocolVersion{2, 1});
    CHECK(data->vendor == vendor::eclipse);
    CHECK(data->lease == QosDuration{10, 0});
    CHECK(data->builtin_endpoints == 0x0c3fU);
    CHECK(data->domain_id == 0U);
    CHECK(data->default_unicast == std::vector{Locator::udp_v4(0x0a00002e, 58584)});
    CHECK(data->metatraffic_unicast == std::vector{Locator::udp_v4(0x0a00002e, 58584)});
}

TEST_CASE("SPDP of RTI Connext is read, other locator kinds are left out") {
    const auto data = decode_message(captured::rti_spdp());
    REQUIRE(data.has_value());
    CHECK(to_string(data->guid) == "010128b5e6d3a577f2aa0d00:000001c1");
    CHECK(data->vendor == vendor::rti);
    CHECK(data->lease == QosDuration{100, 0});
    CHECK(data->metatraffic_unicast == std::vector{Locator::udp_v4(0xc0a848b3, 7412)});
    CHECK(data->default_unicast == std::vector{Locator::udp_v4(0xc0a848b3, 7413)});
    CHECK(data->entity_name == "Connector Shape Example");
}

TEST_CASE("SPDP of OpenDDS is read") {
    const auto data = decode_message(captured::opendds_spdp());
    REQUIRE(data.has_value());
    CHECK(data->vendor == vendor::opendds);
    CHECK(data->domain_id == 42U);
    CHECK(data->lease == QosDuration{300, 0});
    CHECK(data->metatraffic_unicast == std::vector{Locator::udp_v4(0xac110064, 47324)});
}

TEST_CASE("what is written is read back") {
    const ParticipantData data = full_participant();
    const auto decoded = decode_participant(encode_participant(data), limits, vendor::unknown);
    REQUIRE(decoded.has_value());
    CHECK(*decoded == data);
}

TEST_CASE("the lease and the locator are the octets other vendors send") {
    ParticipantData data;
    data.guid = full_participant().guid;
    data.lease = {10, 0};
    data.metatraffic_unicast = {Locator::udp_v4(0x7f000001, 7410)};
    const std::string hex = to_hex(encode_participant(data));
    CHECK(hex.substr(0, 8) == "00030000");
    CHECK(hex.find("020008000a00000000000000") != std::string::npos);
    CHECK(hex.find("3200180001000000f21c00000000000000000000000000007f000001") !=
          std::string::npos);
    CHECK(hex.substr(hex.size() - 8) == "01000000");
}

TEST_CASE("nothing we announce has to be understood, but for a domain tag") {
    ParticipantData data = full_participant();
    data.domain_tag.clear();
    const Buffer payload = encode_participant(data);
    wire::ParameterReader reader(ByteView(payload).subspan(4), std::endian::little);
    while (const auto parameter = reader.next()) {
        REQUIRE(parameter->has_value());
        CHECK_FALSE(wire::pid::must_understand((*parameter)->id));
    }
    CHECK(reader.reached_sentinel());
}

TEST_CASE("absent parameters have the defaults of the standard") {
    const auto data = decode_participant(from_hex(list("")), limits, vendor::eprosima);
    REQUIRE(data.has_value());
    CHECK(data->lease == QosDuration{100, 0});
    CHECK(data->vendor == vendor::eprosima);  // that of the message
    CHECK(data->builtin_endpoints == 0x3fU);
    CHECK_FALSE(data->domain_id.has_value());
    CHECK(data->domain_tag.empty());
}

TEST_CASE("a big-endian list is read as well") {
    const auto data = decode_hex(
        "00020000 00500010 010f01020304050607080900 000001c1 00020008 0000000a00000000 00010000");
    REQUIRE(data.has_value());
    CHECK(data->lease == QosDuration{10, 0});
}

TEST_CASE("the key hash stands in for a missing GUID") {
    const auto data = decode_hex("00030000 70001000 010f01020304050607080900 000001c1 01000000");
    REQUIRE(data.has_value());
    CHECK(to_string(data->guid) == "010f01020304050607080900:000001c1");
}

TEST_CASE("unknown parameters are skipped unless they must be understood") {
    CHECK(decode_hex(list("77000400 00000000")).has_value());
    CHECK(decode_hex(list("7f110400 00000000")).has_value());
    CHECK(decode_hex(list("19800400 00100000")).has_value());
    // A vendor's own, marked: not meant for us.
    CHECK(decode_hex(list("19c00400 00100000")).has_value());
    const auto marked = decode_hex(list("7f410400 00000000"));
    REQUIRE_FALSE(marked.has_value());
    CHECK(marked.error() == wire::DecodeError::unsupported);
}

TEST_CASE("a damaged participant list yields nothing") {
    struct Case {
        const char* what;
        std::string hex;
    };
    const std::vector<Case> cases{
        {"empty", ""},
        {"no GUID", "00030000 01000000"},
        {"not a parameter list", "00010000 00000000"},
        {"no sentinel", std::string(header) + std::string(guid)},
        {"half a parameter", std::string(header) + "50001000 010f"},
        {"GUID too short", "00030000 50000c00 010f01020304050607080900 01000000"},
        {"not a participant", "00030000 50001000 010f01020304050607080900 000003c2 01000000"},
        {"prefix zero", "00030000 50001000 000000000000000000000000 000001c1 01000000"},
        {"GUID twice", list(guid)},
        {"lease too short", list("02000400 0a000000")},
        {"lease negative", list("02000800 ffffffff 00000000")},
        {"lease twice", list("02000800 0a00000000000000 02000800 0a00000000000000")},
        {"endpoint set too long", list("58000800 3f0c0000 00000000")},
        {"locator too short", list("32001400 01000000f21c0000 00000000000000000000000000")},
        {"name without its end", list("62000800 04000000 41424344")},
        {"name longer than the parameter", list("62000800 ff000000 41424300")},
        {"name with a hole", list("62000800 04000000 41004300")},
    };
    for (const Case& row : cases) {
        INFO(row.what);
        CHECK_FALSE(decode_hex(row.hex).has_value());
    }
}

TEST_CASE("names are limited") {
    wire::StringLimits tight;
    tight.string_length = 4;
    ParticipantData data = full_participant();
    CHECK_FALSE(decode_participant(encode_participant(data), tight, vendor::unknown).has_value());
    data.entity_name = "four";
    data.domain_tag = "four";
    CHECK(decode_participant(encode_participant(data), tight, vendor::unknown).has_value());
}

TEST_CASE("no more locators are kept than are of use") {
    ParticipantData data = full_participant();
    data.metatraffic_unicast.assign(100, Locator::udp_v4(0x0a000001, 7410));
    const auto decoded = decode_participant(encode_participant(data), limits, vendor::unknown);
    REQUIRE(decoded.has_value());
    CHECK(decoded->metatraffic_unicast.size() == 32);
}

TEST_CASE("every cut of a participant list is refused") {
    const Buffer whole = encode_participant(full_participant());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_FALSE(
            decode_participant(ByteView(whole).first(size), limits, vendor::own).has_value());
    }
}

TEST_CASE("no flipped bit makes the decoder stumble") {
    const Buffer whole = encode_participant(full_participant());
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        Buffer damaged = whole;
        damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ (1U << (bit % 8)));
        const auto decoded = decode_participant(damaged, limits, vendor::own);
        if (!decoded) ++refused;
        if (decoded) CHECK(decoded->guid.entity == entity::participant);
    }
    CHECK(refused > 0);
}

TEST_CASE("the key of a participant dispose in its three payload forms") {
    const Guid expected = full_participant().guid;
    const auto ours = decode_participant_key(encode_participant_key(expected));
    REQUIRE(ours.has_value());
    CHECK(*ours == expected);

    const Buffer message = captured::cyclone_participant_dispose();
    const auto cyclone = data_of(message, entity::spdp_writer);
    REQUIRE(cyclone.size() == 1);
    CHECK(cyclone[0].data.has_key);
    const auto key = decode_participant_key(cyclone[0].data.payload);
    REQUIRE(key.has_value());
    CHECK(to_string(*key) == "57631001d6ab407f5bd9bb1c:000001c1");

    const auto plain =
        decode_participant_key(from_hex("00000000 010f01020304050607080900 000001c1"));
    REQUIRE(plain.has_value());
    CHECK(to_string(*plain) == "010f01020304050607080900:000001c1");

    CHECK_FALSE(decode_participant_key(from_hex("00030000 01000000")).has_value());
    CHECK_FALSE(decode_participant_key(from_hex("0001")).has_value());
    CHECK_FALSE(decode_participant_key(from_hex("00000000 010f0102")).has_value());
}

TEST_CASE("of the properties only those of our own kind are kept, and damaged ones hurt nobody") {
    const auto read = [](const Properties& properties) {
        ParticipantData data = full_participant();
        data.properties = properties;
        const auto decoded = decode_participant(encode_participant(data), limits, vendor::own);
        REQUIRE(decoded.has_value());
        return decoded->properties;
    };
    const Properties own{{"durabilityd.role", "ingest"}, {"durabilityd.odd", "abcde"}};
    CHECK(read(own) == own);
    CHECK(read({{"__Hostname", "alpha"}, own[0], {"PARTICIPANT_TYPE", "SIMPLE"}, own[1]}) == own);
    CHECK(read({}).empty());
    CHECK(read(Properties(100, own[0])).size() == max_own_properties);
    // Too many, too long, cut off: as if there were none.
    CHECK(read(Properties(300, own[0])).empty());
    CHECK(read({{"durabilityd.host", std::string(2'000, 'x')}}).empty());
    for (const std::string_view damaged : {"59000400 ffffffff",
                                           "59000400 01000000",
                                           "59000c00 01000000 ffffff7f 61000000",
                                           "59001000 01000000 02000000 61000000 00000000"}) {
        const auto decoded = decode_hex(list(damaged));
        REQUIRE(decoded.has_value());
        CHECK(decoded->properties.empty());
    }
}
