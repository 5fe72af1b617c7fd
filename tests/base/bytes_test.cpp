#include "base/bytes.hpp"

#include <catch2/catch.hpp>

using namespace durability;

TEST_CASE("hexadecimal text has two lower-case digits for each byte") {
    CHECK(to_hex({}).empty());
    CHECK(to_hex(Buffer{0x00, 0x0f, 0xa5, 0xff}) == "000fa5ff");
}

TEST_CASE("a borrowed payload becomes independent of its source when it is made owned") {
    Buffer source{1, 2, 3};
    Payload payload = Payload::borrowed(source);
    CHECK_FALSE(payload.is_owned());
    payload.make_owned();
    source[0] = 9;
    CHECK(payload.is_owned());
    CHECK(payload.view()[0] == 1);
}

TEST_CASE("moving an owned payload keeps its view valid and empties the source") {
    Payload first = Payload::owned(Buffer{7, 8});
    Payload second = std::move(first);
    CHECK(second.size() == 2);
    CHECK(second.view()[1] == 8);
    CHECK(first.size() ==
          0);  // NOLINT(bugprone-use-after-move): the state after the move is the point
}

TEST_CASE("taking the bytes of a payload copies borrowed ones and leaves it empty") {
    const Buffer source{4, 5, 6};
    Payload payload = Payload::borrowed(source);
    CHECK(payload.take() == source);
    CHECK(payload.size() == 0);
}
