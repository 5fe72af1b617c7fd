#include "daemon/metrics_file.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace durability;
using namespace durability::daemon;
using namespace std::chrono_literals;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "durability-metrics-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string path(const std::string& name) const { return path_ / name; }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

  private:
    fs::path path_;
};

std::string content(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Turns the loop until it is so.
template <class Condition>
bool wait(boost::asio::io_context& context, Condition condition) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= until) return false;
        context.restart();
        context.run_one_for(20ms);
    }
    return true;
}

}  // namespace

TEST_CASE("a file is replaced whole, and can be read by everybody") {
    const Folder folder;
    const mode_t mask = ::umask(0077);
    const std::string path = folder.path("d.prom");
    CHECK(replace_file(path, "one\n").has_value());
    CHECK(replace_file(path, std::string(1U << 20U, 'x')).has_value());
    ::umask(mask);
    CHECK(content(path).size() == 1U << 20U);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0644);
    CHECK(folder.files() == 1);
}

TEST_CASE("a file that cannot be written is named, and nothing is left behind") {
    const Folder folder;
    const auto missing = replace_file(folder.path("no/d.prom"), "x");
    REQUIRE_FALSE(missing.has_value());
    CHECK_THAT(missing.error().text(), Contains(folder.path("no/d.prom.tmp")));
    REQUIRE(::mkdir(folder.path("d.prom").c_str(), 0755) == 0);
    const auto folder_there = replace_file(folder.path("d.prom"), "x");
    REQUIRE_FALSE(folder_there.has_value());
    CHECK(folder.files() == 1);
    // A link that somebody put there is not followed.
    REQUIRE(::symlink("/nonexistent/target", folder.path("e.prom.tmp").c_str()) == 0);
    CHECK_FALSE(replace_file(folder.path("e.prom"), "x").has_value());
}

TEST_CASE("pages are written again and again, and the file goes with the daemon") {
    const Folder folder;
    const std::string path = folder.path("d.prom");
    boost::asio::io_context context{1};
    int pages = 0;
    MetricsFile file(
        context,
        path,
        20ms,
        [&](const std::function<void(std::string)>& done) { done(std::to_string(++pages) + "\n"); },
        [](const Error& error) { FAIL(error.text()); });
    CHECK(wait(context, [&] { return content(path) == "3\n" || pages > 4; }));
    CHECK(wait(context, [&] { return fs::exists(path); }));
    file.close();
    CHECK(folder.files() == 0);
    const int before = pages;
    context.restart();
    context.run_for(60ms);
    CHECK(pages == before);
}

TEST_CASE("what cannot be written is said, and tried again") {
    const Folder folder;
    const std::string path = folder.path("later/d.prom");
    boost::asio::io_context context{1};
    int failures = 0;
    MetricsFile file(
        context,
        path,
        20ms,
        [](const std::function<void(std::string)>& done) { done("page\n"); },
        [&](const Error& error) {
            CHECK_THAT(error.text(), Contains(path));
            ++failures;
        });
    CHECK(wait(context, [&] { return failures >= 2; }));
    REQUIRE(::mkdir(folder.path("later").c_str(), 0755) == 0);
    CHECK(wait(context, [&] { return content(path) == "page\n"; }));
}

TEST_CASE("a page that never comes, and one that comes after the end, do no harm") {
    const Folder folder;
    boost::asio::io_context context{1};
    std::function<void(std::string)> late;
    {
        MetricsFile file(
            context,
            folder.path("d.prom"),
            10ms,
            [&](std::function<void(std::string)> done) { late = std::move(done); },
            [](const Error& error) { FAIL(error.text()); });
        CHECK(wait(context, [&] { return late != nullptr; }));
    }
    late("late\n");
    CHECK(folder.files() == 0);
}
