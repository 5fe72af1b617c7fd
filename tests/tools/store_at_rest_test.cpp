// The program on a store that a Store wrote, whole and wounded.
#include "durabilityctl/store_at_rest.hpp"

#include "base/clock.hpp"
#include "store/posix_file_system.hpp"
#include "store/store.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace durability;
using namespace std::chrono_literals;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const Guid writer{GuidPrefix{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, EntityId{0x00000103}};

// A state directory with one topic of `count` samples in domain 7, closed.
class Prepared {
  public:
    explicit Prepared(int count) {
        std::string name = (fs::temp_directory_path() / "durability-rest-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
        store::StoreOptions options;
        options.disk_directory = state() + "/7";
        options.memory_directory = (path_ / "run/7").string();
        std::vector<store::Completion> out;
        auto store = store::Store::open(files_, options, system_now().wall, out);
        if (!store) FAIL(store.error().text());
        GroupMeta meta;
        meta.key.topic = "rt/map";
        meta.key.type = "Map";
        meta.key.durability = DurabilityKind::persistent;
        meta.contract.depth = 3;
        (*store)->execute(store::OpenGroup{1, meta}, out);
        store::AppendBatch batch;
        for (int i = 1; i <= count; ++i) {
            SampleMeta sample;
            sample.id = {writer, SequenceNumber{i}};
            const auto octet = static_cast<std::uint8_t>(i);
            batch.add(0,
                      writer,
                      SequenceNumber{i},
                      sample,
                      system_now().wall,
                      Payload::owned(Buffer{0, 1, 0, 0, octet}));
        }
        (*store)->execute(store::Append{std::move(batch)}, out);
        auto job = (*store)->begin_sync(out);
        store::Store::run(job);
        (*store)->end_sync(std::move(job), out);
        REQUIRE((*store)->close(out).has_value());
    }
    ~Prepared() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    [[nodiscard]] std::string state() const { return (path_ / "state").string(); }

    [[nodiscard]] fs::path log() const {
        for (const auto& entry : fs::recursive_directory_iterator(state())) {
            if (entry.path().extension() == ".log" && entry.path().filename() != "records.log")
                return entry.path();
        }
        FAIL("no log was written");
        return {};
    }
    // Every file's name, size and bytes, to see that reading changes nothing.
    [[nodiscard]] std::string fingerprint() const {
        std::vector<std::string> parts;
        for (const auto& entry : fs::recursive_directory_iterator(state())) {
            std::string part = entry.path().string();
            if (entry.is_regular_file()) {
                std::ifstream in(entry.path(), std::ios::binary);
                part += std::string(std::istreambuf_iterator<char>(in), {});
            }
            parts.push_back(part);
        }
        std::sort(parts.begin(), parts.end());
        std::string all;
        for (const auto& part : parts)
            all += part + '\n';
        return all;
    }

  private:
    fs::path path_;
    store::PosixFileSystem files_;
};

struct Ran {
    int status{-1};
    std::string output;
};

Ran run(std::vector<std::string> arguments) {
    test::Process process({DURABILITYCTL_BINARY, std::move(arguments), {}});
    const auto ended = process.wait(20s);
    return {ended ? ended->status : -1, process.output()};
}

void flip_byte(const fs::path& file, std::uintmax_t offset) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    const auto byte = static_cast<char>(stream.get() ^ 0x40);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put(byte);
    REQUIRE(stream.good());
}

}  // namespace

TEST_CASE("topics and writers are read from a store at rest, which stays as it is") {
    const Prepared store(5);
    const auto before = store.fingerprint();
    const auto topics = run({"topics", "--state-dir", store.state()});
    CHECK(topics.status == 0);
    CHECK_THAT(topics.output,
               Contains("rt/map") && Contains("keep_last 3") && Contains("PERSISTENT"));
    const auto writers = run({"writers", "--state-dir", store.state() + "/", "rt/map"});
    CHECK(writers.status == 0);
    CHECK_THAT(writers.output, Contains(to_string(writer)));
    CHECK_THAT(run({"topics", "--names", "--state-dir", store.state()}).output,
               Contains("rt/map\n"));
    const auto json = run({"topics", "--json", "--state-dir", store.state()});
    CHECK_THAT(json.output, Contains("\"retained_samples\":3"));
    CHECK(store.fingerprint() == before);
}

