// Repair: damage of every kind, then start, repair, start. What was whole is served once and in
// order, and nothing else is.
#include "store/repair.hpp"

#include "store_world.hpp"

#include "store/salvage.hpp"
#include "store/verify.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <functional>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);
constexpr std::uint64_t sample_size = 1U << 20U;

std::vector<std::string> logs_of(const FaultyFileSystem& files, const Guid& writer) {
    std::vector<std::string> paths;
    for (const std::string& path : files.files()) {
        const auto slash = path.find_last_of('/');
        const auto name = parse_log_name(path.substr(slash + 1));
        if (name && name->writer == writer) paths.push_back(path);
    }
    return paths;
}

std::size_t count_ending(const FaultyFileSystem& files, const std::string& end) {
    const auto paths = files.files();
    return static_cast<std::size_t>(
        std::ranges::count_if(paths, [&](const std::string& path) { return path.ends_with(end); }));
}

void flip(FaultyFileSystem& files, const std::string& path, std::size_t offset) {
    Buffer content = *files.content(path);
    content.at(offset) ^= 0x5a;
    files.put(path, std::move(content));
}

struct Place {
    std::int64_t number{0};
    std::size_t begin{0};
    std::size_t end{0};  // of what the checksums cover
};

// Where the samples of a whole log lie.
std::vector<Place> places(FaultyFileSystem& files, const std::string& path) {
    struct Sink final : FrameSink {
        bool on_frame(std::uint64_t offset, const FrameHeader& header, ByteView body) override {
            SampleFrame frame;
            if (header.kind == FrameKind::sample && decode_sample(header.flags, body, frame))
                found.push_back(
                    {frame.number, offset, offset + frame_header_size + header.payload_length});
            return true;
        }
        std::vector<Place> found;
    } sink;
    const auto file = files.open(path, OpenMode::read_only);
    REQUIRE(file.has_value());
    REQUIRE(scan_file(**file, max_body_size(sample_size), sink).has_value());
    return sink.found;
}

void damage_sample(FaultyFileSystem& files, const std::string& path, std::int64_t number) {
    for (const Place& place : places(files, path)) {
        if (place.number == number) flip(files, path, place.end - 1);
    }
}

Result<RepairReport> try_repair(FaultyFileSystem& files, bool dry_run = false) {
    std::vector<Completion> out;
    return repair(files, {"disk", sample_size, dry_run}, out);
}

RepairReport repaired(FaultyFileSystem& files, bool dry_run = false) {
    auto report = try_repair(files, dry_run);
    if (!report) FAIL(report.error().text());
    return *std::move(report);
}

std::vector<std::int64_t> numbers(const std::vector<Kept>& kept) {
    std::vector<std::int64_t> result;
    for (const Kept& one : kept)
        result.push_back(one.number);
    return result;
}

// Opens the store as a daemon does, gives what it serves of the topic, closes it.
std::vector<Kept> served(FaultyFileSystem& files, const std::string& topic = "t") {
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle group = world.opened(topic).handle;
    auto kept = group == ~GroupHandle{0} ? std::vector<Kept>{} : world.kept(group);
    world.close();
    return kept;
}

void fill(FaultyFileSystem& files, const Contract& contract, std::int64_t from, std::int64_t to) {
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", contract));
    for (std::int64_t i = from; i <= to; ++i) {
        world.append(topic, w1, i, payload_of(i, 40));
        if (i % 2 == 0) world.sync();
    }
    REQUIRE(world.close());
}

std::vector<std::pair<std::string, Buffer>> snapshot(const FaultyFileSystem& files) {
    std::vector<std::pair<std::string, Buffer>> all;
    for (const std::string& path : files.files())
        all.emplace_back(path, *files.content(path));
    return all;
}

}  // namespace

