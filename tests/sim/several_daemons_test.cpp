// Several daemons in one domain (durabilityd(8), SEVERAL DAEMONS): each keeps everything, one
// serves a late reader, and another one takes over when that is gone.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace durability;
using namespace durability::test;

namespace {

const auto both_vendors = {vendor::eprosima, vendor::eclipse};
// Until ranks are settled (twice the handover window), and then some.
constexpr auto settled = 6s;
// Longer than the lease of a daemon or a writer.
constexpr auto lease_over = 35s;
const std::string all = "1 2 3 4 5 6 7 8 9 10";

// Daemon 0 has the lower GUID: it goes first unless priorities say otherwise.
struct Pair {
    World world;

    explicit Pair(std::uint64_t seed = 1, LinkConditions conditions = {})
        : world(seed, conditions) {}

    void start(std::size_t which, std::uint64_t priority = 0) {
        world.config.replay.priority = priority;
        world.start_daemon(which);
    }
    // Ten samples of a writer that is gone, in both daemons.
    Guid leave_history(const EndpointChoice& choice = {}) {
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, choice);
        world.run(500ms);
        world.write(writer, 10);
        REQUIRE(world.run_until_kept(writer));
        world.run(1s);
        world.end_application(talker, Ending::farewell);
        world.run(1s);
        return writer.guid();
    }
    AppReader& join(VendorId vendor, const EndpointChoice& choice = {}) {
        return world.create_reader(world.start_application(vendor), choice);
    }
    // How many late readers that daemon has given anything.
    std::size_t served_by(std::size_t which) {
        std::size_t count = 0;
        for (const ReaderStatus& reader : world.daemon(which).status().readers)
            count += reader.sent > 0 ? 1U : 0U;
        return count;
    }
    std::string reason(std::size_t which, const AppReader& reader) {
        for (const ReaderStatus& known : world.daemon(which).status().readers) {
            if (known.guid == reader.data.guid) return known.reason;
        }
        return "not known";
    }
};

}  // namespace

TEST_CASE("of two daemons one serves a late reader, of either vendor and any kind") {
    for (const VendorId vendor : both_vendors) {
        for (const auto durability : {DurabilityKind::transient_local, DurabilityKind::transient}) {
            CAPTURE(vendor.value, static_cast<int>(durability));
            Pair pair;
            pair.start(0);
            pair.start(1);
            pair.world.run(settled);
            const EndpointChoice choice{.durability = durability};
            const Guid writer = pair.leave_history(choice);
            const AppReader& reader = pair.join(vendor, choice);
            pair.world.run(2s);
            CHECK(reader.numbers_of(writer) == all);
            pair.world.run(10s);
            CHECK(reader.numbers_of(writer) == all);
            CHECK(reader.count() == 10);
            CHECK(pair.served_by(0) == 1);
            CHECK(pair.served_by(1) == 0);
            CHECK(pair.reason(1, reader) == "served by the daemon on host simulated (priority 0)");
            for (const std::size_t which : {0U, 1U}) {
                const DomainStatus status = pair.world.daemon(which).status();
                // Neither the other one's replays nor its readers count.
                CHECK(status.writers.size() == 1);
                CHECK(status.readers.size() == 1);
                REQUIRE(status.topics.size() == 1);
                CHECK(status.topics[0].retained_samples == 10);
                CHECK(pair.world.daemon(which).events_of(EventKind::PeerServiceFound) == 1);
            }
        }
    }
}

TEST_CASE("the higher priority serves, whatever the GUIDs are") {
    Pair pair;
    pair.start(0);
    pair.start(1, 5);
    pair.world.run(settled);
    const Guid writer = pair.leave_history();
    const AppReader& reader = pair.join(vendor::eclipse);
    pair.world.run(10s);
    CHECK(reader.numbers_of(writer) == all);
    CHECK(pair.served_by(0) == 0);
    CHECK(pair.served_by(1) == 1);
    CHECK(pair.reason(0, reader) == "served by the daemon on host simulated (priority 5)");
    const TopicExplanation explained = pair.world.daemon(0).explain("chatter");
    bool is_named = false;
    for (const WriterExplanation& one : explained.writers)
        is_named = is_named || one.reason == "it replays what another daemon keeps";
    CHECK(is_named);
}

