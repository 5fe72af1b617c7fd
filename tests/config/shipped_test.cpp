// The files we ship against the table of options: nothing missing, nothing extra, defaults equal.
#include "config/loader.hpp"
#include "config/schema.hpp"
#include "durability/version.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

using namespace durability;
using namespace durability::config;

namespace {

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path);
    REQUIRE(in.good());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

const std::filesystem::path source = SOURCE_DIRECTORY;

// Options are commented with a bare '#', prose with "# " and a word.
std::string uncommented(const std::string& text) {
    std::istringstream in(text);
    std::string out;
    for (std::string line; std::getline(in, line);) {
        const bool option =
            line.size() > 1 && line[0] == '#' && (line[1] != ' ' || line.substr(0, 3) == "#  ");
        const bool table =
            line.starts_with("#   ") && line.find(':') == std::string::npos;  // prose in columns
        out += (option && !table ? line.substr(1) : std::string()) + "\n";
    }
    return out;
}

bool of_contract(std::string_view path) {
    return path.starts_with("topics[].contract.");
}

// Options of builds with DURABILITYD_RT. The file shows them with values, for without a value they
// would say nothing.
bool of_threads(std::string_view path) {
    return path.starts_with("threads.");
}

// From "threads:" to the next blank line.
std::string without_threads(const std::string& text) {
    const auto begin = text.find("\nthreads:\n");
    REQUIRE(begin != std::string::npos);
    return text.substr(0, begin + 1) + text.substr(text.find("\n\n", begin) + 1);
}

// Another way to write an option that is there, so the two never stand in one rule.
bool in_place_of_another(std::string_view path) {
    return path == "topics[].ros_topic" || path == "topics[].ros_type";
}

// What the manual page says: ".It Ic path Ns : Ar ..." opens an option, "Default:" gives its
// default.
struct Documented {
    std::string value;    // its default
    std::string follows;  // "reload" or "restart"
};
std::map<std::string, Documented> documented() {
    std::map<std::string, Documented> found;
    std::istringstream in(read(source / "man/durabilityd.yaml.5"));
    std::string option;
    for (std::string line; std::getline(in, line);) {
        const std::string_view item = ".It Ic ";
        const std::string_view value = "Default: ";
        const std::string_view effect = "Takes effect: ";
        if (line.starts_with(item)) {
            option = line.substr(item.size());
            CHECK(found.emplace(option, Documented{}).second);
        } else if (line.starts_with(value)) {
            REQUIRE(found.count(option) == 1);
            std::string text = line.substr(value.size());
            if (text.ends_with('.')) text.pop_back();
            found[option].value = text;
        } else if (line.starts_with(effect)) {
            REQUIRE(found.count(option) == 1);
            found[option].follows = line.substr(effect.size(), line.size() - effect.size() - 1);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("the shipped file as it is means the defaults") {
    const auto loaded = load_text("durabilityd.yaml", read(source / "config/durabilityd.yaml"));
    REQUIRE(loaded.has_value());
    CHECK(loaded->origins.empty());
}

TEST_CASE("the shipped file uncommented names every option at its default") {
    const std::string text = read(source / "config/durabilityd.yaml");
    const std::string all = uncommented(text);
    const auto loaded = load_text("durabilityd.yaml", has_realtime() ? all : without_threads(all));
    if (!loaded) FAIL(to_text(loaded.error()));
    REQUIRE(loaded->config.topics.size() == 1);
    Config set = loaded->config;
    Config fresh;
    TopicRule fresh_rule;
    for (const Option& option : options()) {
        if (of_contract(option.path) || of_threads(option.path)) continue;
        CAPTURE(option.path);
        if (in_place_of_another(option.path)) {
            const auto name = option.path.substr(option.path.rfind('.') + 1);
            CHECK(text.find("# " + std::string(name) + ": ") != std::string::npos);
            continue;
        }
        std::string path(option.path);
        if (path.starts_with("topics[]")) path.insert(7, "0");
        CHECK(loaded->origins.count(path) == 1);
        CHECK(format_value(option, option.slot(Target{&set, &set.topics[0]})) ==
              format_value(option, option.slot(Target{&fresh, &fresh_rule})));
    }
    CHECK(loaded->config.topics[0].contract.empty());
}

TEST_CASE("the shipped file shows the thread options, which builds without them refuse") {
    const std::string text = uncommented(read(source / "config/durabilityd.yaml"));
    const auto loaded = load_text("durabilityd.yaml", text);
    if (!has_realtime()) {
        REQUIRE_FALSE(loaded.has_value());
        REQUIRE(loaded.error().size() == 1);
        CHECK(loaded.error()[0].path == "threads");
        CHECK_THAT(loaded.error()[0].message, Catch::Contains("feature missing"));
        CHECK_THAT(loaded.error()[0].message, Catch::Contains("DURABILITYD_RT"));
        CHECK(loaded.error()[0].line > 0);
        return;
    }
    if (!loaded) FAIL(to_text(loaded.error()));
    for (const char* thread : {"loop", "store", "sync", "cleanup"}) {
        CHECK(loaded->origins.count(std::string("threads.") + thread + ".policy") == 1);
        CHECK(loaded->origins.count(std::string("threads.") + thread + ".cpus") == 1);
    }
    CHECK(loaded->config.threads.loop.policy == ThreadPolicy::rr);
    CHECK(loaded->config.threads.loop.priority == 5);
    CHECK(loaded->config.threads.sync.policy == ThreadPolicy::other);
    CHECK(loaded->config.threads.sync.cpus == std::vector<std::uint32_t>{0});
}

TEST_CASE("every example loads without a warning") {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source / "config/examples")) {
        CAPTURE(entry.path().string());
        const auto loaded = load_text(entry.path().string(), read(entry.path()));
        if (!loaded) FAIL(to_text(loaded.error()));
        CHECK(loaded->warnings.empty());
        ++count;
    }
    CHECK(count == 7);
}

TEST_CASE("the manual page has every option, its default, when it takes effect, and no other") {
    const auto manual = documented();
    for (const Option& option : options()) {
        std::string path(option.path);
        CAPTURE(path);
        const auto found = manual.find(path);
        if (found == manual.end()) {
            FAIL_CHECK("not in the manual page");
            continue;
        }
        Config config;
        TopicRule rule;
        std::string value = format_value(option, option.slot(Target{&config, &rule}));
        if (value.empty()) value = "not set";
        CHECK(found->second.value == value);
        CHECK(found->second.follows == name(option.reload));
    }
    for (const auto& [path, value] : manual) {
        CAPTURE(path);
        // The page is one for all builds.
        if (of_threads(path) && !has_realtime()) continue;
        CHECK(find_option(path) != nullptr);
    }
}
