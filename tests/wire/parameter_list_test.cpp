#include "wire/parameter_list.hpp"

#include "support/hex.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <vector>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

struct Walk {
    std::vector<std::uint16_t> ids;
    std::optional<DecodeError> error;
    bool sentinel{false};
    std::string rest;
};

Walk walk(const std::string& hex, std::endian order = std::endian::little) {
    const Buffer bytes = from_hex(hex);
    ParameterReader reader(bytes, order);
    Walk result;
    while (const auto parameter = reader.next()) {
        if (!*parameter) {
            result.error = parameter->error();
            CHECK_FALSE(reader.next().has_value());
            break;
        }
        result.ids.push_back((*parameter)->id);
    }
    result.sentinel = reader.reached_sentinel();
    result.rest = to_hex(reader.rest());
    return result;
}

}  // namespace

TEST_CASE("parameters come in order, padding ones are skipped, the rest follows the sentinel") {
    const Walk result = walk("70000400 01020304 00000800 0000000000000000 05800000 01000000 aabb");
    CHECK(result.ids == std::vector<std::uint16_t>{0x0070, 0x8005});
    CHECK_FALSE(result.error.has_value());
    CHECK(result.sentinel);
    CHECK(result.rest == "aabb");
}

TEST_CASE("a list can be big-endian") {
    const Walk result = walk("00700004 01020304 00010000", std::endian::big);
    CHECK(result.ids == std::vector<std::uint16_t>{0x0070});
    CHECK(result.sentinel);
}

TEST_CASE("the length of the sentinel means nothing") {
    const Walk result = walk("0100ffff aa");
    CHECK(result.sentinel);
    CHECK(result.rest == "aa");
}

TEST_CASE("a list without sentinel is refused") {
    CHECK(walk("").error == DecodeError::missing_sentinel);
    const Walk result = walk("70000400 01020304");
    CHECK(result.ids.size() == 1);
    CHECK(result.error == DecodeError::missing_sentinel);
    CHECK_FALSE(result.sentinel);
    CHECK(result.rest.empty());
}

TEST_CASE("half a parameter is refused") {
    CHECK(walk("7000").error == DecodeError::truncated);
    CHECK(walk("70000400 010203").error == DecodeError::truncated);
    CHECK(walk("7000fcff 01020304").error == DecodeError::truncated);
    CHECK(walk("00000800 01020304").error == DecodeError::truncated);
}

TEST_CASE("a length that is not a multiple of four is refused, for padding too") {
    CHECK(walk("70000300 010203 01000000").error == DecodeError::bad_length);
    CHECK(walk("00000200 0102 01000000").error == DecodeError::bad_length);
}

TEST_CASE("the size of a list is where its sentinel ends") {
    CHECK(parameter_list_size(from_hex("70000400 01020304 01000000 aabb"), std::endian::little) ==
          12U);
    CHECK(parameter_list_size(from_hex("70000400 01020304"), std::endian::little).error() ==
          DecodeError::missing_sentinel);
}

TEST_CASE("the builder writes what the standard prescribes") {
    Buffer out;
    ParameterListBuilder list(out);
    list.u32(0x000f, 7);
    list.i32(0x0006, -1);
    list.boolean(0x0043, true);
    list.string(0x0005, "abc");
    list.string(0x0005, "abcd");
    list.octets(0x8001, from_hex("010203"));
    list.octet_sequence(0x002c, from_hex("0a0b"));
    list.guid(0x005a, Guid{test::a_prefix(), entity::publications_writer});
    list.duration(0x0023, {1, 0x80000000U});
    list.locator(0x0032, Locator::udp_v4(0x7f000001, 7410));
    list.sequence_number(0x0056, {0x100000002});
    list.protocol_version(0x0015, {2, 5});
    list.vendor(0x0016, vendor::own);
    list.finish();
    CHECK(list.ok());
    CHECK(to_hex(out) ==
          to_hex(from_hex("0f000400 07000000"
                          "06000400 ffffffff"
                          "43000400 01000000"
                          "05000800 04000000 61626300"
                          "05000c00 05000000 61626364 00000000"
                          "01800400 01020300"
                          "2c000800 02000000 0a0b0000"
                          "5a001000 111111111111111111111111 000003c2"
                          "23000800 01000000 00000080"
                          "32001800 01000000 f21c0000 000000000000000000000000 7f000001"
                          "56000800 01000000 02000000"
                          "15000400 02050000"
                          "16000400 017f0000"
                          "01000000")));
}

TEST_CASE("a value that does not fit its length is left out and noticed") {
    Buffer out;
    ParameterListBuilder list(out);
    list.octets(0x0001, Buffer(65532));
    CHECK(list.ok());
    const std::size_t size = out.size();
    list.octets(0x0002, Buffer(65533));
    CHECK_FALSE(list.ok());
    CHECK(out.size() == size);
    list.string(0x0002, std::string(65528, 'x'));
    list.octet_sequence(0x0002, Buffer(65529));
    CHECK(out.size() == size);
    list.finish();
    CHECK_FALSE(list.ok());
}

TEST_CASE("alignment counts from the parameter, not from where the buffer began") {
    Buffer out = from_hex("aabbcc");
    ParameterListBuilder list(out);
    list.string(0x0005, "a");
    list.finish();
    CHECK(to_hex(out) ==
          "aabbcc"
          "05000800"
          "0200000061000000"
          "01000000");
}

TEST_CASE("the flag that demands understanding is not part of the id") {
    CHECK(pid::must_understand(pid::domain_tag));
    CHECK_FALSE(pid::must_understand(pid::key_hash));
    CHECK(pid::without_flag(0x4070) == pid::key_hash);
    CHECK(pid::without_flag(0xc001) == 0x8001);
}