TEST_CASE("dump prints what is retained, in order, with its payload") {
    const Prepared store(5);
    const auto before = store.fingerprint();
    const auto dump = run({"dump", "rt/map", "--state-dir", store.state()});
    CHECK(dump.status == 0);
    CHECK(std::count(dump.output.begin(), dump.output.end(), '\n') == 3);
    const auto third = dump.output.find("\"number\":3");
    const auto fifth = dump.output.find("\"number\":5");
    CHECK(third != std::string::npos);
    CHECK(third < fifth);
    CHECK_THAT(dump.output, Contains("\"payload\":\"0001000005\"") && !Contains("0001000002"));
    const auto without = run({"dump", "rt/map", "--payload", "none", "--state-dir", store.state()});
    CHECK_THAT(without.output, Contains("\"size\":5") && !Contains("\"payload\""));
    CHECK(store.fingerprint() == before);
}

TEST_CASE("a ROS name stands for the topic it has in DDS, where there is none of that name") {
    const Prepared store(5);
    const auto dump = run({"dump", "/map", "--state-dir", store.state()});
    CHECK(dump.status == 0);
    CHECK_THAT(dump.output,
               Contains("rt/map is taken, which is /map in ROS") && Contains("\"number\":5"));
    const auto writers = run({"writers", "/map", "--state-dir", store.state()});
    CHECK(writers.status == 0);
    CHECK_THAT(writers.output,
               Contains("rt/map is taken, which is /map in ROS") && Contains(to_string(writer)));
    const auto none = run({"dump", "/nap", "--state-dir", store.state()});
    CHECK(none.status == 69);
    CHECK_THAT(none.output, Contains("dump /nap: ") && !Contains("rt/nap"));
    CHECK_THAT(run({"writers", "/nap", "--state-dir", store.state()}).output, !Contains("taken"));
}

TEST_CASE("dump of an unknown topic says so") {
    const Prepared store(1);
    const auto dump = run({"dump", "rt/nap", "--state-dir", store.state()});
    CHECK(dump.status == 69);
    CHECK_THAT(dump.output, Contains("no such topic"));
    CHECK(run({"dump", "rt/map", "-d", "8", "--state-dir", store.state()}).status == 69);
}

TEST_CASE("verify finds nothing wrong with a whole store") {
    const Prepared store(5);
    const auto before = store.fingerprint();
    const auto verify = run({"verify", "--state-dir", store.state()});
    INFO(verify.output);
    CHECK(verify.status == 0);
    CHECK_THAT(verify.output, Contains("no damage"));
    CHECK(store.fingerprint() == before);
}

TEST_CASE("verify names the damaged file and the place, and changes nothing") {
    const Prepared store(5);
    const auto log = store.log();
    flip_byte(log, 150);
    const auto before = store.fingerprint();
    const auto verify = run({"verify", "--state-dir", store.state()});
    INFO(verify.output);
    CHECK(verify.status == 65);
    CHECK_THAT(verify.output,
               Contains(log.filename().string()) && Contains("at offset") && Contains("1 damaged"));
    const auto json = run({"verify", "--json", "--state-dir", store.state()});
    CHECK(json.status == 65);
    CHECK_THAT(json.output, Contains("\"damaged\":1"));
    CHECK(store.fingerprint() == before);
}

TEST_CASE("verify does not take a torn tail for damage") {
    const Prepared store(5);
    std::ofstream(store.log(), std::ios::app | std::ios::binary) << std::string(5, '\0');
    const auto verify = run({"verify", "--state-dir", store.state()});
    INFO(verify.output);
    CHECK(verify.status == 0);
    CHECK_THAT(verify.output, Contains("what is not whole at the end (5 bytes)"));
}

TEST_CASE("verify shows what the daemon set aside and what is not ours") {
    const Prepared store(1);
    const auto log = store.log();
    fs::copy(log, log.string() + ".corrupt");
    std::ofstream(store.state() + "/7/notes.txt") << "x";
    const auto verify = run({"verify", "--state-dir", store.state()});
    CHECK(verify.status == 65);
    CHECK_THAT(verify.output,
               Contains("set aside by the daemon") && Contains("not a file of the store"));
}

