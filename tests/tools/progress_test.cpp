#include "durabilityctl/progress.hpp"

#include <catch2/catch.hpp>

using namespace durability::ctl;

TEST_CASE("of a long text the end is kept") {
    CHECK(shortened("abcdef", 6) == "abcdef");
    CHECK(shortened("abcdefgh", 6) == "...fgh");
    CHECK(shortened("abcdef", 2) == "ef");
}
