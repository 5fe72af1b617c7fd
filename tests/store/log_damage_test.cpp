// Damage, exhaustively: a small log cut at every length and with every bit flipped.
#include "store_world.hpp"

#include "store/layout.hpp"
#include "store/log_format.hpp"

#include <catch2/catch.hpp>

#include <cerrno>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);

struct Prepared {
    FaultyFileSystem files;
    std::string log;  // of w1
    Buffer content;
    std::vector<Kept> of_w1;
    std::vector<Kept> of_w2;
    std::map<std::string, Buffer> all_files;

    void restore() {
        for (const std::string& path : files.files()) {
            if (!all_files.contains(path)) std::ignore = files.remove(path);
        }
        for (const auto& [path, bytes] : all_files)
            files.put(path, bytes);
    }
};

// Two writers with eight samples each; `clean`: closed properly, so a commit frame vouches for all.
void prepare(Prepared& prepared, bool clean) {
    StoreWorld world(prepared.files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(100)));
    for (int i = 1; i <= 8; ++i) {
        world.append(topic, w1, i, payload_of(i, 16));
        world.append(topic, w2, i, payload_of(100 + i, 16));
    }
    world.sync();
    for (const Kept& one : world.kept(topic)) {
        (one.writer == w1 ? prepared.of_w1 : prepared.of_w2).push_back(one);
    }
    if (clean) REQUIRE(world.close());
    world.drop();
    prepared.files.restart(PowerCut::keep_everything);
    for (const std::string& path : prepared.files.files()) {
        if (path.ends_with(log_name({w1, 1}))) prepared.log = path;
        prepared.all_files[path] = prepared.files.content(path).value();
    }
    prepared.content = prepared.files.content(prepared.log).value();
}

struct Outcome {
    std::vector<Kept> of_w1;
    bool other_whole{false};
};

Outcome recover(StoreWorld& world, const Prepared& prepared) {
    REQUIRE(world.open());
    Outcome outcome;
    std::vector<Kept> other;
    for (const Kept& one : world.kept(world.opened("t").handle)) {
        (one.writer == w1 ? outcome.of_w1 : other).push_back(one);
    }
    outcome.other_whole = other == prepared.of_w2;
    return outcome;
}

bool is_prefix(const std::vector<Kept>& part, const std::vector<Kept>& whole) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

}  // namespace

TEST_CASE("a log cut at any length gives a prefix, and what is appended then is found again") {
    Prepared prepared;
    prepare(prepared, GENERATE(true, false));
    for (std::size_t length = 0; length < prepared.content.size(); ++length) {
        prepared.restore();
        prepared.files.put(prepared.log,
                           Buffer(prepared.content.begin(),
                                  prepared.content.begin() + static_cast<std::ptrdiff_t>(length)));
        StoreWorld world(prepared.files);
        const Outcome outcome = recover(world, prepared);
        INFO("length " << length);
        REQUIRE(outcome.other_whole);
        REQUIRE(is_prefix(outcome.of_w1, prepared.of_w1));
        REQUIRE(world.count(EventKind::CorruptLog) == 0);
        const GroupHandle topic = world.opened("t").handle;
        world.append(topic, w1, 50, payload_of(50));
        REQUIRE(world.reopen());
        const auto kept = world.kept(world.opened("t").handle);
        REQUIRE(kept.size() == outcome.of_w1.size() + prepared.of_w2.size() + 1);
        REQUIRE(kept.back().number == 50);
        world.drop();
    }
}

