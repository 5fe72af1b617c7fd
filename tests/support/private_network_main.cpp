// For tests that send DDS, or start who does: the whole program moves into a network of its own
// before anything else. Nothing they send can reach anybody else.
#include "support/catch_session.hpp"
#include "support/netns.hpp"

int main(int argc, char** argv) {
    durability::test::enter_private_network();
    return durability::test::run_test_cases(argc, argv);
}
