#include "rtps/best_effort_reader.hpp"

#include "fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::test;

namespace {

struct BestEffort {
    BestEffort() { reader.match(writer); }
    void data(std::int64_t number) {
        reader.on_data(writer, test::data(number, {}), {}, at(0s), samples);
    }
    std::vector<std::int64_t> delivered() {
        std::vector<std::int64_t> numbers;
        for (const auto& sample : samples)
            numbers.push_back(sample.number.value);
        samples.clear();
        return numbers;
    }
    Guid writer{remote_writer()};
    rtps::BestEffortReader reader{reader_entity};
    std::vector<rtps::ReceivedSample> samples;
};

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a best-effort reader delivers increasing numbers and counts what it missed") {
    BestEffort r;
    for (const std::int64_t number : {1, 2, 2, 5, 4, 6, 1})
        r.data(number);
    CHECK(r.delivered() == Numbers{1, 2, 5, 6});
    CHECK(r.reader.status(r.writer)->lost == 2);
    CHECK(r.reader.status(r.writer)->duplicates == 3);
    CHECK(r.reader.status(r.writer)->received == 4);
}

TEST_CASE("a best-effort reader delivers whole large samples only") {
    BestEffort r;
    const Buffer sample = bytes(250);
    const auto frag = [&](std::int64_t number, std::uint32_t first) {
        r.reader.on_data_frag(
            r.writer, fragment(number, sample, 100, first), {}, at(0s), r.samples);
    };
    frag(1, 1);
    frag(2, 1);
    frag(2, 3);
    CHECK(r.samples.empty());
    frag(2, 2);
    REQUIRE(r.samples.size() == 1);
    CHECK(std::ranges::equal(r.samples[0].payload.view(), sample));
    frag(1, 2);
    frag(1, 3);
    CHECK(r.delivered() == Numbers{2});
}

TEST_CASE("one forged number far ahead costs a best-effort reader a few samples, not all") {
    BestEffort r;
    for (std::int64_t number = 1; number <= 5; ++number)
        r.data(number);
    r.data(1'000'000'000'000);
    for (std::int64_t number = 6; number <= 20; ++number)
        r.data(number);
    CHECK(r.delivered() ==
          Numbers{1, 2, 3, 4, 5, 1'000'000'000'000, 13, 14, 15, 16, 17, 18, 19, 20});
    CHECK(r.reader.status(r.writer)->lost == 7);
}

TEST_CASE("repeated old samples are not taken for the end of a leap") {
    BestEffort r;
    for (std::int64_t number = 1; number <= 20; ++number)
        r.data(number);
    r.data(5'000);
    for (std::int64_t number = 5'001; number <= 5'020; ++number)
        r.data(number);
    (void)r.delivered();
    for (std::int64_t number = 1; number <= 20; ++number)
        r.data(number);
    for (std::int64_t number = 5'000; number <= 5'020; ++number)
        r.data(number);
    CHECK(r.delivered().empty());
}

TEST_CASE("a matched best-effort writer resumes, an unmatched one is ignored") {
    BestEffort r;
    r.reader.match(r.writer, sn(10));
    r.data(10);
    r.data(11);
    CHECK(r.delivered() == Numbers{11});
    r.reader.unmatch(r.writer);
    r.data(12);
    CHECK(r.delivered().empty());
    CHECK_FALSE(r.reader.status(r.writer));
}