TEST_CASE("a directory without a store is named") {
    const auto absent = run({"verify", "--state-dir", "/nonexistent/state"});
    CHECK(absent.status == 69);
    CHECK_THAT(absent.output, Contains("/nonexistent/state"));
    const auto empty = run({"topics", "--state-dir", "/proc/self/fdinfo"});
    CHECK(empty.status == 69);
    CHECK_THAT(empty.output, Contains("no store of a domain"));
}

TEST_CASE("without a daemon the tool says what can be done") {
    const auto topics = run({"topics", "--socket", "/nonexistent/control.sock"});
    CHECK(topics.status == 69);
    CHECK_THAT(topics.output, Contains("is durabilityd running?") && Contains("--state-dir"));
    CHECK(run({"nonsense"}).status == 64);
}

TEST_CASE("repair brings back what is whole of a damaged file, says so, and leaves nothing to do") {
    const Prepared store(5);
    const auto log = store.log();
    // In the payload of a sample.
    std::ifstream in(log, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    const auto at = bytes.find(std::string("\x00\x01\x00\x00\x04", 5));
    REQUIRE(at != std::string::npos);
    flip_byte(log, at);
    const auto before = store.fingerprint();
    const auto planned = run({"repair", "--dry-run", "--state-dir", store.state()});
    CHECK(planned.status == 0);
    CHECK_THAT(planned.output, Contains("restored") && Contains("Nothing was changed"));
    CHECK(store.fingerprint() == before);

    const auto repair = run({"repair", "--progress", "--state-dir", store.state()});
    INFO(repair.output);
    CHECK(repair.status == 0);
    CHECK_THAT(repair.output,
               Contains(log.filename().string() + ".corrupt") && Contains("restored") &&
                   Contains("may be deleted") && Contains("repair: ") && Contains("%, "));
    CHECK(fs::exists(log.string() + ".corrupt.repaired"));
    const auto dump = run({"dump", "rt/map", "--state-dir", store.state()});
    CHECK(std::count(dump.output.begin(), dump.output.end(), '\n') == 3);
    CHECK_THAT(dump.output,
               Contains("\"number\":2") && Contains("\"number\":3") && Contains("\"number\":5"));
    const auto verify = run({"verify", "--progress", "--state-dir", store.state()});
    CHECK(verify.status == 0);
    CHECK_THAT(verify.output, Contains("dealt with by repair") && Contains("verify: "));
    const auto again = run({"repair", "--state-dir", store.state()});
    CHECK(again.status == 0);
    CHECK(again.output == "Nothing is damaged.\n");
    CHECK(run({"repair", "--json", "--state-dir", store.state()}).output ==
          "{\"dry_run\":false,\"remains\":false,\"files\":[]}\n");
}

TEST_CASE("repair of what it cannot mend ends with 65 and leaves it") {
    const Prepared store(5);
    const auto log = store.log();
    fs::copy(log.parent_path() / "meta", log.string() + ".corrupt");
    const auto repair = run({"repair", "--json", "--state-dir", store.state()});
    INFO(repair.output);
    CHECK(repair.status == 65);
    CHECK_THAT(repair.output,
               Contains("\"action\":\"left\"") && Contains("it is no log") &&
                   Contains("\"remains\":true"));
    CHECK(fs::exists(log.string() + ".corrupt"));
}

TEST_CASE("repair refuses a store in use and says what to do; a dry run does not mind") {
    const Prepared store(5);
    store::PosixFileSystem files;
    const auto lease = files.lock(store.state() + "/7/lease");
    REQUIRE(lease.has_value());
    const auto refused = run({"repair", "--state-dir", store.state()});
    CHECK(refused.status == 75);
    CHECK_THAT(refused.output,
               Contains(store.state() + "/7") && Contains(std::to_string(::getpid())) &&
                   Contains("stop the daemon first"));
    CHECK(run({"repair", "--dry-run", "--state-dir", store.state()}).status == 0);
}

TEST_CASE("verify says nothing of its progress where nobody looks") {
    const Prepared store(5);
    const auto verify = run({"verify", "--json", "--state-dir", store.state()});
    CHECK(verify.status == 0);
    CHECK(verify.output.front() == '{');
    CHECK(std::count(verify.output.begin(), verify.output.end(), '\n') == 1);
}
