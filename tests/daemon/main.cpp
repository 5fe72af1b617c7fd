// The daemon sends DDS: the whole program moves into a network of its own before anything else.
#define CATCH_CONFIG_RUNNER
#include "support/netns.hpp"

#include <catch2/catch.hpp>

int main(int argc, char** argv) {
    durability::test::enter_private_network();
    return Catch::Session().run(argc, argv);
}