TEST_CASE("whichever byte of a log is damaged, repair brings back all but the sample it is in") {
    std::vector<Kept> all;
    std::vector<Place> where;
    std::size_t size = 0;
    {
        FaultyFileSystem files;
        fill(files, keep_all(), 1, 6);
        all = served(files);
        REQUIRE(all.size() == 6);
        const auto path = logs_of(files, w1).at(0);
        where = places(files, path);
        size = files.content(path)->size();
    }
    const bool started_between = GENERATE(true, false);
    for (std::size_t offset = 0; offset < size; ++offset) {
        FaultyFileSystem files;
        fill(files, keep_all(), 1, 6);
        flip(files, logs_of(files, w1).at(0), offset);
        if (started_between) served(files);
        INFO("byte " << offset << " of " << size);
        const auto report = repaired(files);
        CHECK_FALSE(report.remains());
        std::vector<Kept> expected;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (offset < where[i].begin || offset >= where[i].end) expected.push_back(all[i]);
        }
        REQUIRE(served(files) == expected);
        REQUIRE(verify(files, "disk", sample_size)->sound());
        // Once is enough.
        REQUIRE(repaired(files).files.empty());
        REQUIRE(served(files) == expected);
    }
}

TEST_CASE("what comes back takes its place in front of what arrived after the damage") {
    FaultyFileSystem files;
    fill(files, keep_all(), 1, 6);
    const auto path = logs_of(files, w1).at(0);
    damage_sample(files, path, 4);
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        const GroupHandle topic = world.group(unkeyed_topic("t", keep_all()));
        CHECK(world.kept(topic).empty());
        world.append(topic, w2, 1, payload_of(100));
        world.append(topic, w1, 7, payload_of(7));
        // The writer says again what the store seemed not to have.
        world.append(topic, w1, 6, payload_of(6, 40));
        REQUIRE(world.close());
    }
    const auto report = repaired(files);
    REQUIRE(report.files.size() == 1);
    CHECK(report.files[0].action == RepairAction::restored);
    CHECK(report.files[0].found == 5);
    CHECK(report.files[0].added == 4);
    CHECK(report.files[0].already == 1);
    CHECK(report.files[0].unreadable > 0);
    CHECK(report.files[0].moved_to == path + ".corrupt.repaired");
    CHECK(files.content(path + ".corrupt.repaired").has_value());
    CHECK(files.content(path).has_value());
    CHECK(numbers(served(files)) == std::vector<std::int64_t>{1, 2, 3, 5, 1, 7, 6});
    // Their numbers are known again: the writer may say them as often as it likes.
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.opened("t").handle;
    for (const std::int64_t number : {1, 2, 3, 5, 6, 7})
        world.append(topic, w1, number, payload_of(number));
    world.sync();
    CHECK(world.kept(topic).size() == 7);
    // The lost one is welcome.
    world.append(topic, w1, 4, payload_of(4));
    world.append(topic, w1, 8, payload_of(8));
    REQUIRE(world.reopen());
    CHECK(numbers(world.kept(world.opened("t").handle)) ==
          std::vector<std::int64_t>{1, 2, 3, 5, 1, 7, 6, 4, 8});
}

TEST_CASE("KEEP_LAST: samples that newer ones replaced do not come back") {
    FaultyFileSystem files;
    fill(files, keep_last(1), 1, 6);
    damage_sample(files, logs_of(files, w1).at(0), 3);
    fill(files, keep_last(1), 7, 7);
    const auto report = repaired(files);
    REQUIRE(report.files.size() == 1);
    CHECK(report.files[0].action == RepairAction::nothing_added);
    CHECK(report.files[0].found == 5);
    CHECK(report.files[0].already == 5);
    CHECK_FALSE(report.remains());
    CHECK(numbers(served(files)) == std::vector<std::int64_t>{7});
    CHECK(verify(files, "disk", sample_size)->sound());
}

TEST_CASE("KEEP_LAST: a newer sample that comes back replaces what stood in for it") {
    FaultyFileSystem files;
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(2)));
        world.append(topic, w2, 1, payload_of(100));
        for (int i = 1; i <= 4; ++i)
            world.append(topic, w1, i, payload_of(i));
        REQUIRE(world.close());
    }
    flip(files, logs_of(files, w1).at(0), 80);
    CHECK(numbers(served(files)) == std::vector<std::int64_t>{1});
    CHECK(repaired(files).files.at(0).added == 2);
    CHECK(numbers(served(files)) == std::vector<std::int64_t>{3, 4});
}

