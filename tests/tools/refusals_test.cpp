// Every command, and everything that can be wrong around it: what was typed, no daemon, a store
// that is in use, damaged, missing, or not to be read.
#include "durabilityctl/command.hpp"

#include "store/posix_file_system.hpp"
#include "support/prepared_store.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace durability;
using namespace durability::ctl;
using namespace durability::test;
using namespace std::chrono_literals;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

struct Ran {
    int status{-1};
    std::string output;
};

Ran run(std::vector<std::string> arguments) {
    Process process({DURABILITYCTL_BINARY, std::move(arguments), {}});
    const auto ended = process.wait(60s);
    return {ended ? ended->status : -1, process.output()};
}

// The command with a word where it needs one.
std::vector<std::string> typed(const Command& command, std::vector<std::string> options = {}) {
    std::vector<std::string> words{std::string(command.name)};
    for (std::size_t i = 0; i < command.min_words; ++i)
        words.emplace_back("rt/map");
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

bool changes_store(const Command& command) {
    return command.name == "purge" || command.name == "compact" || command.name == "repair";
}

class Store {
  public:
    Store() {
        std::string name = (fs::temp_directory_path() / "durability-refusals-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
        REQUIRE(::chmod(name.c_str(), 0755) == 0);
        prepare_store(state(), (path_ / "run").string(), 7, {"rt/map", true, 20}, 10);
    }
    ~Store() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    [[nodiscard]] std::string state() const { return (path_ / "state").string(); }
    [[nodiscard]] fs::path path() const { return path_; }

  private:
    fs::path path_;
};

std::vector<const Command*> commands_with(Takes option) {
    std::vector<const Command*> result;
    for (const Command& command : commands()) {
        if (takes(command.options, option)) result.push_back(&command);
    }
    return result;
}

}  // namespace

TEST_CASE("every command names what is wrong with its arguments") {
    for (const Command& command : commands()) {
        CAPTURE(command.name);
        const std::string name(command.name);
        const Ran option = run(typed(command, {"--no-such-option"}));
        CHECK(option.status == 64);
        CHECK_THAT(option.output, Contains("no-such-option") && Contains("durabilityctl --help"));
        auto words = typed(command);
        while (words.size() <= command.max_words + 1)
            words.emplace_back("too-many");
        const Ran more = run(words);
        CHECK(more.status == 64);
        CHECK_THAT(more.output, Contains(name + " does not take the word") && Contains("too-many"));
        if (command.min_words > 0) {
            const Ran less = run({name});
            CHECK(less.status == 64);
            CHECK_THAT(less.output, Contains(name + " needs TOPIC"));
        }
        const bool has_payload = takes(command.options, Takes::payload);
        const Ran foreign = run(typed(command,
                                      has_payload ? std::vector<std::string>{"--goodbye"}
                                                  : std::vector<std::string>{"--payload", "none"}));
        CHECK(foreign.status == 64);
        CHECK_THAT(foreign.output, Contains(name + " takes no --"));
        CHECK(run({name, "--help"}).status == 0);
    }
}

TEST_CASE("values of options are refused by name") {
    struct Case {
        std::vector<std::string> words;
        const char* says;
    };
    for (const Case& one :
         {Case{{"events", "--since", "soon"}, "--since soon is neither"},
          Case{{"events", "--event", "StoreDegrade"}, "did you mean StoreDegraded"},
          Case{{"events", "--event", "x"}, "durabilityd-events(7)"},
          Case{{"metrics", "--format", "xml"}, "openmetrics or prometheus"},
          Case{{"metrics", "--json"}, "metrics takes no --json"},
          Case{{"topics", "--names", "--json"}, "give one of them"},
          Case{{"status", "--watch", "--json"}, "give one of them"},
          Case{{"status", "--watch"}, "status --json"},
          Case{{"top"}, "status --json"},
          Case{{"top", "--json"}, "top takes no --json"},
          Case{{"show", "rt/map", "--follow"}, "show takes no --follow"}}) {
        CAPTURE(one.words);
        const Ran ran = run(one.words);
        CHECK(ran.status == 64);
        CHECK_THAT(ran.output, Contains(one.says));
    }
}

TEST_CASE("every command says what can be done where no daemon answers") {
    for (const Command* command : commands_with(Takes::socket)) {
        CAPTURE(command->name);
        // These look at files, and need no daemon; top wants a terminal first.
        if (command->name == "verify" || command->name == "repair" || command->name == "dump" ||
            command->name == "top") {
            continue;
        }
        const Ran ran = run(typed(*command, {"--socket", "/nonexistent/control.sock"}));
        CHECK(ran.status == 69);
        CHECK_THAT(ran.output,
                   Contains("/nonexistent/control.sock") &&
                       Contains("is durabilityd running? Name its socket with --socket"));
        if (takes(command->options, Takes::state_dir))
            CHECK_THAT(ran.output, Contains("or name its store with --state-dir"));
    }
}

TEST_CASE("every command that looks at a store names a directory that is missing or empty") {
    const Store store;
    const std::string empty = (store.path() / "empty").string();
    REQUIRE(::mkdir(empty.c_str(), 0755) == 0);
    for (const Command* command : commands_with(Takes::state_dir)) {
        CAPTURE(command->name);
        for (const std::string& directory : {std::string("/nonexistent/state"), empty}) {
            const Ran ran = run(typed(*command, {"--state-dir", directory}));
            CHECK(ran.status == 69);
            CHECK_THAT(ran.output, Contains(directory));
        }
    }
}

TEST_CASE("what writes is refused on a store in use; what reads is not") {
    const Store store;
    store::PosixFileSystem files;
    const auto lease = files.lock(store.state() + "/7/lease");
    REQUIRE(lease.has_value());
    for (const Command* command : commands_with(Takes::state_dir)) {
        CAPTURE(command->name);
        const Ran ran = run(typed(*command, {"--state-dir", store.state()}));
        CHECK(ran.status == (changes_store(*command) ? 75 : 0));
        if (!changes_store(*command)) {
            CHECK_THAT(ran.output, Contains("the last moments may be missing"));
            continue;
        }
        CHECK_THAT(ran.output,
                   Contains(store.state() + "/7") && Contains(std::to_string(::getpid())));
    }
}

TEST_CASE("a damaged store is told of by all, and ends the checking ones with 65") {
    const Store store;
    for (const auto& entry : fs::recursive_directory_iterator(store.state())) {
        if (entry.path().extension() != ".log") continue;
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(300);
        file.put('\xff');
        file.put('\xff');
    }
    for (const Command* command : commands_with(Takes::state_dir)) {
        // What changes it has tests of its own.
        if (changes_store(*command)) continue;
        CAPTURE(command->name);
        const Ran ran = run(typed(*command, {"--state-dir", store.state()}));
        const bool checks = command->name == "verify" || command->name == "dump";
        CHECK(ran.status == (checks ? 65 : 0));
        CHECK_THAT(ran.output, Contains("CorruptLog") || Contains("damaged"));
    }
}

TEST_CASE("a store that may not be read ends with 77 and is named") {
    const Store store;
    REQUIRE(::chmod((store.state() + "/7").c_str(), 0) == 0);
    for (const Command* command : commands_with(Takes::state_dir)) {
        CAPTURE(command->name);
        auto words = typed(*command, {"--state-dir", store.state()});
        // Root may read everywhere, so it gives up the capabilities that let it; as the owner it
        // would only change its mind.
        std::string program = DURABILITYCTL_BINARY;
        if (::geteuid() == 0) {
            words.insert(words.begin(),
                         {"--bounding-set=-dac_override,-dac_read_search", "--", program});
            program = "setpriv";
        }
        Process process({program, words, {}});
        const auto ended = process.wait(60s);
        REQUIRE(ended.has_value());
        INFO(process.output());
        CHECK(ended->status == 77);
        CHECK_THAT(process.output(), Contains(store.state() + "/7"));
    }
    REQUIRE(::chmod((store.state() + "/7").c_str(), 0700) == 0);
}
