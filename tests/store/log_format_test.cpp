// The format, held against the page that describes it.
#include "store/log_format.hpp"

#include "store_world.hpp"

#include "store/group_meta.hpp"
#include "store/log_scan.hpp"
#include "store/store_reader.hpp"
#include "store/verify.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

Buffer example_of_the_page() {
    std::ifstream page(DURABILITYD_LOG_FORMAT_PAGE);
    REQUIRE(page.good());
    Buffer bytes;
    std::string line;
    bool inside = false;
    while (std::getline(page, line)) {
        if (line == "```hex") {
            inside = true;
        } else if (line == "```") {
            inside = false;
        } else if (inside) {
            std::istringstream words(line.substr(4));
            for (std::string word; words >> word;) {
                bytes.push_back(static_cast<std::uint8_t>(std::stoul(word, nullptr, 16)));
            }
        }
    }
    return bytes;
}

struct Seen final : FrameSink {
    struct Frame {
        std::uint64_t offset;
        FrameHeader header;
        Buffer body;
    };
    bool on_frame(std::uint64_t offset, const FrameHeader& header, ByteView body) override {
        frames.push_back({offset, header, Buffer(body.begin(), body.end())});
        return true;
    }
    std::vector<Frame> frames;
};

}  // namespace

TEST_CASE("the example of LOG-FORMAT.md is what the page says it is") {
    FaultyFileSystem files;
    files.put("example", example_of_the_page());
    auto file = files.open("example", OpenMode::read_only);
    REQUIRE(file);
    Seen seen;
    const auto scan = scan_file(**file, max_body_size(1024), seen);
    REQUIRE(scan);
    CHECK(scan->verdict == TailVerdict::clean);
    CHECK(scan->covered == 200);
    CHECK(to_string(scan->header.writer) == "010f02030405060708090a0b:00000102");
    CHECK(scan->header.segment == 1);
    REQUIRE(seen.frames.size() == 4);

    SampleFrame sample;
    REQUIRE(decode_sample(seen.frames[0].header.flags, seen.frames[0].body, sample));
    const SampleMeta meta = meta_of(sample, scan->header.writer);
    CHECK(meta.id.number.value == 7);
    CHECK(meta.source_timestamp == Timestamp{1'700'000'000, 0x80000000U});
    CHECK(meta.lifecycle == Lifecycle::data);
    CHECK(meta.key == InstanceKey{KeyHash{0, 0, 0, 42}});
    CHECK(sample.arrival == 0x100002);
    CHECK(sample.received == WallTime{std::chrono::milliseconds{1'700'000'000'500}});
    CHECK(Buffer(sample.payload.begin(), sample.payload.end()) ==
          Buffer{0, 1, 0, 0, 'd', 'd', 's'});

    REQUIRE(decode_sample(seen.frames[1].header.flags, seen.frames[1].body, sample));
    CHECK(meta_of(sample, scan->header.writer).lifecycle == Lifecycle::dispose);
    CHECK(meta_of(sample, scan->header.writer).payload_kind == PayloadKind::none);
    CHECK_FALSE(sample.source_timestamp.valid());
    CHECK(decode_commit(seen.frames[2].body)->offset == seen.frames[2].offset);
    CHECK(decode_marks(seen.frames[3].body)->ranges() ==
          std::vector<SequenceRange>{{SequenceNumber{7}, SequenceNumber{8}}});

    // And the encoder gives back the same octets.
    Buffer again;
    encode_file_header(scan->header, again);
    encode_sample(meta,
                  0x100002,
                  WallTime{std::chrono::milliseconds{1'700'000'000'500}},
                  Buffer{0, 1, 0, 0, 'd', 'd', 's'},
                  again);
    const Buffer page = example_of_the_page();
    CHECK(again == Buffer(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(again.size())));
}

TEST_CASE("every field of a sample survives its frame") {
    SampleMeta meta;
    meta.id = {writer_guid(3), {1'000'000'000'000}};
    meta.source_timestamp = {-5, 77};
    meta.lifecycle = Lifecycle::dispose_unregister;
    meta.payload_kind = PayloadKind::key;
    meta.key = InstanceKey{key_of(12), 77};
    meta.related = RelatedSample{0x800f, {writer_guid(4), {9}}};
    meta.coherent_set = SequenceNumber{5};
    Buffer frame;
    encode_sample(meta, 42, wall_at(-7), payload_of(1, 33), frame);
    CHECK(frame.size() == sample_frame_size(sample_flags(meta), 33));
    FrameHeader header;
    REQUIRE(decode_frame_header(frame.data(), header));
    SampleFrame decoded;
    REQUIRE(decode_sample(
        header.flags, ByteView(frame).subspan(frame_header_size, header.payload_length), decoded));
    CHECK(meta_of(decoded, writer_guid(3)) == meta);
    CHECK(decoded.received == wall_at(-7));
    CHECK_FALSE(
        decode_sample(header.flags, ByteView(frame).subspan(frame_header_size, 81), decoded));
}

TEST_CASE("an unkeyed sample costs at most 56 bytes beside its payload") {
    for (std::uint64_t size = 0; size < 2000; ++size) {
        REQUIRE(sample_frame_size(0, size) - size <= 56);
    }
}

TEST_CASE("metadata survives its encoding, and a cut one is refused at every length") {
    GroupMeta meta = keyed_topic("tøpic \"x\"", keep_all(7));
    meta.key.partitions = {"", "a*"};
    meta.contract.max_bytes = 1'000'000;
    meta.contract.max_age = std::chrono::hours{7};
    meta.qos.durability_service.emplace().limits.max_samples = 3;
    meta.qos.representations = {representation_xcdr2, representation_xcdr1};
    meta.qos.type_information = {9, 8, 7};
    meta.type_objects = {{1, 2, 3}, {4}};
    meta.key.type_hash = {5, 6};
    Buffer bytes;
    encode_group_meta(meta, bytes);
    CHECK(decode_group_meta(bytes) == meta);
    // Files from before there were types, and quotas, end without them.
    const std::size_t without_types = bytes.size() - (4 + 4 + 3 + 4 + 1) - (4 + 2);
    const std::size_t without_quotas = without_types - 16;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        if (length == without_quotas || length == without_types) continue;
        REQUIRE_FALSE(decode_group_meta(ByteView(bytes).first(length)));
    }
    const auto older = decode_group_meta(ByteView(bytes).first(without_quotas));
    REQUIRE(older.has_value());
    CHECK(older->contract.max_bytes == unlimited);
    CHECK(older->contract.max_age == Contract{}.max_age);
    CHECK(older->contract.max_samples == 7);
    CHECK(older->type_objects.empty());
    CHECK(older->key.type_hash.empty());
}

TEST_CASE("names: every name is parsed back, and nothing else is taken for one") {
    const LogName name{writer_guid(200), 0xabcdef01};
    CHECK(parse_log_name(log_name(name)) == name);
    CHECK_FALSE(parse_log_name(log_name(name) + "x"));
    CHECK_FALSE(parse_log_name("../" + log_name(name)));
    CHECK(is_leftover(log_name(name) + ".tmp"));
    CHECK_FALSE(is_leftover("notes.tmp"));
    CHECK(is_set_aside("meta.corrupt-12"));
    CHECK_FALSE(is_set_aside("meta.corruption"));
    GroupKey a = keyed_topic("t", {}).key;
    GroupKey b = a;
    b.partitions = {"p"};
    CHECK(hash_of(a) != hash_of(b));
    CHECK(parse_group_folder(group_folder_name(hash_of(a))) == hash_of(a));
}

TEST_CASE("verify names the file and the offset of the first damage, and changes nothing") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
    for (int i = 1; i <= 5; ++i)
        world.append(topic, writer_guid(1), i, payload_of(i));
    REQUIRE(world.close());
    auto report = verify(files, "disk", 1 << 20);
    REQUIRE(report);
    CHECK(report->sound());
    CHECK(report->samples == 5);

    std::string log;
    for (const FileReport& file : report->files) {
        if (file.role == FileRole::log) log = file.path;
    }
    Buffer content = files.content(log).value();
    const auto at = content.size() - 40 - 48;  // inside the last sample
    content[at] ^= 1U;
    files.put(log, content);
    files.put("disk/stranger", Buffer{1});
    report = verify(files, "disk", 1 << 20);
    REQUIRE(report);
    CHECK_FALSE(report->sound());
    CHECK(report->foreign == 1);
    for (const FileReport& file : report->files) {
        if (file.path != log) continue;
        CHECK(file.verdict == TailVerdict::damaged);
        CHECK(file.topic == "t");
        CHECK(file.offset <= at);
        CHECK(file.offset + 200 > at);
        CHECK_FALSE(file.reason.empty());
    }
    CHECK(files.content(log) == content);
}

TEST_CASE("a reader sees what is retained beside a running store and touches nothing") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(3)));
    for (int i = 1; i <= 5; ++i)
        world.append(topic, writer_guid(1), i, payload_of(i));
    const auto names = files.files();
    const auto bytes = files.total_bytes();
    std::vector<Completion> events;
    auto reader = StoreReader::open(files, "disk", "mem", {}, events);
    REQUIRE(reader);
    CHECK(events.empty());
    REQUIRE((*reader)->status().groups.size() == 1);
    CHECK((*reader)->status().groups[0].retained == 3);
    std::vector<std::int64_t> numbers;
    const auto visit = [&](const ReadSample& sample) {
        numbers.push_back(sample.meta.id.number.value);
        CHECK(Buffer(sample.payload.begin(), sample.payload.end()) ==
              payload_of(sample.meta.id.number.value));
        return true;
    };
    (*reader)->for_each(0, visit, events);
    CHECK(events.empty());
    CHECK(numbers == std::vector<std::int64_t>{3, 4, 5});
    CHECK(files.files() == names);
    CHECK(files.total_bytes() == bytes);
}