TEST_CASE("what was purged does not come back with what was damaged") {
    FaultyFileSystem files;
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        const GroupHandle topic = world.group(keyed_topic("t", keep_all()));
        for (int i = 1; i <= 8; ++i)
            world.append(topic, w1, i, payload_of(i), key_of(static_cast<std::uint32_t>(i % 2)));
        world.sync();
        world.store->execute(PurgeSamples{1, topic, {}, key_of(1)}, world.out);
        REQUIRE(world.close());
    }
    damage_sample(files, logs_of(files, w1).at(0), 4);
    CHECK(served(files).empty());
    CHECK(repaired(files).files.at(0).added == 3);
    CHECK(numbers(served(files)) == std::vector<std::int64_t>{2, 6, 8});
}

TEST_CASE("bytes of a payload that look like a frame are never taken for a sample") {
    // The payload of sample 2 holds whole frames: one that would fit, one that would not.
    const std::uint64_t inner_arrival = GENERATE(1U, 2U, 1'000'000U);
    Buffer inner;
    SampleMeta meta;
    meta.id = {w1, SequenceNumber{77}};
    encode_sample(meta, inner_arrival, wall_at(1), payload_of(77), inner);
    Buffer payload(8);
    payload.insert(payload.end(), inner.begin(), inner.end());
    payload.insert(payload.end(), 64, 0x77);
    const int spot = GENERATE(0, 1, 2);
    FaultyFileSystem files;
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        const GroupHandle topic = world.group(unkeyed_topic("t", keep_all()));
        world.append(topic, w1, 1, payload_of(1));
        world.append(topic, w1, 2, payload);
        world.append(topic, w1, 3, payload_of(3));
        REQUIRE(world.close());
    }
    const auto path = logs_of(files, w1).at(0);
    const auto where = places(files, path);
    REQUIRE(where.size() == 3);
    // Body of the outer frame, its header, or another sample altogether.
    const std::size_t offset = spot == 0   ? where[1].end - 1
                               : spot == 1 ? where[1].begin + 1
                                           : where[0].end - 1;
    flip(files, path, offset);
    INFO("spot " << spot << ", arrival " << inner_arrival);
    repaired(files);
    const auto expected =
        spot == 2 ? std::vector<std::int64_t>{2, 3} : std::vector<std::int64_t>{1, 3};
    if (spot == 1 && inner_arrival == 2) {
        // Where the outer frame's own header is gone, and the number is the very one that it had,
        // nothing tells them apart; the file is not one that a writer could make by chance.
        return;
    }
    CHECK(numbers(served(files)) == expected);
}

namespace {

// Two damaged logs of two writers, newer samples behind one of them, a contract that lets some of
// what was found in and replaces some of what is there.
void damaged_store(FaultyFileSystem& files) {
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(3)));
        world.append(topic, writer_guid(3), 1, payload_of(300, 40));
        for (int i = 1; i <= 4; ++i) {
            world.append(topic, w2, i, payload_of(100 + i, 40));
            world.append(topic, w1, i, payload_of(i, 40));
        }
        REQUIRE(world.close());
    }
    damage_sample(files, logs_of(files, w1).at(0), 2);
    damage_sample(files, logs_of(files, w2).at(0), 3);
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.opened("t").handle;
    world.append(topic, w1, 5, payload_of(5, 40));
    world.sync();
    REQUIRE(world.close());
}

}  // namespace

