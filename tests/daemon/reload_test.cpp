// What a reload makes of the files, before anything is applied.
#include "daemon/reload.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

using namespace durability;
using namespace durability::daemon;

namespace {

class Files {
  public:
    Files() {
        std::string name = (std::filesystem::temp_directory_path() / "reload-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        std::filesystem::create_directory(folder_ / "conf.d");
    }
    ~Files() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    [[nodiscard]] config::Sources sources() const {
        config::Sources sources;
        sources.file = (folder_ / "d.yaml").string();
        sources.conf_d = (folder_ / "conf.d").string();
        sources.settings = {{"log.level", {"error"}, false, "--log-level"}};
        return sources;
    }

  private:
    std::filesystem::path folder_;
};

std::string field(const Event& event, std::string_view key) {
    const auto found =
        std::ranges::find_if(event.fields, [&](const auto& field) { return field.first == key; });
    return found == event.fields.end() ? "none" : found->second;
}

}  // namespace

TEST_CASE("every problem of every file is in the verdict, and nothing is to be applied") {
    const Files files;
    files.write("d.yaml", "domains: [0]\n");
    const auto running = config::load(files.sources());
    REQUIRE(running.has_value());
    files.write("d.yaml", "domains: [0, 999]\nstoer: {}\n");
    files.write("conf.d/a.yaml", "topics:\n  - { topic: a, serve: always }\n");
    const ReloadPlan plan = plan_reload(*running, files.sources());
    CHECK_FALSE(plan.verdict.accepted);
    CHECK_FALSE(plan.loaded.has_value());
    REQUIRE(plan.verdict.problems.size() == 3);
    for (const ReloadProblem& problem : plan.verdict.problems) {
        CHECK(problem.is_error);
        CHECK(problem.line > 0);
        CHECK(problem.column > 0);
        CHECK(problem.text.find(problem.message) != std::string::npos);
    }
    const Event event = reload_event(plan.verdict);
    CHECK(event.kind == EventKind::ConfigRejected);
    CHECK(field(event, "errors") == "3");
    CHECK(field(event, "reason").find("d.yaml:1:") != std::string::npos);
}

TEST_CASE("what is accepted is in force but for what needs a restart, origins included") {
    const Files files;
    files.write("d.yaml", "log: { level: debug }\nnetwork_lease: 10s\n");
    const auto running = config::load(files.sources());
    REQUIRE(running.has_value());
    files.write("d.yaml", "\n\nnetwork_lease: 20s\nshutdown: goodbye\n");
    files.write("conf.d/a.yaml", "topics:\n  - { topic: a, serve: never }\n");
    const ReloadPlan plan = plan_reload(*running, files.sources());
    REQUIRE(plan.loaded.has_value());
    const Config& config = plan.loaded->config;
    CHECK(config.shutdown == ShutdownMode::goodbye);
    CHECK(config.network_lease == std::chrono::seconds{10});
    CHECK(plan.loaded->origin("network_lease") == running->origin("network_lease"));
    CHECK(config.topics.size() == 1);
    // The command line stays above the file.
    CHECK(config.log.level == LogLevel::error);
    CHECK(plan.verdict.applied == std::vector<OptionChange>{{"shutdown", "stay", "goodbye"}});
    CHECK(plan.verdict.restart == std::vector<OptionChange>{{"network_lease", "10s", "20s"}});
    CHECK(plan.verdict.rules_added == 1);
    CHECK(plan.verdict.files.size() == 2);
    const Event event = reload_event(plan.verdict);
    CHECK(event.kind == EventKind::ConfigReloaded);
    CHECK(field(event, "restart") == "network_lease");
    CHECK(field(event, "rules_changed") == "1");
}