TEST_CASE("any flipped bit gives a prefix with a torn tail, or an error that names the place") {
    const bool clean = GENERATE(true, false);
    Prepared prepared;
    prepare(prepared, clean);
    for (std::size_t bit = 0; bit < prepared.content.size() * 8; ++bit) {
        prepared.restore();
        Buffer damaged = prepared.content;
        damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        prepared.files.put(prepared.log, damaged);
        StoreWorld world(prepared.files);
        INFO("bit " << bit << " of octet " << bit / 8);
        if (!world.open()) {
            // Only a sound header can say "newer", and its checksum makes that one flip impossible.
            FAIL("refused: " << world.error.text());
        }
        std::vector<Kept> mine;
        std::vector<Kept> other;
        for (const Kept& one : world.kept(world.opened("t").handle)) {
            (one.writer == w1 ? mine : other).push_back(one);
        }
        REQUIRE(other == prepared.of_w2);
        REQUIRE(is_prefix(mine, prepared.of_w1));
        const Event* corrupt = world.find(EventKind::CorruptLog);
        const Event* torn = world.find(EventKind::TornTailTruncated);
        if (corrupt != nullptr) {
            CHECK(StoreWorld::field(*corrupt, "file") == prepared.log);
            CHECK_FALSE(StoreWorld::field(*corrupt, "offset").empty());
            // Set aside untouched: nothing behind the damage is lost.
            REQUIRE(prepared.files.content(prepared.log + ".corrupt") == damaged);
        } else if (torn == nullptr && world.find(EventKind::ForeignFile) == nullptr) {
            // Padding is not covered by a checksum and carries nothing.
            REQUIRE(mine == prepared.of_w1);
        }
        // What a commit frame vouched for is never cut away.
        if (clean && torn != nullptr) REQUIRE(mine == prepared.of_w1);
    }
}

TEST_CASE("zeros behind the last frame are cut off and reported with their number") {
    Prepared prepared;
    prepare(prepared, true);
    Buffer longer = prepared.content;
    longer.resize(longer.size() + 4096);
    prepared.files.put(prepared.log, longer);
    StoreWorld world(prepared.files);
    const Outcome outcome = recover(world, prepared);
    CHECK(outcome.of_w1 == prepared.of_w1);
    REQUIRE(world.find(EventKind::TornTailTruncated) != nullptr);
    CHECK(StoreWorld::field(*world.find(EventKind::TornTailTruncated), "bytes") == "4096");
    CHECK(prepared.files.content(prepared.log)->size() == prepared.content.size());
}

TEST_CASE("a second damaged file does not replace the first that was set aside") {
    Prepared prepared;
    prepare(prepared, true);
    prepared.files.put(prepared.log + ".corrupt", Buffer{1, 2, 3});
    Buffer damaged = prepared.content;
    damaged[damaged.size() / 2] ^= 1U;
    prepared.files.put(prepared.log, damaged);
    StoreWorld world(prepared.files);
    const Outcome outcome = recover(world, prepared);
    CHECK(outcome.of_w1.empty());
    CHECK(outcome.other_whole);
    CHECK(prepared.files.content(prepared.log + ".corrupt") == Buffer{1, 2, 3});
    CHECK(prepared.files.content(prepared.log + ".corrupt-2") == damaged);
}

TEST_CASE("a file of a newer format is refused by name and not touched") {
    Prepared prepared;
    prepare(prepared, true);
    FileHeader header;
    header.writer = w1;
    header.version = format_version + 1;
    Buffer newer;
    encode_file_header(header, newer);
    prepared.files.put(prepared.log, newer);
    StoreWorld world(prepared.files);
    CHECK_FALSE(world.open());
    CHECK(world.error.code == Errc::version);
    CHECK(world.error.detail.find(prepared.log) != std::string::npos);
    CHECK(prepared.files.content(prepared.log) == newer);
}

TEST_CASE("lost or damaged metadata is restored from a log, whatever is left of it") {
    Prepared prepared;
    prepare(prepared, true);
    const std::string meta = prepared.log.substr(0, prepared.log.find_last_of('/')) + "/meta";
    Buffer bytes = prepared.files.content(meta).value();
    SECTION("missing") {
        std::ignore = prepared.files.remove(meta);
    }
    SECTION("empty") {
        prepared.files.put(meta, {});
    }
    SECTION("cut") {
        bytes.resize(bytes.size() / 2);
        prepared.files.put(meta, bytes);
    }
    SECTION("damaged") {
        bytes[100] ^= 4U;
        prepared.files.put(meta, bytes);
    }
    StoreWorld world(prepared.files);
    const Outcome outcome = recover(world, prepared);
    CHECK(outcome.of_w1 == prepared.of_w1);
    CHECK(outcome.other_whole);
    CHECK(world.count(EventKind::CorruptLog) == 1);
    world.drop();
    StoreWorld again(prepared.files);
    CHECK(recover(again, prepared).of_w1 == prepared.of_w1);
    CHECK(again.count(EventKind::CorruptLog) == 0);
}

