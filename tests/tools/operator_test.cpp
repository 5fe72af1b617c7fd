// purge and compact on a store at rest.
#include "store/posix_file_system.hpp"
#include "support/prepared_store.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

using namespace durability;
using namespace durability::test;
using namespace std::chrono_literals;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "durability-operator-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string state() const { return path_ / "state"; }
    [[nodiscard]] std::string run() const { return path_ / "run"; }
    [[nodiscard]] fs::path path() const { return path_; }

  private:
    fs::path path_;
};

struct Ran {
    int status{-1};
    std::string output;
};

Ran run(std::vector<std::string> arguments) {
    Process process({DURABILITYCTL_BINARY, std::move(arguments), {}});
    const auto ended = process.wait(20s);
    return {ended ? ended->status : -1, process.output()};
}

std::uintmax_t bytes_of_logs(const std::string& state) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(state)) {
        if (entry.path().extension() == ".log") bytes += entry.file_size();
    }
    return bytes;
}

}  // namespace

TEST_CASE("purge takes samples out of a store at rest, bytes and all") {
    const Folder folder;
    prepare_store(folder.state(), folder.run(), 7, {"rt/map", true, 50}, 10, true, 2'000);
    const auto before = bytes_of_logs(folder.state());
    const auto one = run({"purge",
                          "rt/map",
                          "--state-dir",
                          folder.state(),
                          "--writer",
                          to_string(prepared_writer(1))});
    CHECK(one.status == 0);
    CHECK(one.output == "10 samples of rt/map removed\n");
    CHECK(bytes_of_logs(folder.state()) + 20'000 <= before);
    CHECK_THAT(run({"topics", "--json", "--state-dir", folder.state()}).output,
               Contains("\"retained_samples\":10"));
    CHECK(run({"verify", "--state-dir", folder.state()}).status == 0);

    const auto json = run({"purge",
                           "rt/map",
                           "--json",
                           "--state-dir",
                           folder.state(),
                           "--instance",
                           to_hex(prepared_key(0))});
    CHECK_THAT(json.output, Contains("\"samples\":5"));
    const auto again = run(
        {"purge", "rt/map", "--state-dir", folder.state(), "--instance", to_hex(prepared_key(0))});
    CHECK(again.status == 0);
    CHECK_THAT(again.output, Contains("0 samples") && Contains("nothing is kept of instance"));
}

TEST_CASE("purge of what is not there says what is") {
    const Folder folder;
    prepare_store(folder.state(), folder.run(), 7, {"rt/map", false, 50}, 2);
    const auto topic = run({"purge", "rt/nap", "--state-dir", folder.state()});
    CHECK(topic.status == 69);
    CHECK_THAT(topic.output, Contains("no such topic") && Contains("durabilityctl topics"));
    CHECK(run({"purge", "rt/map", "-d", "8", "--state-dir", folder.state()}).status == 69);
    const auto instance = run(
        {"purge", "rt/map", "--state-dir", folder.state(), "--instance", to_hex(prepared_key(0))});
    CHECK_THAT(instance.output, Contains("0 samples") && Contains("has no key"));
    CHECK_THAT(run({"topics", "--json", "--state-dir", folder.state()}).output,
               Contains("\"retained_samples\":2"));
}

TEST_CASE("compact gives back dead bytes of a store at rest, with progress only when asked") {
    const Folder folder;
    prepare_store(folder.state(), folder.run(), 7, {"rt/map", false, 2}, 100, false, 4'000);
    prepare_store(folder.state(), folder.run(), 8, {"rt/map", false, 2}, 100, false, 4'000);
    const auto before = bytes_of_logs(folder.state());
    const auto one = run({"compact", "-d", "7", "--state-dir", folder.state()});
    CHECK(one.status == 0);
    CHECK_THAT(one.output, Contains("KiB given back") && !Contains("compact:"));
    CHECK(bytes_of_logs(folder.state()) + 390'000 <= before);
    const auto other = run({"compact", "rt/map", "--progress", "--state-dir", folder.state()});
    CHECK(other.status == 0);
    CHECK_THAT(other.output, Contains("compact: ") && !Contains("\x1b"));
    CHECK(bytes_of_logs(folder.state()) + 780'000 <= before);
    CHECK(run({"compact", "rt/nap", "--state-dir", folder.state()}).status == 69);
    CHECK_THAT(run({"topics", "--json", "--state-dir", folder.state()}).output,
               Contains("\"retained_samples\":2"));
}

TEST_CASE("a store in use is refused by name and holder") {
    const Folder folder;
    prepare_store(folder.state(), folder.run(), 7, {"rt/map", false, 2}, 5);
    store::PosixFileSystem files;
    const auto lease = files.lock(folder.state() + "/7/lease");
    REQUIRE(lease.has_value());
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"purge", "rt/map"}, {"compact"}}) {
        auto arguments = words;
        arguments.insert(arguments.end(), {"--state-dir", folder.state()});
        const auto refused = run(arguments);
        CHECK(refused.status == 75);
        CHECK_THAT(refused.output,
                   Contains(folder.state() + "/7") && Contains(std::to_string(::getpid())) &&
                       Contains("leave out --state-dir"));
    }
}

TEST_CASE("files that root's tool makes belong to the owner of the store") {
    if (::geteuid() != 0) return;
    const Folder folder;
    prepare_store(folder.state(), folder.run(), 7, {"rt/map", false, 2}, 100);
    constexpr uid_t somebody = 12'345;
    for (const auto& entry : fs::recursive_directory_iterator(folder.state()))
        REQUIRE(::chown(entry.path().c_str(), somebody, somebody) == 0);
    REQUIRE(::chown(folder.state().c_str(), somebody, somebody) == 0);
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    CHECK(run({"compact", "--state-dir", folder.state()}).status == 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder.state())) {
        struct stat owner {};
        REQUIRE(::stat(entry.path().c_str(), &owner) == 0);
        INFO(entry.path());
        CHECK(owner.st_uid == somebody);
    }
}

TEST_CASE("instances of a store at rest: keys, states, what is kept") {
    const Folder folder;
    PreparedTopic topic{"rt/robots", true, 2};
    topic.described = true;
    prepare_store(folder.state(), folder.run(), 0, topic, 6, true, 16);
    const Ran table = run({"instances", "rt/robots", "--state-dir", folder.state()});
    CHECK(table.status == 0);
    CHECK_THAT(table.output, Contains("KEY") && Contains("alive") && Contains("00000001"));
    // Of the newest sample of either instance, as its payload says it.
    CHECK_THAT(table.output, Contains(" 5 ") && Contains(" 6 "));
    const Ran json = run({"instances", "rt/robots", "--state-dir", folder.state(), "--json"});
    CHECK_THAT(json.output,
               Contains(R"("total":2)") && Contains(R"("samples":2)") &&
                   Contains(R"("state":"alive")") && Contains(R"("key_hash":"00000001)"));
}

TEST_CASE("instances says what is wrong with the question") {
    const Folder folder;
    prepare_store(folder.state(), folder.run(), 0, {"rt/map"}, 2);
    const Ran none = run({"instances", "rt/nap", "--state-dir", folder.state()});
    CHECK(none.status == 69);
    CHECK_THAT(none.output, Contains("no such topic") && Contains("durabilityctl topics"));
    const Ran unkeyed = run({"instances", "rt/map", "--state-dir", folder.state()});
    CHECK(unkeyed.status == 0);
    CHECK_THAT(unkeyed.output, Contains("has no key"));
    CHECK(run({"instances"}).status == 64);
}

TEST_CASE("dump selects samples by writer, instance and request") {
    const Folder folder;
    PreparedTopic topic{"rt/replies", true, 50};
    topic.replies = true;
    prepare_store(folder.state(), folder.run(), 7, topic, 6, true);
    const auto lines = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"dump", "rt/replies", "--state-dir", folder.state()});
        const Ran ran = run(options);
        INFO(ran.output);
        CHECK(ran.status == 0);
        return std::count(ran.output.begin(), ran.output.end(), '\n');
    };
    const std::string requester = to_string(prepared_writer(9));
    CHECK(lines({}) == 12);
    CHECK(lines({"--writer", to_string(prepared_writer(2))}) == 6);
    CHECK(lines({"--instance", to_hex(prepared_key(1))}) == 6);
    CHECK(lines({"--related", requester}) == 12);
    CHECK(lines({"--related", requester + ":2"}) == 4);
    CHECK(lines({"--related",
                 requester + ":2",
                 "--writer",
                 to_string(prepared_writer(1)),
                 "--instance",
                 to_hex(prepared_key(0))}) == 1);
    const Ran nothing = run({"dump",
                             "rt/replies",
                             "--state-dir",
                             folder.state(),
                             "--related",
                             to_string(prepared_writer(8))});
    CHECK(nothing.status == 0);
    CHECK_THAT(nothing.output, Contains("none of 12 samples is selected"));
}
