#include "durabilityctl/top_view.hpp"

#include "durabilityctl/output.hpp"
#include "durabilityctl/rates.hpp"
#include "durabilityctl/terminal.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace durability::ctl {
namespace {

// The groups of one topic.
struct Line {
    std::uint32_t domain{0};
    std::string topic;
    std::uint64_t stored{0};
    std::uint64_t replayed{0};
    std::uint64_t samples{0};
    std::uint64_t payload{0};
    std::uint64_t files{0};
    std::uint64_t writers{0};
    std::uint64_t readers{0};
    bool degraded{false};
    std::optional<double> rate;
    std::optional<double> replay_rate;
};
using Lines = std::map<std::pair<std::uint32_t, std::string>, Line>;

Lines sum(const ServiceStatus& status) {
    Lines lines;
    for (const DomainStatus& domain : status.domains) {
        for (const TopicStatus& topic : domain.topics) {
            Line& line = lines[{domain.domain, topic.topic}];
            line.domain = domain.domain;
            line.topic = topic.topic;
            line.stored += topic.stored;
            line.replayed += topic.replayed;
            line.samples += topic.retained_samples;
            line.payload += topic.retained_bytes;
            line.files += topic.disk_bytes;
            line.writers += topic.writers;
            line.readers += topic.readers;
            line.degraded = line.degraded || topic.degraded;
        }
    }
    return lines;
}

std::vector<Line> with_rates(const ServiceStatus& before, const ServiceStatus& now) {
    const std::optional<double> seconds = seconds_between(before, now);
    const Lines old = sum(before);
    std::vector<Line> lines;
    for (auto& [key, line] : sum(now)) {
        lines.push_back(line);
        if (!seconds) continue;
        const auto known = old.find(key);
        const Line none;
        const Line& was = known == old.end() ? none : known->second;
        lines.back().rate = per_second(was.stored, line.stored, *seconds);
        lines.back().replay_rate = per_second(was.replayed, line.replayed, *seconds);
    }
    return lines;
}

void sort(std::vector<Line>& lines, TopOrder order) {
    // By name where the figure is the same, so that lines do not dance.
    const auto key = [order](const Line& line) {
        double value = line.rate.value_or(0.0) + line.replay_rate.value_or(0.0);
        if (order == TopOrder::bytes) value = static_cast<double>(line.files);
        if (order == TopOrder::writers) value = static_cast<double>(line.writers);
        return std::tuple(-value, line.domain, std::string_view(line.topic));
    };
    std::sort(
        lines.begin(), lines.end(), [&](const Line& a, const Line& b) { return key(a) < key(b); });
}

// So that on 80 columns names and rates are seen. The end tells more than the beginning.
std::string shortened(const std::string& topic) {
    constexpr std::size_t longest = 32;
    if (topic.size() <= longest) return topic;
    return "..." + topic.substr(topic.size() - (longest - 3));
}

std::string_view name(TopOrder order) {
    switch (order) {
        case TopOrder::rate:
            return "rate";
        case TopOrder::bytes:
            return "bytes";
        case TopOrder::writers:
            return "writers";
    }
    return "?";
}

std::string total_text(const std::vector<Line>& lines) {
    Line all;
    std::optional<double> rate;
    std::optional<double> replay_rate;
    std::size_t degraded = 0;
    for (const Line& line : lines) {
        all.samples += line.samples;
        all.files += line.files;
        if (line.degraded) ++degraded;
        if (line.rate) rate = rate.value_or(0.0) + *line.rate;
        if (line.replay_rate) replay_rate = replay_rate.value_or(0.0) + *line.replay_rate;
    }
    std::string text = fmt::format("{}, {}, {} in files; stored {}/s, replayed {}/s",
                                   counted(lines.size(), "topic"),
                                   counted(all.samples, "sample"),
                                   rounded_size(all.files),
                                   rate_text(rate),
                                   rate_text(replay_rate));
    if (degraded > 0) text += "; " + coloured(fmt::format("{} degraded", degraded), Colour::red);
    return text;
}

}  // namespace

TopOrder order_by_key(char key, TopOrder now) {
    if (key == 'r') return TopOrder::rate;
    if (key == 'b') return TopOrder::bytes;
    return key == 'w' ? TopOrder::writers : now;
}

std::vector<std::string> top_lines(const ServiceStatus& before,
                                   const ServiceStatus& now,
                                   TopOrder order,
                                   std::size_t rows,
                                   const std::string& trouble) {
    std::vector<Line> topics = with_rates(before, now);
    sort(topics, order);
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("durabilityd {}, pid {}, up {}; by {}: r rate, b bytes, w writers, q quit",
                    printable(now.version),
                    now.pid,
                    human_duration(now.uptime),
                    name(order)));
    lines.push_back(total_text(topics));
    lines.push_back(trouble.empty() ? std::string() : coloured(trouble, Colour::red));
    Table table({{"DOMAIN", Align::right},
                 {"TOPIC"},
                 {"STORED/S", Align::right},
                 {"REPLAYED/S", Align::right},
                 {"FILES", Align::right},
                 {"WRITERS", Align::right},
                 {"READERS", Align::right},
                 {"SAMPLES", Align::right},
                 {"PAYLOAD", Align::right},
                 {"STATE"}});
    // What does not fit is not made.
    const std::size_t room = rows > lines.size() + 1 ? rows - lines.size() - 1 : 0;
    for (std::size_t i = 0; i < std::min(room, topics.size()); ++i) {
        const Line& line = topics[i];
        table.add({std::to_string(line.domain),
                   shortened(printable(line.topic)),
                   rate_text(line.rate),
                   rate_text(line.replay_rate),
                   rounded_size(line.files),
                   std::to_string(line.writers),
                   std::to_string(line.readers),
                   std::to_string(line.samples),
                   rounded_size(line.payload),
                   line.degraded ? "degraded" : "ok"},
                  line.degraded ? Colour::red : Colour::none);
    }
    for (std::string& line : lines_of(table.to_text()))
        lines.push_back(std::move(line));
    lines.resize(std::min(lines.size(), rows));
    return lines;
}

}  // namespace durability::ctl
