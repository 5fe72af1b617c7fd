#include "wire/sequence_set.hpp"

#include "support/hex.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <vector>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

template <class Set>
std::vector<std::int64_t> members(const Set& set) {
    std::vector<std::int64_t> result;
    set.for_each([&](auto number) { result.push_back(static_cast<std::int64_t>(number.value)); });
    return result;
}

Decoded<SequenceNumberSet> read(const char* hex, ZeroBase zero_base = ZeroBase::refused) {
    const Buffer bytes = from_hex(hex);
    ByteReader in(bytes);
    return read_sequence_number_set(in, zero_base);
}

Decoded<FragmentNumberSet> read_fragments(const char* hex) {
    const Buffer bytes = from_hex(hex);
    ByteReader in(bytes);
    return read_fragment_number_set(in);
}

}  // namespace

TEST_CASE("a set holds what was inserted, in increasing order") {
    const SequenceNumberSet set = test::a_set(10, {12, 10, 265, 41, 42});
    CHECK(members(set) == std::vector<std::int64_t>{10, 12, 41, 42, 265});
    CHECK(set.num_bits == 256);
    CHECK(set.contains({41}));
    CHECK_FALSE(set.contains({11}));
    CHECK_FALSE(set.contains({9}));
    CHECK_FALSE(set.contains({266}));
    CHECK_FALSE(set.empty());
    CHECK(SequenceNumberSet{}.empty());
}

TEST_CASE("the window is 256 numbers wide at both ends of the number space") {
    SequenceNumberSet set;
    set.base = {100};
    CHECK(set.fits({100}));
    CHECK(set.fits({355}));
    CHECK_FALSE(set.fits({356}));
    CHECK_FALSE(set.fits({99}));
    CHECK_FALSE(set.fits({std::numeric_limits<std::int64_t>::min()}));
    CHECK_FALSE(set.fits({std::numeric_limits<std::int64_t>::max()}));
    CHECK_FALSE(set.contains({std::numeric_limits<std::int64_t>::min()}));
    set.base = max_sequence_number;
    CHECK(set.fits(max_sequence_number));
}

TEST_CASE("bits are most significant first within words") {
    const SequenceNumberSet set = test::a_set(1, {1, 32, 33});
    CHECK(set.bitmap[0] == 0x80000001U);
    CHECK(set.bitmap[1] == 0x80000000U);
    Buffer out;
    ByteWriter writer(out);
    write_sequence_number_set(writer, set);
    CHECK(out == from_hex("00000000 01000000 21000000 01000080 00000080"));
    CHECK(encoded_size(set) == out.size());
}

TEST_CASE("a set of 256 bits is read whole") {
    const auto set = read(
        "00000000 05000000 00010000 00000080 00000000 00000000 00000000 00000000 00000000 00000000 "
        "01000000");
    REQUIRE(set.has_value());
    CHECK(members(*set) == std::vector<std::int64_t>{5, 260});
}

TEST_CASE("more bits than 256 are refused whatever follows") {
    CHECK(read("00000000 05000000 01010000").error() == DecodeError::bad_range);
    CHECK(read("00000000 05000000 ffffffff").error() == DecodeError::bad_range);
    CHECK(read_fragments("01000000 01010000").error() == DecodeError::bad_range);
    CHECK(read_fragments("01000000 ffffffff").error() == DecodeError::bad_range);
}

TEST_CASE("a missing word is noticed") {
    CHECK(read("00000000 05000000 21000000 ffffffff").error() == DecodeError::truncated);
    CHECK(read("00000000 05000000 0100").error() == DecodeError::truncated);
    CHECK(read_fragments("05000000 21000000 ffffffff ffffff").error() == DecodeError::truncated);
}

TEST_CASE("bits behind the last one do not count") {
    const auto set = read("00000000 05000000 02000000 ffffffff");
    REQUIRE(set.has_value());
    CHECK(members(*set) == std::vector<std::int64_t>{5, 6});
    CHECK(*set == test::a_set(5, {5, 6}));
}

TEST_CASE("a base below one is refused, but for the empty set of a pre-emptive ACKNACK") {
    CHECK(read("00000000 00000000 00000000").error() == DecodeError::bad_range);
    CHECK(read("00000000 00000000 00000000", ZeroBase::if_empty).has_value());
    CHECK(read("00000000 00000000 01000000 00000080", ZeroBase::if_empty).error() ==
          DecodeError::bad_range);
    CHECK(read("ffffffff 00000000 00000000", ZeroBase::if_empty).error() == DecodeError::bad_range);
    CHECK(read("00000080 00000000 00000000", ZeroBase::if_empty).error() == DecodeError::bad_range);
    CHECK(read_fragments("00000000 00000000").error() == DecodeError::bad_range);
}

TEST_CASE("a window that passes the largest number is refused") {
    CHECK(read("ffffff7f feffffff 00000000").has_value());
    CHECK(read("ffffff7f ffffffff 00000000").error() == DecodeError::bad_range);
    CHECK(read("ffffff7f feffffff 01000000 00000080").error() == DecodeError::bad_range);
    CHECK(read("ffffff7f fdffffff 01000000 00000080").has_value());
    CHECK(read_fragments("ffffffff 00000000").has_value());
    CHECK(read_fragments("ffffffff 01000000 00000080").error() == DecodeError::bad_range);
    CHECK(read_fragments("00ffffff 00010000").error() == DecodeError::bad_range);
    CHECK(read_fragments("fffeffff 00010000").error() == DecodeError::truncated);
}

TEST_CASE("fragment sets have a base of 32 bits") {
    const auto set = read_fragments("02000000 03000000 000000a0");
    REQUIRE(set.has_value());
    CHECK(members(*set) == std::vector<std::int64_t>{2, 4});
    Buffer out;
    ByteWriter writer(out);
    write_fragment_number_set(writer, *set);
    CHECK(out == from_hex("02000000 03000000 000000a0"));
    CHECK(encoded_size(*set) == out.size());
}

TEST_CASE("a number that a sample can have is at least one") {
    CHECK(is_valid(SequenceNumber{1}));
    CHECK(is_valid(max_sequence_number));
    CHECK_FALSE(is_valid(SequenceNumber{0}));
    CHECK_FALSE(is_valid(SequenceNumber{-1}));
    CHECK_FALSE(is_valid(next(max_sequence_number)));
}