TEST_CASE("repair may be cut off at any call: nothing is lost, and the next one finishes it") {
    std::vector<Kept> before;
    std::vector<Kept> after;
    std::uint64_t calls = 0;
    {
        FaultyFileSystem files;
        damaged_store(files);
        before = served(files);
        const std::uint64_t begun = files.calls();
        CHECK(repaired(files).files.size() == 2);
        calls = files.calls() - begun;
        after = served(files);
        REQUIRE(numbers(before) == std::vector<std::int64_t>{1, 5});
        REQUIRE(numbers(after) == std::vector<std::int64_t>{4, 4, 5});
    }
    for (const PowerCut cut :
         {PowerCut::drop_unsynced, PowerCut::keep_everything, PowerCut::mangle}) {
        for (std::uint64_t number = 1; number <= calls; ++number) {
            const bool started_between = number % 2 == 0;
            FaultyFileSystem files;
            damaged_store(files);
            served(files);
            files.power_off_at(files.calls() + number);
            std::ignore = try_repair(files);
            files.restart(cut, number);
            INFO("cut " << static_cast<int>(cut) << " at call " << number << " of " << calls);
            if (started_between) {
                const auto between = served(files);
                REQUIRE((between == before || between == after));
            }
            repaired(files);
            REQUIRE(served(files) == after);
            REQUIRE(verify(files, "disk", sample_size)->sound());
            REQUIRE(count_ending(files, ".tmp") == 0);
            REQUIRE(count_ending(files, ".corrupt.repaired") == 2);
        }
    }
}

TEST_CASE("any one call of a repair may fail: it says so, and the next one finishes it") {
    std::vector<Kept> after;
    std::uint64_t calls = 0;
    {
        FaultyFileSystem files;
        damaged_store(files);
        const std::uint64_t begun = files.calls();
        repaired(files);
        calls = files.calls() - begun;
        after = served(files);
    }
    for (const int reason : {EIO, ENOSPC}) {
        for (std::uint64_t number = 1; number <= calls; ++number) {
            FaultyFileSystem files;
            damaged_store(files);
            files.fail_at(files.calls() + number, reason);
            std::ignore = try_repair(files);
            files.restart(PowerCut::keep_everything);
            INFO("call " << number << " of " << calls << " fails with " << reason);
            repaired(files);
            REQUIRE(served(files) == after);
            REQUIRE(verify(files, "disk", sample_size)->sound());
        }
    }
}

TEST_CASE("a writer that was gone is gone on the same date after repair") {
    FaultyFileSystem files;
    Contract contract = keep_all();
    contract.cleanup_delay = std::chrono::hours{1};
    contract.scope = GENERATE(ContractScope::topic, ContractScope::writer);
    WallTime date{};
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        const GroupHandle topic = world.group(unkeyed_topic("t", contract));
        for (int i = 1; i <= 4; ++i) {
            world.append(topic, w1, i, payload_of(i));
            world.append(topic, w2, i, payload_of(10 + i));
        }
        world.tell(WriterGone{topic, w1, wall_at(1'800'000'000)});
        REQUIRE(world.close());
        REQUIRE(world.open());
        const auto writers = world.store->status().groups.at(0).writers;
        const auto gone = std::ranges::find(writers, w1, &store::WriterStatus::source_writer);
        REQUIRE(gone != writers.end());
        REQUIRE(gone->retired);
        date = gone->expires;
        REQUIRE(world.close());
    }
    damage_sample(files, logs_of(files, w1).at(0), 2);
    CHECK(repaired(files).files.at(0).added == 3);
    StoreWorld world(files);
    REQUIRE(world.open());
    const auto writers = world.store->status().groups.at(0).writers;
    const auto gone = std::ranges::find(writers, w1, &store::WriterStatus::source_writer);
    REQUIRE(gone != writers.end());
    CHECK(gone->retired);
    CHECK(gone->expires == date);
    CHECK(gone->retained == 3);
    CHECK(world.kept(world.opened("t").handle).size() == 7);
}

TEST_CASE("a dry run says what a repair would do, and changes nothing, beside a lease or without") {
    FaultyFileSystem files;
    damaged_store(files);
    const auto before = snapshot(files);
    const auto lease = files.lock("disk/lease");
    const auto planned = repaired(files, true);
    const auto refused = try_repair(files);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == Errc::in_use);
    CHECK(snapshot(files) == before);
}

TEST_CASE("a dry run counts as the repair does") {
    FaultyFileSystem files;
    fill(files, keep_all(), 1, 6);
    damage_sample(files, logs_of(files, w1).at(0), 2);
    const auto planned = repaired(files, true);
    CHECK(count_ending(files, ".corrupt") == 0);
    const auto done = repaired(files);
    REQUIRE(planned.files.size() == 1);
    REQUIRE(done.files.size() == 1);
    CHECK(planned.files[0].found == 5);
    CHECK(planned.files[0].added == done.files[0].added);
    CHECK(planned.files[0].unreadable == done.files[0].unreadable);
    CHECK(planned.files[0].action == done.files[0].action);
    CHECK(planned.files[0].moved_to.empty());
}

TEST_CASE("a file of another topic or writer under a log's name is left alone") {
    FaultyFileSystem files;
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        const GroupHandle one = world.group(unkeyed_topic("t", keep_all()));
        const GroupHandle other = world.group(unkeyed_topic("u", keep_all()));
        world.append(one, w1, 1, payload_of(1));
        world.append(other, w1, 1, payload_of(2));
        REQUIRE(world.close());
    }
    const auto paths = logs_of(files, w1);
    REQUIRE(paths.size() == 2);
    const Buffer swapped = *files.content(paths[1]);
    files.put(paths[0], swapped);
    const auto report = repaired(files);
    REQUIRE(report.files.size() == 1);
    CHECK(report.files[0].action == RepairAction::left);
    CHECK(report.files[0].reason == "it holds samples of another topic");
    CHECK(report.remains());
    CHECK(*files.content(paths[0]) == swapped);
    CHECK(verify(files, "disk", sample_size)->foreign == 1);
}