TEST_CASE("renamed and copied logs are reported, never touched and never served twice") {
    Prepared prepared;
    prepare(prepared, true);
    const std::string folder = prepared.log.substr(0, prepared.log.find_last_of('/'));
    const std::string beside = folder + "/" + log_name({w1, 7});
    const std::string of_another = folder + "/" + log_name({writer_guid(99), 1});
    prepared.files.put(beside, prepared.content);
    prepared.files.put(of_another, prepared.content);
    // A whole folder under another topic's name.
    const std::string copied = "disk/0123456789abcdef0123456789abcdef";
    REQUIRE(prepared.files.make_directory(copied));
    const Buffer meta = prepared.files.content(folder + "/meta").value();
    prepared.files.put(copied + "/meta", meta);
    prepared.files.put(copied + "/" + log_name({w1, 1}), prepared.content);
    const bool later = GENERATE(false, true);
    StoreWorld world(prepared.files);
    world.options.load_later = later;
    REQUIRE(world.open());
    while (world.store->work_due())
        world.store->do_slice(world.out);
    CHECK(world.count(EventKind::ForeignFile) == 2);
    CHECK(world.count(EventKind::CorruptLog) == 1);  // the folder whose metadata is not its own
    std::vector<Kept> mine;
    for (const Kept& one : world.kept(world.opened("t").handle)) {
        if (one.writer == w1) mine.push_back(one);
    }
    CHECK(mine == prepared.of_w1);
    world.append(world.opened("t").handle, w1, 900, payload_of(900));
    REQUIRE(world.close());
    CHECK(prepared.files.content(beside) == prepared.content);
    CHECK(prepared.files.content(of_another) == prepared.content);
    CHECK(prepared.files.content(copied + "/meta") == meta);
    CHECK(prepared.files.content(copied + "/" + log_name({w1, 1})) == prepared.content);
    REQUIRE(world.open());
    while (world.store->work_due())
        world.store->do_slice(world.out);
    CHECK(world.count(EventKind::ForeignFile) == 4);
}

TEST_CASE("a file that cannot be read does not stop the start, and is left as it is") {
    Prepared prepared;
    prepare(prepared, true);
    const std::string folder = prepared.log.substr(0, prepared.log.find_last_of('/'));
    const int reason = GENERATE(EACCES, EIO);
    const bool at_reading = GENERATE(false, true);
    std::string victim = prepared.log;
    SECTION("a log") {}
    SECTION("the metadata") {
        victim = folder + "/meta";
    }
    SECTION("the checkpoint") {
        victim = folder + "/checkpoint";
        prepared.files.put(victim, Buffer(100, 1));
    }
    CAPTURE(victim, reason, at_reading);
    const Buffer before = prepared.files.content(victim).value();
    prepared.files.make_unreadable(victim, reason, at_reading);
    {
        StoreWorld world(prepared.files);
        const Outcome outcome = recover(world, prepared);
        CHECK(outcome.other_whole);
        CHECK(outcome.of_w1.empty() == (victim == prepared.log));
        CHECK(world.count(EventKind::CorruptLog) == 1);
        CHECK(StoreWorld::field(*world.find(EventKind::CorruptLog), "file") == victim);
        if (victim == prepared.log) {
            // Its writer goes on in a segment of its own.
            world.append(world.opened("t").handle, w1, 900, payload_of(900));
            REQUIRE(world.close());
        }
    }
    if (victim != prepared.log) return;
    CHECK(prepared.files.content(victim) == before);
    prepared.files.make_unreadable(victim, 0, false);
    StoreWorld world(prepared.files);
    REQUIRE(world.open());
    std::vector<Kept> mine;
    for (const Kept& one : world.kept(world.opened("t").handle)) {
        if (one.writer == w1) mine.push_back(one);
    }
    CHECK(mine.size() == prepared.of_w1.size() + 1);
}