TEST_CASE("daemons that start at once with a reader there already serve it once") {
    for (const VendorId vendor : both_vendors) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            CAPTURE(vendor.value, seed);
            LinkConditions conditions;
            conditions.max_delay = 30ms;
            Pair pair(seed, conditions);
            pair.start(0);
            pair.start(1);
            pair.world.run(settled);
            const Guid writer = pair.leave_history();
            pair.world.end_daemon(Ending::killed, 0);
            pair.world.end_daemon(Ending::killed, 1);
            pair.world.run(lease_over);
            AppReader& reader = pair.join(vendor);
            pair.world.run(1s);
            pair.start(0);
            pair.start(1);
            pair.world.run(40s);
            CHECK(reader.numbers_of(writer) == all);
        }
    }
}

TEST_CASE("when the serving daemon is killed the other one takes over after its lease") {
    for (const VendorId vendor : both_vendors) {
        CAPTURE(vendor.value);
        Pair pair;
        pair.start(0);
        pair.start(1);
        pair.world.run(settled);
        const Guid writer = pair.leave_history();
        const AppReader& early = pair.join(vendor);
        pair.world.run(6s);
        REQUIRE(early.numbers_of(writer) == all);
        pair.world.end_daemon(Ending::killed, 0);
        pair.world.run(1s);
        // Nobody can tell yet whether the better one is gone or comes back.
        const AppReader& between = pair.join(vendor);
        pair.world.run(10s);
        CHECK(between.count() == 0);
        CHECK(pair.reason(1, between) == "served by the daemon on host simulated (priority 0)");
        pair.world.run(lease_over);
        CHECK(pair.world.daemon(1).events_of(EventKind::PeerServiceLost) == 1);
        CHECK(between.numbers_of(writer) == all);
        const AppReader& late = pair.join(vendor);
        pair.world.run(3s);
        CHECK(late.numbers_of(writer) == all);
        CHECK(early.count() == 10);

        // The better one comes back: nobody gets anything twice, and new readers are its own again.
        pair.start(0);
        pair.world.run(settled);
        const AppReader& latest = pair.join(vendor);
        pair.world.run(10s);
        CHECK(latest.numbers_of(writer) == all);
        CHECK(pair.served_by(0) == 1);
        CHECK(early.count() == 10);
        CHECK(between.count() == 10);
        CHECK(late.count() == 10);
    }
}

TEST_CASE("a daemon that takes leave is followed at once") {
    Pair pair;
    pair.start(0);
    pair.start(1);
    pair.world.run(settled);
    const Guid writer = pair.leave_history();
    const AppReader& early = pair.join(vendor::eclipse);
    pair.world.run(2100ms);
    REQUIRE(early.numbers_of(writer) == all);
    pair.world.end_daemon(Ending::farewell, 0);
    pair.world.run(1s);
    const AppReader& late = pair.join(vendor::eclipse);
    pair.world.run(1s);
    CHECK(late.numbers_of(writer) == all);
    pair.world.run(5s);
    CHECK(early.count() == 10);
}

TEST_CASE("readers of one process are taken over together") {
    for (const auto durability : {DurabilityKind::transient_local, DurabilityKind::transient}) {
        CAPTURE(static_cast<int>(durability));
        Pair pair;
        pair.start(0);
        pair.start(1);
        pair.world.run(settled);
        const EndpointChoice choice{.durability = durability};
        const Guid writer = pair.leave_history(choice);
        pair.world.end_daemon(Ending::killed, 0);
        pair.world.run(1s);
        Application& listener = pair.world.start_application(vendor::eclipse);
        std::vector<const AppReader*> readers;
        for (int i = 0; i < 3; ++i) {
            readers.push_back(&pair.world.create_reader(listener, choice));
            pair.world.run(3s);
        }
        pair.world.run(lease_over);
        for (const AppReader* reader : readers)
            CHECK(reader->numbers_of(writer) == all);
    }
}

