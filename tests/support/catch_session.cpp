// The implementation of Catch2, which takes longer to compile than any test: once for all programs.
#define CATCH_CONFIG_RUNNER
#include "support/catch_session.hpp"

#include <catch2/catch.hpp>

int durability::test::run_test_cases(int argc, char** argv) {
    return Catch::Session().run(argc, argv);
}
