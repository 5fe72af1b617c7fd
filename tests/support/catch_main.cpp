#include "support/catch_session.hpp"

int main(int argc, char** argv) {
    return durability::test::run_test_cases(argc, argv);
}