TEST_CASE("a better daemon that starts late leaves the readers that are there to the other") {
    for (const VendorId vendor : both_vendors) {
        CAPTURE(vendor.value);
        Pair pair;
        pair.start(1);
        pair.world.run(1s);
        Application& talker = pair.world.start_application(vendor::eprosima);
        ModelWriter& writer = pair.world.create_writer(talker, {});
        pair.world.run(500ms);
        pair.world.write(writer, 10);
        REQUIRE(pair.world.run_until_kept(writer));
        AppReader& early = pair.join(vendor);
        pair.world.run(5s);
        REQUIRE(early.numbers_of(writer.guid()) == all);
        // The writer gives the newcomer its history too.
        pair.start(0, 3);
        pair.world.run(1s);
        pair.world.end_application(talker, Ending::farewell);
        pair.world.run(100ms);
        const AppReader& soon = pair.join(vendor);
        pair.world.run(settled);
        CHECK(soon.numbers_of(writer.guid()) == all);
        CHECK(pair.served_by(0) == 0);
        const AppReader& late = pair.join(vendor);
        pair.world.run(10s);
        CHECK(late.numbers_of(writer.guid()) == all);
        CHECK(pair.served_by(0) == 1);
        CHECK(early.count() == 10);
        CHECK(soon.count() == 10);
    }
}

TEST_CASE("a worse daemon that starts late serves nobody who is there or comes") {
    for (const VendorId vendor : both_vendors) {
        CAPTURE(vendor.value);
        Pair pair;
        pair.start(0);
        pair.world.run(1s);
        Application& talker = pair.world.start_application(vendor::eprosima);
        ModelWriter& writer = pair.world.create_writer(talker, {});
        pair.world.run(500ms);
        pair.world.write(writer, 10);
        REQUIRE(pair.world.run_until_kept(writer));
        AppReader& early = pair.join(vendor);
        pair.world.run(5s);
        pair.start(1);
        pair.world.run(1s);
        pair.world.end_application(talker, Ending::farewell);
        pair.world.run(100ms);
        const AppReader& late = pair.join(vendor);
        pair.world.run(10s);
        CHECK(early.numbers_of(writer.guid()) == all);
        CHECK(late.numbers_of(writer.guid()) == all);
        CHECK(pair.served_by(0) == 1);
        CHECK(pair.served_by(1) == 0);
    }
}

TEST_CASE("a restart of either daemon within its lease changes nothing") {
    for (const VendorId vendor : both_vendors) {
        for (const std::size_t restarted : {0U, 1U}) {
            CAPTURE(vendor.value, restarted);
            Pair pair;
            pair.start(0);
            pair.start(1);
            pair.world.run(settled);
            const Guid writer = pair.leave_history();
            const AppReader& early = pair.join(vendor);
            pair.world.run(6s);
            pair.world.end_daemon(Ending::killed, restarted);
            pair.world.run(2s);
            const AppReader& between = pair.join(vendor);
            pair.world.run(2s);
            pair.start(restarted);
            pair.world.run(3s);
            const AppReader& late = pair.join(vendor);
            pair.world.run(10s);
            CHECK(early.count() == 10);
            CHECK(between.numbers_of(writer) == all);
            CHECK(late.numbers_of(writer) == all);
            CHECK(pair.served_by(1) == 0);
            // And it is written down.
            pair.world.end_daemon(Ending::killed, 0);
            pair.world.run(lease_over);
            pair.world.end_daemon(Ending::killed, 1);
            pair.world.run(1s);
            pair.start(1);
            pair.world.run(10s);
            CHECK(early.count() == 10);
            CHECK(between.count() == 10);
            CHECK(late.count() == 10);
        }
    }
}

