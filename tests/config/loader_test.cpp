#include "config/loader.hpp"

#include "durability/version.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

using namespace durability;
using namespace durability::config;
using namespace std::chrono_literals;

namespace {

Loaded good(const std::string& text) {
    auto loaded = load_text("d.yaml", text);
    if (!loaded) FAIL(to_text(loaded.error()));
    return *std::move(loaded);
}

// What the only problem says, as printed.
std::string complaint(const std::string& text) {
    const auto loaded = load_text("d.yaml", text);
    if (loaded) return "accepted";
    CAPTURE(to_text(loaded.error()));
    CHECK(loaded.error().size() == 1);
    return to_text(loaded.error().front());
}

std::vector<Problem> problems(const std::string& text) {
    const auto loaded = load_text("d.yaml", text);
    return loaded ? std::vector<Problem>{} : loaded.error();
}

using Catch::Contains;
using Catch::StartsWith;

// A folder of its own that goes with the test.
class Folder {
  public:
    Folder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "durability-config-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string write(const std::string& name, const std::string& text) const {
        const auto file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file.string();
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("an empty file means the defaults") {
    for (const char* text :
         {"", "\n", "# only a comment\n", "---\n", "{}", "topics:\nlimits: {}\nstore:\n"}) {
        CAPTURE(text);
        const auto loaded = good(text);
        CHECK(loaded.config.domains == std::vector<std::uint32_t>{0});
        CHECK(loaded.config.topics.empty());
        CHECK(loaded.origin("store.directory") == "default");
    }
}

TEST_CASE("every kind of value finds its place") {
    const auto loaded = good(R"(
domains: [0, 7]
network:
  interfaces: [eth0, 192.0.2.7]
  multicast: no
  peers: [192.0.2.8, "192.0.2.9:7410"]
  port_base: auto
store:
  directory: /srv/durability
  sync: interval
  sync_interval: 250ms
default_contract:
  history: keep_all
  max_samples: unlimited
  cleanup_delay: 7d
topics:
  - topic: rt/tf_static
    serve: transient_local
    storage: disk
    contract: { scope: writer, depth: 1 }
    keyed: no
    key: auto
  - topic: "rt/*"
    type: "std_msgs::*"
    partition: ""
    serve: never
shutdown: goodbye
network_lease: 10s
replay: { max_rate: 8MiB }
log: { level: debug }
limits: { sample_size: 64MiB, remote_writers: 12 }
)");
    const Config& config = loaded.config;
    CHECK(config.domains == std::vector<std::uint32_t>{0, 7});
    CHECK(config.network.interfaces == std::vector<std::string>{"eth0", "192.0.2.7"});
    CHECK_FALSE(config.network.multicast);
    CHECK(config.network.peers == std::vector<std::string>{"192.0.2.8", "192.0.2.9:7410"});
    CHECK_FALSE(config.network.port_base.has_value());
    CHECK(config.store.directory == "/srv/durability");
    CHECK(config.store.sync == SyncPolicy::interval);
    CHECK(config.store.sync_interval == 250ms);
    CHECK(config.default_contract.history == ContractHistory::keep_all);
    CHECK(config.default_contract.max_samples == unlimited);
    CHECK(config.default_contract.cleanup_delay == 168h);
    REQUIRE(config.topics.size() == 2);
    CHECK(config.topics[0].topic == "rt/tf_static");
    CHECK(config.topics[0].serve == ServeKind::transient_local);
    CHECK(config.topics[0].storage == StorageChoice::disk);
    CHECK(config.topics[0].keyed == KeyedChoice::no);
    CHECK(config.topics[0].contract.scope == ContractScope::writer);
    CHECK(config.topics[0].contract.depth == 1U);
    CHECK_FALSE(config.topics[0].contract.max_samples.has_value());
    CHECK(config.topics[0].origin == "d.yaml:17");
    CHECK(config.topics[1].type == "std_msgs::*");
    CHECK(config.topics[1].partition.empty());
    CHECK(config.shutdown == ShutdownMode::goodbye);
    CHECK(config.network_lease == 10s);
    CHECK(config.replay.max_rate == 8U << 20U);
    CHECK(config.log.level == LogLevel::debug);
    CHECK(config.limits.sample_size == 64U << 20U);
    CHECK(config.limits.remote_writers == 12U);
    CHECK(loaded.origin("store.sync") == "d.yaml:10");
    CHECK(loaded.origin("topics[0].contract.depth") == "d.yaml:20");
    CHECK(loaded.origin("cleanup.interval") == "default");
}

TEST_CASE("a problem is shown with its place, its line and the nearest name") {
    CHECK(complaint("topics:\n  - topic: rt/map\n    contract:\n      dept: 5\n") ==
          "d.yaml:4:7: error: topics[0].contract: unknown option 'dept'; did you mean 'depth'?\n"
          "    4 |       dept: 5\n"
          "      |       ^~~~\n");
    CHECK(complaint("cleanup:\n  interval: 5x\n") ==
          "d.yaml:2:13: error: cleanup.interval: '5x' is not a duration; examples: 250ms, 10s, "
          "5min, 2h, "
          "7d, infinite\n"
          "    2 |   interval: 5x\n"
          "      |             ^~\n");
}

TEST_CASE("all problems are found in one run") {
    const auto found =
        problems("domain: 0\nstore: { sync: always }\nnetwork:\n  multicast: on\nlimits: 3\n");
    REQUIRE(found.size() == 4);
    CHECK_THAT(to_text(found[0]), Contains("did you mean 'domains'?"));
    CHECK_THAT(to_text(found[1]), Contains("'always' is not one of: commit, interval, none"));
    CHECK_THAT(to_text(found[2]), Contains("write true"));
    CHECK_THAT(to_text(found[3]), Contains("expected a group of options, found a single value"));
    CHECK_THAT(to_text(found), Contains("4 errors"));
}

TEST_CASE("contradictions are found beside other problems, but not about what is wrong anyway") {
    const std::string found =
        to_text(problems("domains: [0, 0]\n"
                         "default_contract: { depth: 20000, max_samples: many }\n"
                         "topics:\n"
                         "  - topic: a\n"
                         "  - topic: a\n"
                         "  - { topic: b, contract: { depth: 5, max_samples: 2 } }\n"
                         "  - { topic: b, serve: often }\n"
                         "shutdown: stays\n"));
    CHECK_THAT(found, Contains("d.yaml:1:10: error: domains: domain 0 is given twice"));
    CHECK_THAT(found, Contains("error: default_contract.max_samples: 'many' is not"));
    CHECK_THAT(found, !Contains("default_contract.depth"));
    CHECK_THAT(found, Contains("d.yaml:5:5: error: topics[1]: the rule for topic 'a'"));
    CHECK_THAT(found, Contains("error: topics[2].contract.depth: 5 is above max_samples 2"));
    CHECK_THAT(found, Contains("error: topics[3].serve: 'often' is not one of"));
    CHECK_THAT(found, Contains("error: shutdown: 'stays' is not one of: stay, goodbye; did you"));
    CHECK_THAT(found, Contains("6 errors"));
}

TEST_CASE("a wrong word on the command line is one problem") {
    const auto loaded = load({"", "", {{"domains", {"300"}, false, "--domain"}}});
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().size() == 1);
    CHECK_THAT(to_text(loaded.error()),
               Contains("command line: error: --domain: 300 is too large"));
}

TEST_CASE("a duplicate key is an error that names both lines") {
    CHECK_THAT(
        complaint("network:\n  multicast: true\n  multicast: false\n"),
        StartsWith(
            "d.yaml:3:3: error: multicast: the option is given twice; the first is in line 2"));
    CHECK_THAT(complaint("topics: []\ntopics: []\n"), StartsWith("d.yaml:2:1: error: topics: "));
}

TEST_CASE("a second document is an error") {
    CHECK_THAT(complaint("domains: [0]\n---\ndomains: [1]\n"),
               Contains("more than one YAML document"));
    CHECK_THAT(complaint("---\n---\ndomains: [1]\n"), Contains("more than one YAML document"));
    CHECK(load_text("d.yaml", "domains: [1]\n---\n").has_value());
}

TEST_CASE("a comma outside brackets is an error in its place") {
    CHECK_THAT(complaint(","), StartsWith("d.yaml:1:1: error: cannot be read from here on"));
    CHECK_THAT(complaint(", domains: [1]\n"), StartsWith("d.yaml:1:1: error: cannot be read"));
    CHECK_THAT(complaint("{domains: [1]}, stay\n"),
               StartsWith("d.yaml:1:15: error: cannot be read from here on"));
}

TEST_CASE("numbers are decimal, whole and unquoted") {
    const auto depth = [](const std::string& value) {
        return complaint("default_contract:\n  depth: " + value + "\n");
    };
    CHECK_THAT(depth("010"), Contains("leading zero; write 10"));
    CHECK_THAT(depth("00"), Contains("leading zero; write 0"));
    CHECK_THAT(depth("1_000"), Contains("without '_'"));
    CHECK_THAT(depth("1e3"), Contains("write all digits"));
    CHECK_THAT(depth("1.0"), Contains("write all digits"));
    CHECK_THAT(depth("0x10"), Contains("in decimal"));
    CHECK_THAT(depth("-1"), Contains("cannot be negative"));
    CHECK_THAT(depth("\"5\""), Contains("without quotes"));
    CHECK_THAT(depth("five"), Contains("'five' is not a number"));
    CHECK_THAT(depth("unlimited"), Contains("is not a number"));
    CHECK_THAT(depth("99999999999999999999"), Contains("is not a number"));
    CHECK_THAT(depth("0"), Contains("0 is too small; at least 1"));
    CHECK_THAT(depth(""), Contains("has no value"));
    CHECK_THAT(depth("[5]"), Contains("found a list"));
}

TEST_CASE("true, false, yes and no are the only flags") {
    CHECK(good("network: { multicast: yes }").config.network.multicast);
    CHECK_FALSE(good("network: { multicast: no }").config.network.multicast);
    CHECK_FALSE(good("network: { multicast: false }").config.network.multicast);
    CHECK_THAT(complaint("network: { multicast: off }"), Contains("write false"));
    CHECK_THAT(complaint("network: { multicast: y }"), Contains("write true"));
    CHECK_THAT(complaint("network: { multicast: \"true\" }"), Contains("without quotes"));
}

TEST_CASE("a quotation that is not closed is found where it begins") {
    const auto found = problems("topics:\n  - topic: \"rt/map\n    serve: never\ndomains: [0]\n");
    REQUIRE_FALSE(found.empty());
    CHECK_THAT(to_text(found.front()),
               StartsWith("d.yaml:2:12: error: the quotation that begins here"));
    CHECK_THAT(complaint("store: { directory: '/srv/it''s }"),
               Contains("is a quotation or a bracket not closed?"));
    CHECK(good("store: { directory: '/srv/it''s' }").config.store.directory == "/srv/it's");
    CHECK(good("store: { directory: \"/srv/a\\\"b\" }").config.store.directory == "/srv/a\"b");
}

TEST_CASE("merge keys, tags and odd keys are refused") {
    CHECK_THAT(complaint("store: &base\n  sync: none\nlog:\n  <<: *base\n"),
               Contains("merge keys"));
    CHECK_THAT(complaint("store: { sync: !mine none }"), Contains("tags are not read"));
    CHECK_THAT(complaint("[a]: 1\n"), Contains("must be a word"));
}

TEST_CASE("an alias may repeat a value but cannot build a monster") {
    CHECK(good("store: { sync_interval: &t 1s }\ncleanup: { interval: *t }")
              .config.cleanup.interval == 1s);
    CHECK_FALSE(problems("a: &a [*a]\n").empty());
    std::string bomb = "a: &a0 [x, x]\n";
    for (int i = 1; i < 30; ++i) {
        const auto n = std::to_string(i), p = std::to_string(i - 1);
        bomb += "b" + n + ": &a" + n + " [*a" + p + ", *a" + p + "]\n";
    }
    const auto found = problems(bomb);
    CHECK(std::any_of(found.begin(), found.end(), [](const Problem& problem) {
        return problem.message == "too many values" || problem.message == "nested too deeply";
    }));
}

TEST_CASE("deep nesting is a problem, not a crash") {
    CHECK_THAT(complaint(std::string(20'000, '[')), Contains("nested too deeply"));
    CHECK_THAT(to_text(problems("domains: " + std::string(50, '[') + std::string(50, ']')).front()),
               Contains("nested too deeply"));
}

TEST_CASE("syntax errors come with a hint where the cause is known") {
    CHECK_THAT(complaint("topics:\n  - topic: *.map\n"), Contains("needs quotes"));
    CHECK_THAT(complaint("network:\n\tmulticast: true\n"), Contains("with blanks, not with tabs"));
    CHECK_THAT(complaint(std::string("log:\0 {}", 8)),
               StartsWith("d.yaml:1:5: error: the file is not text"));
}

TEST_CASE("a topic rule needs a topic, and names have no blanks") {
    CHECK_THAT(complaint("topics:\n  - serve: never\n"), Contains("the rule has no topic"));
    CHECK_THAT(complaint("topics:\n  - topic: two words\n"), Contains("names have no blanks"));
    CHECK_THAT(complaint("topics:\n  - topic: \"a\\nb\"\n"), Contains("control character"));
    CHECK_THAT(complaint("topics: { topic: rt/map }\n"), Contains("expected a list of rules"));
    CHECK_THAT(complaint("topics: [rt/map]\n"), Contains("expected a rule, found a single value"));
}

TEST_CASE("thread settings are refused at their place where they are not built in") {
    good("threads: {}\n");
    if (has_realtime()) return;
    const std::string said = complaint("threads: { loop: { priority: 10 } }\n");
    CHECK_THAT(said, Contains("d.yaml:1:1"));
    CHECK_THAT(said, Contains("feature missing"));
    CHECK_THAT(said, Contains("DURABILITYD_RT"));
}

TEST_CASE("where thread settings are built in, a priority goes with fifo and rr only") {
    if (!has_realtime()) return;
    const Loaded loaded = good("threads: { store: { policy: fifo, priority: 7, cpus: [0, 3] } }\n");
    CHECK(loaded.config.threads.store.policy == ThreadPolicy::fifo);
    CHECK(loaded.config.threads.store.priority == 7);
    CHECK(loaded.config.threads.store.cpus == std::vector<std::uint32_t>{0, 3});
    CHECK(loaded.config.threads.loop.empty());
    CHECK_THAT(complaint("threads: { loop: { policy: rr } }\n"), Contains("need a priority"));
    CHECK_THAT(complaint("threads: { loop: { priority: 10 } }\n"), Contains("without policy"));
    CHECK_THAT(complaint("threads: { sync: { policy: other, priority: 1 } }\n"),
               Contains("threads.sync.priority"));
    CHECK_THAT(complaint("threads: { loop: { policy: rr, priority: 100 } }\n"),
               Contains("too large"));
    CHECK_THAT(complaint("threads: { loop: { cpus: [1024] } }\n"), Contains("too large"));
    CHECK_THAT(complaint("threads: { loop: { policy: idle } }\n"), Contains("other, fifo, rr"));
}

TEST_CASE("a key layout names members that are known, the last of them part of the key") {
    const auto layout = [](const std::string& text) {
        return "topics:\n  - topic: a\n    key: " + text + "\n";
    };
    const Config config = good(layout("[skip int64, \"uint8[16]\", string]")).config;
    CHECK(config.topics[0].key == std::vector<std::string>{"skip int64", "uint8[16]", "string"});
    CHECK(good(layout("auto")).config.topics[0].key.empty());
    CHECK_THAT(complaint(layout("manual")), Contains("expected a list"));
    CHECK_THAT(complaint(layout("[]")), Contains("names no member"));
    CHECK_THAT(complaint(layout("[int33]")), Contains("int33") && Contains("members are bool"));
    CHECK_THAT(complaint(layout("[skip int32]")), Contains("key"));
    CHECK_THAT(complaint(layout("{ a: b }")), Contains("expected a list, found"));
}

TEST_CASE("addresses and interfaces are checked") {
    for (const char* peer : {"localhost",
                             "192.0.2",
                             "192.0.2.256",
                             "192.0.2.7.1",
                             "192.0.2.01",
                             "192.0.2.7:0",
                             "192.0.2.7:65536",
                             "192.0.2.7:",
                             "1.2.3.",
                             "....",
                             ""}) {
        CAPTURE(peer);
        CHECK_THAT(complaint("network: { peers: [\"" + std::string(peer) + "\"] }"),
                   Contains("network.peers[0]"));
    }
    CHECK_THAT(complaint("network: { peers: 192.0.2.7 }"),
               Contains("expected a list, found a single value; write [192.0.2.7]"));
    CHECK_THAT(complaint("network: { interfaces: [a_name_that_is_too_long] }"),
               Contains("interfaces[0]"));
    CHECK_THAT(complaint("network: { port_base: 0 }"), Contains("a port number or auto"));
    CHECK_THAT(complaint("network: { port_base: 70000 }"), Contains("a port number or auto"));
}

TEST_CASE("domains exist, are given once and have ports") {
    CHECK_THAT(complaint("domains: []"), Contains("no domain is given"));
    CHECK_THAT(complaint("domains: [3, 3]"), Contains("domain 3 is given twice"));
    CHECK_THAT(complaint("domains: [233]"), Contains("at most 232"));
    CHECK_THAT(complaint("domains: [230]\nnetwork: { port_base: 20000 }"),
               Contains("has no ports above"));
}

TEST_CASE("limits of a contract do not contradict each other") {
    CHECK_THAT(complaint("default_contract: { depth: 5, max_samples_per_instance: 4 }"),
               Contains("5 is above max_samples_per_instance 4"));
    CHECK_THAT(complaint("default_contract: { max_samples: 10, max_samples_per_instance: 11 }"),
               Contains("11 is above max_samples 10"));
    CHECK_THAT(
        complaint("topics:\n  - topic: a\n    contract: { depth: 20, max_samples: 10 }"),
        StartsWith("d.yaml:3:24: error: topics[0].contract.depth: 20 is above max_samples 10"));
    good("default_contract: { history: keep_all, depth: 5, max_samples_per_instance: 4 }");
    good("topics:\n  - topic: a\n    contract: { depth: 20000 }");
}

TEST_CASE("quotas of bytes and age") {
    const Config config =
        good(
            "default_contract: { max_bytes: 1GiB }\n"
            "topics:\n  - topic: a\n    contract: { max_age: 2h, max_bytes: unlimited }")
            .config;
    CHECK(config.default_contract.max_bytes == 1ULL << 30U);
    CHECK(config.default_contract.max_age == std::chrono::nanoseconds::max());
    REQUIRE(config.topics.size() == 1);
    CHECK(config.topics[0].contract.max_age == std::chrono::hours{2});
    CHECK(config.topics[0].contract.max_bytes == unlimited);
    CHECK_THAT(complaint("default_contract: { max_age: 500ms }"), Contains("max_age"));
    CHECK_THAT(complaint("default_contract: { max_bytes: 0 }"), Contains("max_bytes"));
}

TEST_CASE("the two directories differ") {
    CHECK_THAT(complaint("store: { directory: /a, runtime_directory: /a }"),
               Contains("same as store.directory"));
    CHECK_THAT(complaint("store: { directory: var }"), Contains("not an absolute path"));
}

TEST_CASE("the same rule twice is an error that names both places") {
    CHECK_THAT(complaint("topics:\n  - topic: a\n  - topic: b\n  - topic: a\n    serve: never\n"),
               StartsWith("d.yaml:4:") && Contains("already given at d.yaml:2"));
}

TEST_CASE("a rule that can never be reached is a warning") {
    const auto loaded = good("topics:\n  - topic: \"rt/*\"\n  - topic: rt/map\n  - topic: other\n");
    REQUIRE(loaded.warnings.size() == 1);
    CHECK_THAT(to_text(loaded.warnings[0]),
               StartsWith("d.yaml:3:") && Contains("warning: ") &&
                   Contains("the one at d.yaml:2 matches first"));
    CHECK(good("topics:\n  - topic: rt/map\n  - topic: \"rt/*\"\n").warnings.empty());
    CHECK(good("topics:\n  - topic: \"rt/*\"\n    type: X\n  - topic: rt/map\n").warnings.empty());
}

TEST_CASE("rule files are read in byte order after the file") {
    const Folder folder;
    const auto main = folder.write("d.yaml", "topics:\n  - topic: main\n");
    folder.write("conf.d/20-b.yaml", "topics:\n  - topic: second\n");
    folder.write("conf.d/10-a.yaml", "topics:\n  - topic: first\n");
    folder.write("conf.d/.hidden.yaml", "nonsense");
    folder.write("conf.d/notes.txt", "nonsense");
    const auto loaded = load({main, folder.path("conf.d"), {}});
    REQUIRE(loaded.has_value());
    REQUIRE(loaded->config.topics.size() == 3);
    CHECK(loaded->config.topics[0].topic == "main");
    CHECK(loaded->config.topics[1].topic == "first");
    CHECK(loaded->config.topics[2].topic == "second");
    CHECK(loaded->files.size() == 3);
    CHECK(loaded->origin("topics[2].topic") == folder.path("conf.d/20-b.yaml") + ":2");
}

TEST_CASE("rule files hold rules only, and the same rule in two files names both") {
    const Folder folder;
    const auto main = folder.write("d.yaml", "topics:\n  - topic: a\n");
    const auto rules =
        folder.write("conf.d/1.yaml", "topics:\n  - topic: b\nstore: { sync: none }\n");
    auto loaded = load({main, folder.path("conf.d"), {}});
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(to_text(loaded.error()),
               StartsWith(rules + ":3:1: error: 'store' cannot be set here"));

    folder.write("conf.d/1.yaml", "topics:\n  - topic: a\n");
    loaded = load({main, folder.path("conf.d"), {}});
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(to_text(loaded.error()),
               StartsWith(rules + ":2:") && Contains("already given at " + main + ":2"));
}

TEST_CASE("a file that cannot be read says why") {
    const Folder folder;
    auto loaded = load({folder.path("absent.yaml"), "", {}});
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(to_text(loaded.error()),
               Contains("absent.yaml: error: cannot be opened: No such file"));
    loaded = load({folder.path("."), "", {}});
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(to_text(loaded.error()), Contains("cannot be read: Is a directory"));
    loaded = load({folder.write("big.yaml", std::string(2U << 20U, '#')), "", {}});
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(to_text(loaded.error()), Contains("larger than 1 MiB"));
    CHECK(load({"", folder.path("absent"), {}}).has_value());
}

TEST_CASE("the command line is stronger than the file, and peers add up") {
    const Folder folder;
    const auto main = folder.write("d.yaml", "domains: [5]\nnetwork: { peers: [192.0.2.1] }\n");
    const std::vector<Setting> settings{
        {"domains", {"1", "2"}, false, "--domain"},
        {"network.peers", {"192.0.2.2"}, true, "--peer"},
        {"log.level", {"debug"}, false, "--log-level"},
    };
    const auto loaded = load({main, "", settings});
    REQUIRE(loaded.has_value());
    CHECK(loaded->config.domains == std::vector<std::uint32_t>{1, 2});
    CHECK(loaded->config.network.peers == std::vector<std::string>{"192.0.2.1", "192.0.2.2"});
    CHECK(loaded->config.log.level == LogLevel::debug);
    CHECK(loaded->origin("domains") == "command line");
}

TEST_CASE("a wrong value on the command line names the option as it was typed") {
    const auto loaded = load({"", "", {{"domains", {"x"}, false, "--domain"}}});
    REQUIRE_FALSE(loaded.has_value());
    REQUIRE(loaded.error().size() == 1);
    CHECK(loaded.error().front().file == "command line");
    CHECK(to_text(loaded.error().front()) ==
          "command line: error: --domain: 'x' is not a domain number\n");
}
