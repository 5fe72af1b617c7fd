#include "wire/inline_qos.hpp"

#include "support/hex.hpp"
#include "wire/parameter_id.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

constexpr auto little = std::endian::little;
const std::string guid = "111111111111111111111111 00000203";

Decoded<InlineQos> decode(const std::string& hex, std::endian order = little) {
    return decode_inline_qos(from_hex(hex), order);
}

}  // namespace

TEST_CASE("no list is the empty list") {
    CHECK(decode_inline_qos({}, little) == InlineQos{});
    CHECK(decode("01000000") == InlineQos{});
}

TEST_CASE("status bits are read the same in both byte orders") {
    const auto from_little = decode("71000400 00000003 01000000");
    const auto from_big = decode("00710004 00000003 00010000", std::endian::big);
    REQUIRE(from_little.has_value());
    CHECK(from_little->status_info == (status_disposed | status_unregistered));
    CHECK(from_little->lifecycle() == Lifecycle::dispose_unregister);
    CHECK(from_big == from_little);
    CHECK(decode("71000400 00000004 01000000")->lifecycle() == Lifecycle::data);
}

TEST_CASE("the original writer is who wrote the sample, with a number that exists") {
    const auto qos = decode("61001800 " + guid + " 00000000 07000000 01000000");
    REQUIRE(qos.has_value());
    REQUIRE(qos->original_writer.has_value());
    CHECK(qos->original_writer->writer == Guid{test::a_prefix(), test::a_writer});
    CHECK(qos->original_writer->number == SequenceNumber{7});
    CHECK(decode("61001800 " + guid + " 00000000 00000000 01000000").error() ==
          DecodeError::bad_range);
    CHECK(decode("61001800 " + guid + " ffffffff 00000000 01000000").error() ==
          DecodeError::bad_range);
    CHECK(decode("61001000 " + guid + " 01000000").error() == DecodeError::bad_length);
}

TEST_CASE("a related sample keeps the id it came under, and its number may be unknown") {
    const auto standard = decode("83001800 " + guid + " ffffffff 00000000 01000000");
    REQUIRE((standard && standard->related));
    CHECK(standard->related->parameter_id == pid::related_sample_identity);
    CHECK(standard->related->id.number == SequenceNumber{-4294967296});
    const auto of_vendor = decode("0f801800 " + guid + " 00000000 02000000 01000000");
    REQUIRE((of_vendor && of_vendor->related));
    CHECK(of_vendor->related->parameter_id == pid::eprosima_related_sample_identity);
}

TEST_CASE("of a related sample under both ids the standard one counts") {
    const std::string first = "0f801800 " + guid + " 00000000 02000000";
    const std::string second = "83001800 " + guid + " 00000000 03000000";
    for (const std::string& list : {first + second, second + first}) {
        const auto qos = decode(list + "01000000");
        REQUIRE((qos && qos->related));
        CHECK(qos->related->parameter_id == pid::related_sample_identity);
        CHECK(qos->related->id.number == SequenceNumber{3});
    }
}

TEST_CASE("another vendor's use of an id is not an error") {
    const auto qos = decode("0f800400 00000000 01000000");
    REQUIRE(qos.has_value());
    CHECK_FALSE(qos->related.has_value());
}

TEST_CASE("coherent sets are read, also the number that ends one") {
    const auto qos = decode(
        "56000800 00000000 05000000 63000800 00000000 06000000"
        "64000800 00000000 07000000 01000000");
    REQUIRE(qos.has_value());
    CHECK(qos->coherent_set == SequenceNumber{5});
    CHECK(qos->group_coherent_set == SequenceNumber{6});
    CHECK(qos->group_sequence == SequenceNumber{7});
    CHECK(decode("56000800 ffffffff 00000000 01000000")->coherent_set->value < 1);
}

TEST_CASE("wrong lengths are refused for every parameter that is known") {
    CHECK(decode("70000c00 000000000000000000000000 01000000").error() == DecodeError::bad_length);
    CHECK(decode("71000800 00000001 00000000 01000000").error() == DecodeError::bad_length);
    CHECK(decode("71000000 01000000").error() == DecodeError::bad_length);
    CHECK(decode("56000400 00000000 01000000").error() == DecodeError::bad_length);
    CHECK(decode("63000400 00000000 01000000").error() == DecodeError::bad_length);
    CHECK(decode("64000400 00000000 01000000").error() == DecodeError::bad_length);
    CHECK(decode("83000400 00000000 01000000").error() == DecodeError::bad_length);
}

TEST_CASE("a parameter that stands twice is refused") {
    CHECK(decode("71000400 00000001 71000400 00000001 01000000").error() ==
          DecodeError::duplicate_parameter);
    CHECK(decode("56000800 00000000 05000000 56000800 00000000 05000000 01000000").error() ==
          DecodeError::duplicate_parameter);
}

TEST_CASE("an unknown parameter is skipped unless it demands to be understood") {
    const auto harmless = decode("55000400 00000000 ff0f0000 71000400 00000001 01000000");
    REQUIRE(harmless.has_value());
    CHECK_FALSE(harmless->has_unknown_must_understand);
    CHECK(harmless->status_info == 1);
    const auto demanding = decode("ff4f0400 00000000 71000400 00000001 01000000");
    REQUIRE(demanding.has_value());
    CHECK(demanding->has_unknown_must_understand);
    CHECK(demanding->status_info == 1);
    CHECK(decode("01c00000 01000000")->has_unknown_must_understand);
    const auto known = decode("71400400 00000001 01000000");
    REQUIRE(known.has_value());
    CHECK_FALSE(known->has_unknown_must_understand);
    CHECK(known->status_info == 1);
}

TEST_CASE("a list that is not one is refused") {
    CHECK(decode("71000400 00000001").error() == DecodeError::missing_sentinel);
    CHECK(decode("71000400 000000").error() == DecodeError::truncated);
    CHECK(decode("71000300 000000 01000000").error() == DecodeError::bad_length);
}

TEST_CASE("what is encoded is what is decoded") {
    InlineQos qos;
    qos.key_hash = KeyHash{1, 2, 3};
    qos.status_info = status_unregistered;
    qos.original_writer = SampleId{{test::a_prefix(), test::a_writer}, {9}};
    qos.related = RelatedSample{pid::eprosima_related_sample_identity,
                                {{test::a_prefix(0x44), test::a_writer}, {-4294967296}}};
    qos.coherent_set = SequenceNumber{8};
    qos.group_coherent_set = SequenceNumber{-4294967296};
    qos.group_sequence = SequenceNumber{12};
    Buffer out;
    encode_inline_qos(out, qos);
    CHECK(out.size() % 4 == 0);
    CHECK(decode_inline_qos(out, little) == qos);
    out.clear();
    encode_inline_qos(out, InlineQos{});
    CHECK(to_hex(out) == "01000000");
}
