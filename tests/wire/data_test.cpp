// DATA and DATA_FRAG: layout, and what is refused.
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::body_of;
using durability::test::from_hex;

namespace {

constexpr std::uint8_t little = submessage_flag::little_endian;
constexpr const char* fixed = "0000 1000 00000107 00000203 00000000 07000000";
constexpr const char* qos = "71000400 00000001 01000000";

Decoded<Data> data(std::uint8_t flags, const std::string& hex, Buffer& keep) {
    keep = from_hex(hex);
    return decode_data(keep, flags);
}

DecodeError data_error(std::uint8_t flags, const std::string& hex) {
    Buffer keep;
    const auto result = data(flags, hex, keep);
    REQUIRE_FALSE(result.has_value());
    return result.error();
}

struct FragNumbers {
    std::uint32_t first{1};
    std::uint16_t count{1};
    std::uint16_t size{8};
    std::uint32_t sample{20};
    std::size_t payload{8};
};

Decoded<DataFrag> data_frag(const FragNumbers& numbers, std::uint8_t flags = little) {
    Buffer body;
    ByteWriter out(body);
    out.u16(0);
    out.u16(28);
    out.u32_big(test::a_reader.value);
    out.u32_big(test::a_writer.value);
    write_sequence_number(out, {7});
    out.u32(numbers.first);
    out.u16(numbers.count);
    out.u16(numbers.size);
    out.u32(numbers.sample);
    out.zeros(numbers.payload);
    auto result = decode_data_frag(body, flags);
    if (result) CHECK(result->payload.size() <= numbers.payload);
    return result;
}

}  // namespace

TEST_CASE("a DATA with inline QoS and payload has the layout of the standard") {
    const Buffer list = from_hex(qos);
    const Buffer payload = from_hex("00010000 01020304");
    DataFields fields{test::a_reader, test::a_writer, {7}, list, payload, PayloadKind::key};
    Buffer out;
    encode_data(out, fields);
    CHECK(out == from_hex(std::string("15 0b 2800") + fixed + qos + "00010000 01020304"));
    CHECK(data_size(fields) == out.size());
    const auto value = decode_data(body_of(out), out[1]);
    REQUIRE(value.has_value());
    CHECK(value->reader == test::a_reader);
    CHECK(value->writer == test::a_writer);
    CHECK(value->number == SequenceNumber{7});
    CHECK(value->has_key);
    CHECK_FALSE(value->has_data);
    CHECK(value->payload_kind() == PayloadKind::key);
    CHECK(to_hex(value->inline_qos) == to_hex(list));
    CHECK(to_hex(value->payload) == to_hex(payload));
}

TEST_CASE("a payload of any size is followed by zeros up to a multiple of four") {
    for (std::size_t size = 4; size < 12; ++size) {
        const Buffer payload(size, 0xee);
        DataFields fields{test::a_reader, test::a_writer, {7}, {}, payload, PayloadKind::data};
        Buffer out;
        encode_data(out, fields);
        REQUIRE(out.size() % 4 == 0);
        REQUIRE(out.size() == data_size(fields));
        const auto value = decode_data(body_of(out), out[1]);
        REQUIRE(value.has_value());
        REQUIRE(value->payload.size() == (size + 3) / 4 * 4);
        for (std::size_t i = 0; i < value->payload.size(); ++i) {
            REQUIRE(value->payload[i] == (i < size ? 0xee : 0));
        }
    }
}

TEST_CASE("a DATA without D and K flag has no payload, whatever follows") {
    Buffer keep;
    const auto value = data(little, std::string(fixed) + "01020304", keep);
    REQUIRE(value.has_value());
    CHECK(value->payload.empty());
    CHECK(value->payload_kind() == PayloadKind::none);
    const Buffer payload = from_hex("00010000");
    DataFields fields{test::a_reader, test::a_writer, {7}, {}, payload, PayloadKind::none};
    Buffer out;
    encode_data(out, fields);
    CHECK(out == from_hex(std::string("15 01 1400") + fixed));
}

TEST_CASE("a DATA with both D and K flag is refused") {
    CHECK(data_error(0x0d, std::string(fixed) + "00010000") == DecodeError::bad_flags);
}

TEST_CASE("a DATA whose number cannot be is refused") {
    const std::string ids = "0000 1000 00000107 00000203";
    CHECK(data_error(0x05, ids + "00000000 00000000 00010000") == DecodeError::bad_range);
    CHECK(data_error(0x05, ids + "ffffffff 00000000 00010000") == DecodeError::bad_range);
    CHECK(data_error(0x05, ids + "ffffff7f ffffffff 00010000") == DecodeError::bad_range);
}

TEST_CASE("an offset of the inline QoS in front of it or behind the end is refused") {
    const std::string rest = "00000107 00000203 00000000 07000000";
    CHECK(data_error(0x01, "0000 0f00" + rest) == DecodeError::bad_length);
    CHECK(data_error(0x01, "0000 0000" + rest) == DecodeError::bad_length);
    CHECK(data_error(0x01, "0000 1100" + rest) == DecodeError::bad_length);
    CHECK(data_error(0x01, "0000 ffff" + rest) == DecodeError::bad_length);
}

