#include "states.hpp"

#include "options.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace peer {
namespace {

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    return text;
}

}  // namespace

std::vector<std::string> describe(const Instances& instances) {
    std::vector<std::string> lines;
    for (const auto& [instance, report] : instances) {
        lines.push_back(
            fmt::format("instance={} state={} valid={} last={} duplicates={} out_of_order={}",
                        instance,
                        upper(report.state),
                        report.valid,
                        report.last,
                        report.duplicates,
                        report.out_of_order));
    }
    return lines;
}

ExpectedStates::ExpectedStates(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        std::istringstream parts(word);
        std::uint32_t instance = 0;
        char equals = 0;
        Expected expected;
        parts >> instance >> equals;
        std::getline(parts, expected.state, ':');
        std::uint32_t last = 0;
        if (parts >> last) expected.last = last;
        if (equals != '=' || expected.state.empty()) {
            fail(exit_usage, fmt::format("--expect-states: not INSTANCE=STATE[:LAST]: {}", word));
        }
        expected_[instance] = std::move(expected);
    }
}

bool ExpectedStates::hold(const Instances& instances) const {
    if (expected_.empty()) return true;
    if (instances.size() != expected_.size()) return false;
    return std::all_of(expected_.begin(), expected_.end(), [&](const auto& entry) {
        const auto found = instances.find(entry.first);
        if (found == instances.end()) return false;
        return upper(found->second.state) == entry.second.state &&
               (!entry.second.last || *entry.second.last == found->second.last);
    });
}

}  // namespace peer
