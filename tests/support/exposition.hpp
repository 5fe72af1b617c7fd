// A small reader of the text formats of metrics, OpenMetrics 1.0 and Prometheus 0.0.4, by their
// grammar: whatever is not of it is a complaint.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace durability::test {

struct Exposition {
    struct Family {
        std::string type;
        std::string help;
    };
    std::map<std::string, Family> families;
    // By name and labels, as they are written: `name{a="b"}`.
    std::map<std::string, double> samples;
    std::vector<std::string> complaints;
};

[[nodiscard]] Exposition read_exposition(std::string_view text, bool openmetrics);

}  // namespace durability::test