TEST_CASE("a daemon that comes back with another priority hands over without serving twice") {
    Pair pair;
    pair.start(0, 1);
    pair.start(1, 2);
    pair.world.run(settled);
    const Guid writer = pair.leave_history();
    const AppReader& first = pair.join(vendor::eclipse);
    pair.world.run(6s);
    CHECK(pair.served_by(1) == 1);
    pair.world.end_daemon(Ending::stopped, 0);
    pair.world.run(1s);
    const AppReader& second = pair.join(vendor::eclipse);
    pair.world.run(3s);
    pair.start(0, 3);
    pair.world.run(1s);
    const AppReader& third = pair.join(vendor::eclipse);
    pair.world.run(settled + 1s);
    const AppReader& fourth = pair.join(vendor::eclipse);
    pair.world.run(10s);
    for (const AppReader* reader : {&first, &second, &third, &fourth})
        CHECK(reader->numbers_of(writer) == all);
    CHECK(pair.served_by(0) == 1);
    CHECK(pair.reason(1, fourth) == "served by the daemon on host simulated (priority 3)");
}

TEST_CASE("a topic that the better daemon does not serve is served by the other") {
    Pair pair;
    const std::vector<TopicRule> rules = pair.world.config.topics;
    TopicRule never;
    never.topic = "chatter";
    never.serve = ServeKind::never;
    pair.world.config.topics.insert(pair.world.config.topics.begin(), never);
    pair.start(0, 9);
    pair.world.config.topics = rules;
    pair.start(1);
    pair.world.run(settled);
    const Guid writer = pair.leave_history();
    pair.world.run(2s);
    const AppReader& reader = pair.join(vendor::eclipse);
    pair.world.run(1s);
    CHECK(reader.numbers_of(writer) == all);
    pair.world.run(10s);
    CHECK(reader.count() == 10);
    CHECK(pair.served_by(1) == 1);
}

TEST_CASE("what a living writer sent a reader is not sent again by the daemon that takes over") {
    for (const VendorId vendor : both_vendors) {
        CAPTURE(vendor.value);
        Pair pair;
        pair.start(0);
        pair.start(1);
        pair.world.run(settled);
        const Guid gone = pair.leave_history();
        Application& talker = pair.world.start_application(vendor::eprosima);
        ModelWriter& living = pair.world.create_writer(talker, {});
        pair.world.run(500ms);
        pair.world.write(living, 10);
        REQUIRE(pair.world.run_until_kept(living));
        pair.world.end_daemon(Ending::killed, 0);
        pair.world.run(1s);
        const AppReader& reader = pair.join(vendor);
        pair.world.run(5s);
        CHECK(reader.numbers_of(living.guid()) == all);
        pair.world.write(living, 1);
        pair.world.run(1s);
        pair.world.end_application(talker, Ending::farewell);
        pair.world.run(lease_over);
        CHECK(reader.numbers_of(gone) == all);
        CHECK(reader.numbers_of(living.guid()) == all + " 11");
    }
}

TEST_CASE("three daemons: each takes its turn") {
    Pair pair;
    pair.start(0, 3);
    pair.start(1, 2);
    pair.start(2, 1);
    pair.world.run(settled);
    const Guid writer = pair.leave_history();
    std::vector<const AppReader*> readers;
    for (const std::size_t serving : {0U, 1U, 2U}) {
        CAPTURE(serving);
        readers.push_back(&pair.join(vendor::eclipse));
        pair.world.run(8s);
        CHECK(pair.served_by(serving) == 1);
        for (const AppReader* reader : readers)
            CHECK(reader->numbers_of(writer) == all);
        if (serving == 2) break;
        pair.world.end_daemon(Ending::killed, serving);
        pair.world.run(lease_over);
    }
}
