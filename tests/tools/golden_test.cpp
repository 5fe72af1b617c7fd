// What the program prints, compared with files: for a store at rest, and of a daemon whose figures
// do not change. A run with DURABILITYD_UPDATE_GOLDEN=1 writes the files anew; look at the
// difference.
#include "support/fake_daemon.hpp"
#include "support/prepared_store.hpp"
#include "support/process.hpp"
#include "tools/sample_daemon.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace durability;
using namespace durability::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

// Compares with tests/tools/golden/NAME.
void compare(const std::string& name, const std::string& output) {
    const fs::path file = fs::path(GOLDEN_DIRECTORY) / name;
    if (std::getenv("DURABILITYD_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << output;
    std::ifstream in(file);
    INFO("file " << file.string());
    REQUIRE(in.good());
    std::ostringstream wanted;
    wanted << in.rdbuf();
    CHECK(output == wanted.str());
}

std::string printed(std::vector<std::string> arguments, int status = 0) {
    Process process({DURABILITYCTL_BINARY, std::move(arguments), {"TZ=UTC"}});
    const auto ended = process.wait(60s);
    INFO(process.output());
    REQUIRE(ended.has_value());
    CHECK(ended->status == status);
    return process.output();
}

class Store {
  public:
    Store() {
        std::string name = (fs::temp_directory_path() / "durability-golden-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
        PreparedTopic map{"rt/map", true, 2};
        map.described = true;
        PreparedTopic left{"rt/tf_static", false, 3, "left"};
        PreparedTopic replies{"rt/replies", false, 2};
        replies.replies = true;
        for (PreparedTopic* topic : {&map, &left, &replies})
            topic->received = WallTime(1'700'000'000s);
        prepare_store(state(), run(), 0, map, 6, true, 16);
        prepare_store(state(), run(), 0, left, 5, false, 2'000);
        prepare_store(state(), run(), 7, replies, 4);
    }
    ~Store() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    [[nodiscard]] std::string state() const { return (path_ / "state").string(); }
    [[nodiscard]] std::string run() const { return (path_ / "run").string(); }
    [[nodiscard]] std::string printed(std::vector<std::string> arguments, int status = 0) const {
        arguments.insert(arguments.end(), {"--state-dir", state()});
        return replaced(::printed(std::move(arguments), status), state(), "STATE");
    }

  private:
    fs::path path_;
};

}  // namespace

TEST_CASE("what is said of a store at rest is what it always was") {
    const Store store;
    struct Case {
        const char* file;
        std::vector<std::string> arguments;
    };
    for (const Case& one : {Case{"rest_topics.txt", {"topics"}},
                            Case{"rest_topics.json", {"topics", "--json"}},
                            Case{"rest_topics_names.txt", {"topics", "--names"}},
                            Case{"rest_writers.txt", {"writers"}},
                            Case{"rest_writers_of_topic.txt", {"writers", "rt/map", "-d", "0"}},
                            Case{"rest_writers.json", {"writers", "--json"}},
                            Case{"rest_writers_names.txt", {"writers", "--names"}},
                            Case{"rest_instances.txt", {"instances", "rt/map"}},
                            Case{"rest_instances.json", {"instances", "rt/map", "--json"}},
                            Case{"rest_instances_names.txt", {"instances", "rt/map", "--names"}},
                            Case{"rest_instances_unkeyed.txt", {"instances", "rt/replies"}},
                            Case{"rest_show.txt", {"show", "rt/map"}},
                            Case{"rest_show_partition.txt", {"show", "rt/tf_static"}},
                            Case{"rest_show.json", {"show", "rt/map", "--json"}},
                            Case{"rest_dump.txt", {"dump", "rt/map"}},
                            Case{"rest_dump_none.txt", {"dump", "rt/replies", "--payload", "none"}},
                            Case{"rest_verify.txt", {"verify"}},
                            Case{"rest_verify.json", {"verify", "--json"}},
                            Case{"rest_repair.txt", {"repair", "--dry-run"}},
                            Case{"rest_repair.json", {"repair", "--dry-run", "--json"}}}) {
        CAPTURE(one.file);
        compare(one.file, store.printed(one.arguments));
    }
}

TEST_CASE("what is said of changes to a store at rest is what it always was") {
    const Store store;
    compare("rest_purge.txt", store.printed({"purge", "rt/tf_static"}));
    compare("rest_purge.json", store.printed({"purge", "rt/map", "--json"}));
    compare("rest_compact.txt", store.printed({"compact"}));
    compare("rest_compact.json", store.printed({"compact", "--json"}));
}

TEST_CASE("what is said of a damaged store is what it always was") {
    const Store store;
    for (const auto& entry : fs::recursive_directory_iterator(store.state() + "/0")) {
        if (entry.path().extension() != ".log" || entry.file_size() < 4'000) continue;
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(1'000);
        file.put('\xff');
    }
    compare("rest_verify_damaged.txt", store.printed({"verify"}, 65));
    compare("rest_verify_damaged.json", store.printed({"verify", "--json"}, 65));
    compare("rest_repair_damaged.txt", store.printed({"repair", "--dry-run"}));
}

TEST_CASE("what is said of a daemon is what it always was") {
    const FakeDaemon daemon(sample_answer);
    struct Case {
        const char* file;
        std::vector<std::string> arguments;
    };
    for (const Case& one :
         {Case{"live_status.txt", {"status"}},
          Case{"live_status.json", {"status", "--json"}},
          Case{"live_topics.txt", {"topics"}},
          Case{"live_topics.json", {"topics", "--json"}},
          Case{"live_writers.txt", {"writers"}},
          Case{"live_writers.json", {"writers", "--json"}},
          Case{"live_readers.txt", {"readers"}},
          Case{"live_readers.json", {"readers", "--json"}},
          Case{"live_instances.txt", {"instances", "rt/map"}},
          Case{"live_instances.json", {"instances", "rt/map", "--json"}},
          Case{"live_show.txt", {"show", "rt/map"}},
          Case{"live_show.json", {"show", "rt/map", "--json"}},
          Case{"live_explain.txt", {"explain", "rt/map"}},
          Case{"live_explain.json", {"explain", "rt/map", "--json"}},
          Case{"live_reload.txt", {"reload"}},
          Case{"live_reload.json", {"reload", "--json"}},
          Case{"live_events.txt", {"events"}},
          Case{"live_events.json", {"events", "--json"}},
          Case{"live_events_since.txt", {"events", "--since", "@1700000005"}},
          Case{"live_events_topic.txt", {"events", "--topic", "rt/map"}},
          Case{"live_events_kind.json", {"events", "--event", "SampleLost", "--json"}},
          Case{"live_purge.txt", {"purge", "rt/map"}},
          Case{"live_purge.json", {"purge", "rt/map", "--json"}},
          Case{"live_metrics.txt", {"metrics"}},
          Case{"live_metrics_prometheus.txt", {"metrics", "--format", "prometheus"}}}) {
        CAPTURE(one.file);
        auto arguments = one.arguments;
        arguments.insert(arguments.end(), {"--socket", daemon.socket()});
        const std::string output = printed(arguments);
        // Whatever a topic is called, a terminal does not act on it.
        CHECK(output.find('\x1b') == std::string::npos);
        compare(one.file, output);
    }
}
