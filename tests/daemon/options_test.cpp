#include "daemon/options.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

using namespace durability;
using namespace durability::daemon;
using Catch::Contains;

namespace {

tl::expected<Options, std::string> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "durabilityd");
    return parse_options(static_cast<int>(words.size()), words.data());
}

std::string refusal(std::vector<const char*> words) {
    const auto options = parse(std::move(words));
    return options ? "accepted" : options.error();
}

const config::Setting* setting(const Options& options, std::string_view path) {
    const auto found = std::find_if(
        options.settings.begin(), options.settings.end(), [path](const auto& candidate) {
            return candidate.path == path;
        });
    return found == options.settings.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("without arguments nothing is set") {
    const auto options = parse({});
    REQUIRE(options.has_value());
    CHECK(options->config_file.empty());
    CHECK(options->settings.empty());
    CHECK_FALSE(options->check_config);
}

TEST_CASE("every option finds its setting") {
    const auto options = parse({"-c",
                                "/x/d.yaml",
                                "--state-dir=/s",
                                "--runtime-dir",
                                "/r",
                                "-d",
                                "1",
                                "--domain",
                                "2",
                                "-i",
                                "lo",
                                "--peer",
                                "192.0.2.7:7410",
                                "--log-level",
                                "debug",
                                "--check-config",
                                "--quiet"});
    if (!options) FAIL(options.error());
    CHECK(options->config_file == "/x/d.yaml");
    CHECK(options->check_config);
    CHECK(options->quiet);
    REQUIRE(setting(*options, "domains") != nullptr);
    CHECK(setting(*options, "domains")->values == std::vector<std::string>{"1", "2"});
    CHECK_FALSE(setting(*options, "domains")->append);
    CHECK(setting(*options, "store.directory")->values == std::vector<std::string>{"/s"});
    CHECK(setting(*options, "store.runtime_directory")->values == std::vector<std::string>{"/r"});
    CHECK(setting(*options, "network.interfaces")->values == std::vector<std::string>{"lo"});
    CHECK(setting(*options, "network.peers")->append);
    CHECK(setting(*options, "log.level")->name == "--log-level");
}

TEST_CASE("directories may be relative to where the user stands") {
    const auto here = std::filesystem::current_path();
    for (const char* text : {"var/state", "./var/state", "var/state/", "var/x/../state"}) {
        const auto options = parse({"--state-dir", text});
        REQUIRE(options.has_value());
        CAPTURE(text);
        CHECK(setting(*options, "store.directory")->values[0] == (here / "var/state").string());
    }
}

TEST_CASE("abbreviations, stray words and half options are refused") {
    CHECK_THAT(refusal({"--conf", "x"}), Contains("--conf"));
    CHECK_THAT(refusal({"start"}), Contains("belongs to no option"));
    CHECK_THAT(refusal({"--state-dir"}), Contains("--state-dir"));
    CHECK_THAT(refusal({"--state-dir", "a", "--state-dir", "b"}), Contains("--state-dir"));
    CHECK_THAT(refusal({"--quiet"}), Contains("--check-config"));
    CHECK_THAT(refusal({"--config", ""}), Contains("names no file"));
    CHECK_THAT(refusal({"-x"}), Contains("-x"));
}

TEST_CASE("rule files are looked for beside the configuration") {
    Options options;
    options.config_file = "/x/y/d.yaml";
    CHECK(sources_of(options).file == "/x/y/d.yaml");
    CHECK(sources_of(options).conf_d == "/x/y/conf.d");
    options.config_file = "d.yaml";
    CHECK(sources_of(options).conf_d == "conf.d");
}

TEST_CASE("the help names every option") {
    for (const char* option : {"--config",
                               "--state-dir",
                               "--runtime-dir",
                               "--domain",
                               "--interface",
                               "--peer",
                               "--check-config",
                               "--quiet",
                               "--log-level",
                               "--help",
                               "--version"}) {
        CHECK_THAT(help_text(), Contains(option));
    }
    CHECK_THAT(version_text(), Contains("store format 1"));
}