TEST_CASE("a copy of a log under another segment's name is left alone") {
    FaultyFileSystem files;
    fill(files, keep_all(), 1, 4);
    const auto paths = logs_of(files, w1);
    REQUIRE(paths.size() == 1);
    const std::string copy = paths[0].substr(0, paths[0].find_last_of('/') + 1) + log_name({w1, 9});
    const Buffer content = *files.content(paths[0]);
    files.put(copy, content);
    const auto report = repaired(files);
    REQUIRE(report.files.size() == 1);
    CHECK(report.files[0].action == RepairAction::left);
    CHECK(report.files[0].reason == "its header names another segment than the file name");
    CHECK(*files.content(copy) == content);
    CHECK(*files.content(paths[0]) == content);
}

TEST_CASE("damaged metadata and checkpoints are replaced, and put away") {
    FaultyFileSystem files;
    fill(files, keep_last(3), 1, 6);
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        world.store->execute(PurgeSamples{1, world.opened("t").handle, writer_guid(9), {}},
                             world.out);
        world.store->execute(CompactGroup{2, world.opened("t").handle}, world.out);
        world.work();
        REQUIRE(world.close());
    }
    std::string folder = logs_of(files, w1).at(0);
    folder = folder.substr(0, folder.find_last_of('/'));
    REQUIRE(files.content(folder + "/checkpoint").has_value());
    flip(files, folder + "/checkpoint", 70);
    flip(files, folder + "/meta", 90);
    const auto planned = repaired(files, true);
    CHECK(planned.files.size() == 2);
    const auto report = repaired(files);
    REQUIRE(report.files.size() == 2);
    for (const RepairedFile& file : report.files) {
        CHECK(file.action == RepairAction::replaced);
        CHECK(file.moved_to.ends_with(".corrupt.repaired"));
    }
    CHECK_FALSE(report.remains());
    CHECK(numbers(served(files)) == std::vector<std::int64_t>{4, 5, 6});
    CHECK(verify(files, "disk", sample_size)->sound());
}

TEST_CASE("a folder whose metadata is lost altogether remains as it is") {
    FaultyFileSystem files;
    fill(files, keep_all(), 1, 3);
    const std::string path = logs_of(files, w1).at(0);
    flip(files, path.substr(0, path.find_last_of('/')) + "/meta", 90);
    flip(files, path, 100);
    const auto report = repaired(files);
    CHECK(report.remains());
    CHECK_FALSE(verify(files, "disk", sample_size)->sound());
}

