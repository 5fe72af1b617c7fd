#include "random_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace durability::interop {
namespace {

constexpr std::size_t most_named = 12;  // samples in a complaint

struct Sample {
    std::uint32_t instance{0};
    std::uint32_t number{0};
};

bool is_sample(const std::string& line) {
    return line.starts_with("SAMPLE ") && line.find(" valid=1") != std::string::npos;
}

std::string complain(const std::string& whose, std::string_view what, Words numbers) {
    if (numbers.empty()) return "";
    if (numbers.size() > most_named) {
        numbers.resize(most_named);
        numbers.emplace_back("...");
    }
    return fmt::format("{} {}: {}\n", whose, what, fmt::join(numbers, " "));
}

void judge_one(const std::vector<Sample>& had,
               Kind requested,
               const std::vector<Written>& written,
               const std::string& whose,
               Verdict& verdict) {
    std::set<std::uint32_t> once;
    std::map<std::uint32_t, std::uint32_t> newest;  // by instance
    Words twice;
    Words late;
    for (const Sample& sample : had) {
        if (!once.insert(sample.number).second) {
            twice.push_back(std::to_string(sample.number));
            continue;
        }
        std::uint32_t& last = newest[sample.instance];
        if (sample.number < last) late.push_back(std::to_string(sample.number));
        last = std::max(last, sample.number);
    }
    Words lost;
    Words strange;
    for (const Written& writer : written) {
        const bool due = matches(writer.kind, requested);
        for (std::uint32_t number = writer.first; number < writer.first + writer.count; ++number) {
            const bool there = once.erase(number) != 0;
            if (due && !there) lost.push_back(std::to_string(number));
            if (!due && there) strange.push_back(std::to_string(number));
        }
    }
    for (const std::uint32_t number : once)
        strange.push_back(std::to_string(number));
    verdict.delivered += had.size();
    verdict.lost += lost.size();
    verdict.twice += twice.size();
    verdict.flaw += complain(whose, "lacks", lost) + complain(whose, "had twice", twice) +
                    complain(whose, "had after a newer one", late) +
                    complain(whose, "should not have", strange);
}

}  // namespace

bool matches(Kind offered, Kind requested) {
    return static_cast<int>(offered) >= static_cast<int>(requested);
}

std::uint32_t number_behind(const std::string& line, std::string_view key) {
    const auto at = line.find(key);
    std::uint32_t value = 0;
    if (at != std::string::npos) {
        std::from_chars(line.data() + at + key.size(), line.data() + line.size(), value);
    }
    return value;
}

std::vector<std::uint64_t> received(const Words& lines, std::size_t readers) {
    std::vector<std::uint64_t> counts(readers);
    for (const std::string& line : lines) {
        if (!is_sample(line)) continue;
        const std::size_t reader = number_behind(line, " reader=");
        if (reader < readers) ++counts[reader];
    }
    return counts;
}

Verdict judge(const Words& lines,
              const std::vector<Kind>& requested,
              const std::vector<Written>& written,
              const std::string& whose) {
    Verdict verdict;
    std::vector<std::vector<Sample>> had(requested.size());
    for (const std::string& line : lines) {
        if (!is_sample(line)) continue;
        const std::size_t reader = number_behind(line, " reader=");
        if (line.find(" ok=1") == std::string::npos)
            verdict.flaw += fmt::format("{} had it damaged: {}\n", whose, line);
        if (reader >= had.size()) continue;
        had[reader].push_back({number_behind(line, " id="), number_behind(line, " seq=")});
    }
    for (std::size_t i = 0; i < had.size(); ++i) {
        const std::string who = fmt::format("{}, reader {} ({})", whose, i, name(requested[i]));
        judge_one(had[i], requested[i], written, who, verdict);
    }
    return verdict;
}

}  // namespace durability::interop