TEST_CASE("fields that later versions put in front of the inline QoS are skipped") {
    Buffer keep;
    const auto value = data(0x07,
                            "0000 1800 00000107 00000203 00000000 07000000 aaaaaaaa bbbbbbbb"
                            "01000000 00010000",
                            keep);
    REQUIRE(value.has_value());
    CHECK(to_hex(value->inline_qos) == "01000000");
    CHECK(to_hex(value->payload) == "00010000");
}

TEST_CASE("inline QoS without its sentinel is refused") {
    CHECK(data_error(0x03, std::string(fixed)) == DecodeError::missing_sentinel);
    CHECK(data_error(0x03, std::string(fixed) + "71000400 00000001") ==
          DecodeError::missing_sentinel);
    CHECK(data_error(0x03, std::string(fixed) + "71000800 00000001") == DecodeError::truncated);
    CHECK(data_error(0x03, std::string(fixed) + "7100") == DecodeError::truncated);
    CHECK(data_error(0x03, std::string(fixed) + "7100fdff 00000001 01000000") ==
          DecodeError::bad_length);
}

TEST_CASE("a payload shorter than its own header is refused unless it is not a standard one") {
    CHECK(data_error(0x05, std::string(fixed)) == DecodeError::bad_length);
    CHECK(data_error(0x05, std::string(fixed) + "000100") == DecodeError::bad_length);
    CHECK(data_error(0x07, std::string(fixed) + "01000000") == DecodeError::bad_length);
    Buffer keep;
    const auto value = data(0x15, std::string(fixed) + "0001", keep);
    REQUIRE(value.has_value());
    CHECK(value->non_standard);
}

TEST_CASE("a DATA_FRAG has the layout of the standard") {
    const Buffer list = from_hex(qos);
    const Buffer payload(16, 0xdd);
    DataFragFields fields{test::a_reader, test::a_writer, {7}, {2}, 2, 8, 100, list, payload, true};
    Buffer out;
    encode_data_frag(out, fields);
    CHECK(out == from_hex(std::string("16 07 3c00 0000 1c00 00000107 00000203 00000000 07000000"
                                      "02000000 0200 0800 64000000") +
                          qos + to_hex(payload)));
    CHECK(data_frag_size(fields) == out.size());
    const auto value = decode_data_frag(body_of(out), out[1]);
    REQUIRE(value.has_value());
    CHECK(value->has_key);
    CHECK(value->first == FragmentNumber{2});
    CHECK(value->count == 2);
    CHECK(value->fragment_size == 8);
    CHECK(value->sample_size == 100);
    CHECK(to_hex(value->inline_qos) == to_hex(list));
    CHECK(to_hex(value->payload) == to_hex(payload));
}

TEST_CASE("the last fragment of a sample may be short, and its padding is cut off") {
    const auto last = data_frag({.first = 3, .count = 1, .size = 8, .sample = 21, .payload = 8});
    REQUIRE(last.has_value());
    CHECK(last->payload.size() == 5);
    const auto all = data_frag({.first = 1, .count = 3, .size = 8, .sample = 21, .payload = 21});
    REQUIRE(all.has_value());
    CHECK(all->payload.size() == 21);
}

TEST_CASE("fragments that are not all there, or more than said, are refused") {
    CHECK(data_frag({.payload = 7}).error() == DecodeError::bad_length);
    CHECK(data_frag({.payload = 0}).error() == DecodeError::bad_length);
    CHECK(data_frag({.payload = 12}).error() == DecodeError::bad_length);
    CHECK(data_frag({.count = 2, .payload = 15}).error() == DecodeError::bad_length);
}

TEST_CASE("fragment numbers outside the sample are refused without arithmetic that wraps") {
    CHECK(data_frag({.first = 0}).error() == DecodeError::bad_range);
    CHECK(data_frag({.count = 0}).error() == DecodeError::bad_range);
    CHECK(data_frag({.size = 0}).error() == DecodeError::bad_range);
    CHECK(data_frag({.sample = 0}).error() == DecodeError::bad_range);
    CHECK(data_frag({.first = 4}).error() == DecodeError::bad_range);
    CHECK(data_frag({.first = 3, .count = 2}).error() == DecodeError::bad_range);
    CHECK(data_frag({.first = 0xffffffffU}).error() == DecodeError::bad_range);
    CHECK(data_frag({.first = 0xffffffffU, .count = 0xffff}).error() == DecodeError::bad_range);
    CHECK(data_frag(
              {.first = 0xffffffffU, .count = 1, .size = 1, .sample = 0xffffffffU, .payload = 1})
              .has_value());
}

TEST_CASE("a fragmented sample too small for its own header is refused") {
    CHECK(data_frag({.size = 3, .sample = 3, .payload = 3}).error() == DecodeError::bad_range);
    CHECK(data_frag({.size = 3, .sample = 3, .payload = 3}, 0x09).has_value());
}

TEST_CASE("the number of fragments is rounded up") {
    CHECK(fragment_count(1344, 1344) == 1);
    CHECK(fragment_count(1345, 1344) == 2);
    CHECK(fragment_count(1, 65535) == 1);
    CHECK(fragment_count(0xffffffffU, 1) == 0xffffffffU);
}