TEST_CASE("records that are whole come back, but for what the daemon has made anew") {
    FaultyFileSystem files;
    const auto save = [](StoreWorld& world, RecordKind kind, std::uint8_t key, Buffer value) {
        world.store->execute(SaveRecord{1, kind, Buffer{key}, std::move(value), true}, world.out);
    };
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        save(world, RecordKind::identity, 1, Buffer(20, 1));
        save(world, RecordKind::frontier, 2, Buffer(20, 2));
        save(world, RecordKind::peer, 3, Buffer(20, 3));
        save(world, RecordKind::frontier, 4, Buffer(20, 4));
        save(world, RecordKind::frontier, 5, Buffer(20, 5));
        REQUIRE(world.close());
    }
    // The frame of peer 3.
    Buffer content = *files.content("disk/records.log");
    const Buffer value(20, 3);
    const auto at = std::search(content.begin(), content.end(), value.begin(), value.end());
    REQUIRE(at != content.end());
    flip(files, "disk/records.log", static_cast<std::size_t>(at - content.begin()));
    // Without a commit frame nothing vouches for it, so it is made damage that something vouches
    // for: the header's checksum.
    flip(files, "disk/records.log", 61);
    {
        StoreWorld world(files);
        REQUIRE(world.open());
        save(world, RecordKind::frontier, 4, Buffer(20, 44));
        REQUIRE(world.close());
    }
    const auto report = repaired(files);
    REQUIRE(report.files.size() == 1);
    CHECK(report.files[0].added == 2);
    StoreWorld world(files);
    REQUIRE(world.open());
    CHECK(world.store->records(RecordKind::identity).empty());
    CHECK(world.store->records(RecordKind::peer).empty());
    const auto frontiers = world.store->records(RecordKind::frontier);
    REQUIRE(frontiers.size() == 3);
    CHECK(frontiers[0].value == Buffer(20, 2));
    CHECK(frontiers[1].value == Buffer(20, 44));
    CHECK(frontiers[2].value == Buffer(20, 5));
}

TEST_CASE("files that were set aside are told from those that were dealt with") {
    const std::string log = log_name({w1, 7});
    for (const std::string& name :
         {log + ".corrupt", log + ".corrupt-12", std::string("meta.corrupt")}) {
        CHECK(is_set_aside(name));
        CHECK_FALSE(is_repaired(name));
        CHECK(is_set_aside(name + ".repaired"));
        CHECK(is_repaired(name + ".repaired"));
        CHECK(is_repaired(name + ".repaired-2"));
        CHECK_FALSE(is_set_aside(name + ".repaired-"));
        CHECK_FALSE(is_set_aside(name + ".repaired.repaired"));
        CHECK_FALSE(is_set_aside(name + "x"));
        CHECK_FALSE(is_set_aside("x" + name));
    }
    CHECK_FALSE(is_set_aside(log + ".repaired"));
    CHECK(name_before(log + ".corrupt-2.repaired-3") == log);
    CHECK(free_repaired_name("meta.corrupt", [](const std::string& name) {
              return name == "meta.corrupt.repaired";
          }) == "meta.corrupt.repaired-2");
}

TEST_CASE("of numbers that do not ascend, those that are certain decide") {
    const auto all = [](std::size_t count, bool value) { return std::vector<bool>(count, value); };
    CHECK(fitting({}, {}).empty());
    CHECK(fitting({1, 9, 2, 3}, all(4, true)) == std::vector<bool>{true, false, true, true});
    CHECK(fitting({5, 6, 1, 7, 7}, all(5, false)) ==
          std::vector<bool>{true, true, false, true, false});
    // A copy of a longer log inside this one.
    CHECK(fitting({5, 1, 2, 3, 4, 9, 8}, {true, false, false, false, false, false, true}) ==
          std::vector<bool>{true, false, false, false, false, false, true});
    CHECK(fitting({5, 6, 20, 7, 8}, {true, false, false, false, true}) ==
          std::vector<bool>{true, true, false, true, true});
    CHECK(fitting({0, 3}, {false, true}) == std::vector<bool>{false, true});
}
