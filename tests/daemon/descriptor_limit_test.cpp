// What a limit on file descriptors leaves for the logs.
#include "runtime/descriptor_limit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include <sys/resource.h>

using namespace durability::runtime;

TEST_CASE("logs are held open as far as everything else keeps its descriptors") {
    const std::uint64_t others = descriptors_of_process + descriptors_of_domain;
    CHECK(descriptors_wanted(256, 1) == others + 256);
    CHECK(descriptors_wanted(256, 3) == descriptors_of_process + 3 * (descriptors_of_domain + 256));
    CHECK(affordable_open_files(256, 1, 1024) == 256);
    CHECK(affordable_open_files(256, 1, others + 256) == 256);
    CHECK(affordable_open_files(256, 1, others + 255) == 255);
    CHECK(affordable_open_files(256, 1, others + 20) == 20);
    // Never none, however little there is.
    CHECK(affordable_open_files(256, 1, others) == 8);
    CHECK(affordable_open_files(256, 1, 0) == 8);
    CHECK(affordable_open_files(4, 1, 0) == 4);
    // Domains share.
    const std::uint64_t two = descriptors_of_process + 2 * descriptors_of_domain;
    CHECK(affordable_open_files(256, 2, two + 100) == 50);
}

TEST_CASE("the soft limit is raised as far as it is wanted, and never lowered") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit low{std::min<rlim_t>(64, before.rlim_max), before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    CHECK(raise_descriptor_limit(32) == low.rlim_cur);
    const std::uint64_t wanted = std::min<rlim_t>(100, before.rlim_max);
    CHECK(raise_descriptor_limit(wanted) == wanted);
    rlimit now{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &now) == 0);
    CHECK(now.rlim_cur == wanted);
    CHECK(now.rlim_max == before.rlim_max);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}
