// Measures the daemon against stock DDS implementations on the same machine in the same run, and
// prints a Markdown table. Figures are medians; targets are goals and never fail the run, but what
// is lost or late beyond its deadline does.
#include "rows.hpp"

#include "support/netns.hpp"

#include <fmt/format.h>

#include <exception>
#include <functional>

namespace durability::bench {
namespace {

struct Row {
    std::string name;
    std::function<Lines(const Settings&)> measure;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all{{"P1", ingest},
                                      {"P5", late_join_cyclone},
                                      {"P6", late_join_fastdds},
                                      {"P7", recovery},
                                      {"P8", memory},
                                      {"P10", latency}};
    return all;
}

int run(const Settings& settings) {
    Lines lines;
    int status = 0;
    for (const Row& row : rows()) {
        if (!settings.wants(row.name)) continue;
        say(row.name + " ...");
        try {
            const Lines measured = row.measure(settings);
            lines.insert(lines.end(), measured.begin(), measured.end());
        } catch (const std::exception& error) {
            say(fmt::format("{} failed: {}", row.name, error.what()));
            lines.push_back({row.name, "failed", "", "", "", "", 0});
            status = 1;
        }
    }
    print(lines);
    return status;
}

}  // namespace
}  // namespace durability::bench

int main(int argc, char** argv) {
    using namespace durability::bench;
    std::vector<std::string> names;
    for (const Row& row : rows())
        names.push_back(row.name);
    const Settings settings = parse_settings(argc, argv, names);
    durability::test::enter_private_network();
    return run(settings);
}
