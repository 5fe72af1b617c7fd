// Several readers in one process (fact sheet 12.2): each gets its history once, whatever the others
// had.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <deque>
#include <random>
#include <set>

using namespace durability;
using namespace durability::test;

namespace {

const auto both_vendors = {vendor::eprosima, vendor::eclipse};
const EndpointChoice transient_local{};
const EndpointChoice transient{.durability = DurabilityKind::transient};

std::string numbers(int first, int last) {
    std::string text;
    for (int number = first; number <= last; ++number)
        text += fmt::format("{}{}", text.empty() ? "" : " ", number);
    return text;
}

// The history of a TRANSIENT writer that is gone.
struct Legacy {
    Legacy() {
        world.start_daemon();
        guid = leave(20);
    }
    Guid leave(int samples) {
        Application& talker = world.start_application(vendor::eclipse);
        ModelWriter& writer = world.create_writer(talker, transient);
        world.run(200ms);
        world.write(writer, samples);
        REQUIRE(world.run_until_kept(writer));
        world.end_application(talker, Ending::farewell);
        world.run(1s);
        return writer.guid();
    }
    World world;
    Guid guid;
};

}  // namespace

TEST_CASE("readers that ask for TRANSIENT_LOCAL may come one after the other") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        Legacy legacy;
        Application& listener = legacy.world.start_application(readers);
        std::vector<const AppReader*> all;
        for (int i = 0; i < 4; ++i) {
            all.push_back(&legacy.world.create_reader(listener, transient_local));
            legacy.world.run(1800ms);
        }
        for (const AppReader* reader : all)
            CHECK(reader->numbers_of(legacy.guid) == numbers(1, 20));
        CHECK(legacy.world.daemon().events_of(EventKind::ReaderCannotBeServed) == 0);
    }
}

TEST_CASE("readers that come within milliseconds get their history once each") {
    for (const VendorId readers : both_vendors) {
        for (const Duration apart : {Duration{0}, Duration{1ms}, Duration{3ms}}) {
            for (const bool mixed : {false, true}) {
                CAPTURE(readers.value, apart.count(), mixed);
                Legacy legacy;
                Application& listener = legacy.world.start_application(readers);
                std::vector<const AppReader*> all;
                for (int i = 0; i < 3; ++i) {
                    all.push_back(&legacy.world.create_reader(
                        listener, mixed && i == 1 ? transient_local : transient));
                    legacy.world.run(apart);
                }
                legacy.world.run(5s);
                for (const AppReader* reader : all)
                    CHECK(reader->numbers_of(legacy.guid) == numbers(1, 20));
            }
        }
    }
}

TEST_CASE(
    "a TRANSIENT reader of Cyclone DDS that comes too late is named, and nobody gets anything "
    "twice") {
    Legacy legacy;
    Application& listener = legacy.world.start_application(vendor::eclipse);
    const AppReader& first = legacy.world.create_reader(listener, transient);
    legacy.world.run(2s);
    const AppReader& second = legacy.world.create_reader(listener, transient);
    legacy.world.run(5s);
    CHECK(first.numbers_of(legacy.guid) == numbers(1, 20));
    CHECK(second.count() == 0);
    CHECK(legacy.world.daemon().events_of(EventKind::ReaderCannotBeServed) == 1);
    // A third that asks for TRANSIENT_LOCAL can be served all the same.
    const AppReader& third = legacy.world.create_reader(listener, transient_local);
    legacy.world.run(5s);
    CHECK(third.numbers_of(legacy.guid) == numbers(1, 20));
    CHECK(first.count() == 20);
    CHECK(second.count() == 0);
}

TEST_CASE("what came live for the first reader is history for the second") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        Legacy legacy;
        World& world = legacy.world;
        Application& listener = world.start_application(readers);
        const AppReader& first = world.create_reader(listener, transient_local);
        world.run(2s);
        const Guid later = legacy.leave(10);
        CHECK(first.numbers_of(later) == numbers(1, 10));

        const AppReader& second = world.create_reader(listener, transient_local);
        world.run(3s);
        const Guid last = legacy.leave(5);
        const AppReader& third = world.create_reader(listener, transient_local);
        world.run(3s);
        for (const AppReader* reader : {&first, &second, &third}) {
            CHECK(reader->numbers_of(legacy.guid) == numbers(1, 20));
            CHECK(reader->numbers_of(later) == numbers(1, 10));
            CHECK(reader->numbers_of(last) == numbers(1, 5));
            CHECK(reader->count() == 35);
        }
    }
}

TEST_CASE("two hundred processes come at random moments, each gets everything once") {
    Legacy legacy;
    World& world = legacy.world;
    std::mt19937_64 random(11);
    std::deque<std::pair<Application*, const AppReader*>> here;
    const auto leave_when_served = [&] {
        const auto [listener, reader] = here.front();
        here.pop_front();
        CHECK(world.run_until([&, reader = reader] { return reader->count() >= 20; }, 5s));
        CHECK(reader->numbers_of(legacy.guid) == numbers(1, 20));
        world.end_application(*listener, Ending::farewell);
    };
    for (int i = 0; i < 200; ++i) {
        Application& listener =
            world.start_application(random() % 2 == 0 ? vendor::eprosima : vendor::eclipse);
        here.emplace_back(
            &listener,
            &world.create_reader(listener, random() % 2 == 0 ? transient : transient_local));
        world.run(Duration{static_cast<std::int64_t>(random() % 20'000'000)});
        if (here.size() > 8) leave_when_served();
    }
    while (!here.empty())
        leave_when_served();
    world.run(1s);
    CHECK(world.daemon().status().readers.empty());
}

// The first one waits whether a lost writer had kept its word; what the second is shown meanwhile
// must not tell the first, nor itself, that its history has ended.
TEST_CASE("a reader begins beside another one of its process that is being watched") {
    World world;
    world.start_daemon();
    Application& first_talker = world.start_application(vendor::eprosima);
    ModelWriter& first = world.create_writer(first_talker, transient_local);
    world.write(first, 18);
    REQUIRE(world.run_until_kept(first));
    Application& listener = world.start_application(vendor::eclipse);
    const AppReader& early = world.create_reader(listener, transient_local);
    world.run(100ms);
    world.end_application(first_talker, Ending::killed);
    world.run(700ms);

    Application& second_talker = world.start_application(vendor::eprosima);
    ModelWriter& second = world.create_writer(second_talker, transient_local);
    world.write(second, 30);
    REQUIRE(world.run_until_kept(second));
    // It tells the daemon what it holds, and dies before any of it has arrived at the reader.
    world.loses = [](const Buffer& datagram) { return has_user_data(datagram); };
    const AppReader& late = world.create_reader(listener, transient_local);
    world.run(100ms);
    world.end_application(second_talker, Ending::killed);
    world.loses = {};
    world.run(30s);
    const auto has_all = [](const AppReader& reader, const Guid& writer, int count) {
        std::set<std::int64_t> had;
        for (const Delivered& sample : reader.received)
            if (sample.id.writer == writer) had.insert(sample.id.number.value);
        return had.size() == static_cast<std::size_t>(count);
    };
    CHECK(has_all(early, first.guid(), 18));
    CHECK(has_all(early, second.guid(), 30));
    CHECK(has_all(late, first.guid(), 18));
    CHECK(has_all(late, second.guid(), 30));
}
