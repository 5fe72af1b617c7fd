#include "control/metrics.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace durability::control {
namespace {

enum class Kind : std::uint8_t {
    gauge,
    counter,
    histogram,
    info
};

using Label = std::pair<std::string_view, std::string>;
using Labels = std::vector<Label>;

// A label's value as both formats quote it. Names that a terminal or a parser might stumble over
// are shown escaped, as everywhere.
std::string quoted(const std::string& text) {
    const bool plain = is_utf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
                           const auto octet = static_cast<unsigned char>(c);
                           return octet < 0x20 || octet == 0x7f;
                       });
    std::string out = "\"";
    for (const char c : plain ? text : printable(text, 4'096)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string label_text(const Labels& labels) {
    std::string text;
    for (const auto& [name, value] : labels)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, quoted(value));
    return text;
}

// With a point in it, as OpenMetrics wants the bounds of buckets.
std::string number(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

double seconds(std::chrono::nanoseconds duration) {
    return std::chrono::duration<double>(duration).count();
}

// One page. A family is begun, filled and ended before the next one.
class Page {
  public:
    Page(CounterMemory& counters, MetricsFormat format) : counters_(counters), format_(format) {}

    void begin(std::string_view name, Kind kind, std::string_view help) {
        end();
        name_ = fmt::format("durabilityd_{}", name);
        kind_ = kind;
        help_ = help;
    }
    // Two rows of the same labels are one: names that are shown alike must not be given twice.
    void add(const Labels& labels, std::uint64_t value) { rows_[label_text(labels)] += value; }
    void add_seconds(std::chrono::nanoseconds value) { texts_[""] = number(seconds(value)); }
    void add_histogram(const Labels& labels, const DurationHistogram& histogram) {
        histograms_[label_text(labels)] = histogram;
    }
    std::string take() {
        end();
        if (format_ == MetricsFormat::openmetrics) text_ += "# EOF\n";
        return std::move(text_);
    }

  private:
    // What the samples of the family are called beside its name.
    [[nodiscard]] std::string_view suffix() const {
        if (kind_ == Kind::counter) return "_total";
        return kind_ == Kind::info ? "_info" : "";
    }
    [[nodiscard]] std::string_view type() const {
        switch (kind_) {
            case Kind::gauge:
                return "gauge";
            case Kind::counter:
                return "counter";
            case Kind::histogram:
                return "histogram";
            case Kind::info:
                return format_ == MetricsFormat::openmetrics ? "info" : "gauge";
        }
        return "?";
    }
    void end() {
        if (name_.empty()) return;
        // OpenMetrics names the family, the older format its samples.
        const std::string shown =
            format_ == MetricsFormat::openmetrics ? name_ : fmt::format("{}{}", name_, suffix());
        text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", shown, help_, type());
        for (const auto& [labels, value] : rows_) {
            const std::string sample = sample_name(suffix(), labels);
            line(sample,
                 std::to_string(kind_ == Kind::counter ? counters_.value(sample, value) : value));
        }
        for (const auto& [labels, value] : texts_)
            line(sample_name(suffix(), labels), value);
        for (const auto& [labels, histogram] : histograms_)
            put(labels, histogram);
        rows_.clear();
        texts_.clear();
        histograms_.clear();
        name_.clear();
    }
    [[nodiscard]] std::string sample_name(std::string_view ending,
                                          const std::string& labels) const {
        return labels.empty() ? fmt::format("{}{}", name_, ending)
                              : fmt::format("{}{}{{{}}}", name_, ending, labels);
    }
    void line(std::string_view sample, std::string_view value) {
        text_ += fmt::format("{} {}\n", sample, value);
    }
    void put(const std::string& labels, const DurationHistogram& histogram) {
        const std::string comma = labels.empty() ? "" : ",";
        std::uint64_t sum = 0;
        const auto bucket = [&](std::uint64_t count, const std::string& bound) {
            const std::string sample =
                sample_name("_bucket", fmt::format("{}{}le=\"{}\"", labels, comma, bound));
            // Each of them goes on by itself, so that none is ever above the one behind it.
            sum += counters_.value(sample, count);
            line(sample, std::to_string(sum));
        };
        for (std::size_t i = 0; i < DurationHistogram::bounds.size(); ++i)
            bucket(histogram.counts[i], number(seconds(DurationHistogram::bounds[i])));
        bucket(histogram.counts.back(), "+Inf");
        const std::string total = sample_name("_sum", labels);
        const auto nanoseconds =
            counters_.value(total, static_cast<std::uint64_t>(histogram.sum.count()));
        line(total,
             number(seconds(std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)))));
        line(sample_name("_count", labels), std::to_string(sum));
    }

    CounterMemory& counters_;
    MetricsFormat format_;
    std::string text_;
    std::string name_;
    Kind kind_{Kind::gauge};
    std::string_view help_;
    std::map<std::string, std::uint64_t> rows_;
    std::map<std::string, std::string> texts_;
    std::map<std::string, DurationHistogram> histograms_;
};

Label of_domain(const DomainStatus& domain) {
    return {"domain", std::to_string(domain.domain)};
}

struct TopicFigure {
    std::string_view name;
    Kind kind;
    std::string_view help;
    std::uint64_t TopicStatus::*value;
};
constexpr std::array topic_figures{
    TopicFigure{"samples_stored", Kind::counter, "Samples stored.", &TopicStatus::stored},
    TopicFigure{"samples_duplicate",
                Kind::counter,
                "Samples received that were stored already.",
                &TopicStatus::duplicates},
    TopicFigure{"samples_evicted",
                Kind::counter,
                "Samples that gave way to newer ones.",
                &TopicStatus::evicted},
    TopicFigure{"samples_replayed",
                Kind::counter,
                "Samples handed to late readers, each time.",
                &TopicStatus::replayed},
    TopicFigure{"retained_samples", Kind::gauge, "Samples kept.", &TopicStatus::retained_samples},
    TopicFigure{"retained_bytes",
                Kind::gauge,
                "Payload bytes of the samples kept.",
                &TopicStatus::retained_bytes},
    TopicFigure{
        "instances", Kind::gauge, "Instances of which something is kept.", &TopicStatus::instances},
};

void put_topics(const ServiceStatus& status, Page& page) {
    for (const TopicFigure& figure : topic_figures) {
        page.begin(figure.name, figure.kind, figure.help);
        for (const DomainStatus& domain : status.domains) {
            for (const TopicStatus& topic : domain.topics)
                page.add({of_domain(domain), {"topic", topic.topic}}, topic.*figure.value);
        }
    }
    page.begin("samples_refused", Kind::counter, "Samples that a limit refused.");
    for (const DomainStatus& domain : status.domains) {
        for (const TopicStatus& topic : domain.topics) {
            for (const LimitCount& refused : topic.refused) {
                page.add({of_domain(domain), {"topic", topic.topic}, {"limit", refused.limit}},
                         refused.samples);
            }
        }
    }
}

struct DomainFigure {
    std::string_view name;
    Kind kind;
    std::string_view help;
    std::uint64_t DomainStatus::*value;
};
constexpr std::array domain_figures{
    DomainFigure{"participants",
                 Kind::gauge,
                 "Participants of others that are known.",
                 &DomainStatus::participants},
    DomainFigure{"malformed",
                 Kind::counter,
                 "Datagrams that could not be read to their end.",
                 &DomainStatus::malformed},
    DomainFigure{"store_queue_depth",
                 Kind::gauge,
                 "Commands that wait for the store.",
                 &DomainStatus::queue_depth},
    DomainFigure{"store_unsynced_samples",
                 Kind::gauge,
                 "Samples received that a power cut would take.",
                 &DomainStatus::unsynced},
    DomainFigure{"store_open_files",
                 Kind::gauge,
                 "Log files that are held open.",
                 &DomainStatus::open_files},
    DomainFigure{"store_sync_failures",
                 Kind::counter,
                 "Syncs that the disk refused.",
                 &DomainStatus::failed_syncs},
    DomainFigure{"store_compactions",
                 Kind::counter,
                 "Logs rewritten without what is no longer kept.",
                 &DomainStatus::compactions},
};

std::string_view state_of(const WriterStatus& writer) {
    if (writer.retired) return "retired";
    return writer.alive ? "alive" : "away";
}

// Every state is given, also where it is nobody's: a figure that comes and goes is hard to watch.
template <class Rows, class StateOf>
void put_states(Page& page,
                const DomainStatus& domain,
                std::initializer_list<std::string_view> states,
                const Rows& rows,
                StateOf state) {
    for (const std::string_view one : states) {
        const auto count = std::count_if(
            rows.begin(), rows.end(), [&](const auto& row) { return state(row) == one; });
        page.add({of_domain(domain), {"state", std::string(one)}},
                 static_cast<std::uint64_t>(count));
    }
}

void put_domains(const ServiceStatus& status, Page& page) {
    for (const DomainFigure& figure : domain_figures) {
        page.begin(figure.name, figure.kind, figure.help);
        for (const DomainStatus& domain : status.domains)
            page.add({of_domain(domain)}, domain.*figure.value);
    }
    page.begin("datagrams", Kind::counter, "Datagrams received and sent.");
    for (const DomainStatus& domain : status.domains) {
        page.add({of_domain(domain), {"direction", "received"}}, domain.datagrams_received);
        page.add({of_domain(domain), {"direction", "sent"}}, domain.datagrams_sent);
    }
    page.begin("store_bytes", Kind::gauge, "Bytes of the files of the store.");
    for (const DomainStatus& domain : status.domains) {
        page.add({of_domain(domain), {"storage", "disk"}}, domain.disk_bytes);
        page.add({of_domain(domain), {"storage", "memory"}}, domain.memory_bytes);
    }
    page.begin("topics_degraded", Kind::gauge, "Topics whose samples the store refuses.");
    for (const DomainStatus& domain : status.domains) {
        const auto count = std::count_if(domain.topics.begin(),
                                         domain.topics.end(),
                                         [](const TopicStatus& topic) { return topic.degraded; });
        page.add({of_domain(domain)}, static_cast<std::uint64_t>(count));
    }
    page.begin("writers", Kind::gauge, "Source writers that are known.");
    for (const DomainStatus& domain : status.domains)
        put_states(page, domain, {"alive", "away", "retired"}, domain.writers, state_of);
    page.begin("readers", Kind::gauge, "Readers that match what is served.");
    for (const DomainStatus& domain : status.domains) {
        put_states(page,
                   domain,
                   {"waiting", "replaying", "complete", "unserved"},
                   domain.readers,
                   [](const ReaderStatus& reader) { return reader.state; });
    }
    page.begin("store_sync_seconds", Kind::histogram, "How long the disk took to sync.");
    for (const DomainStatus& domain : status.domains)
        page.add_histogram({of_domain(domain)}, domain.sync_times);
}

}  // namespace

std::uint64_t CounterMemory::value(const std::string& counter, std::uint64_t current) {
    auto found = known_.find(counter);
    if (found == known_.end()) {
        if (known_.size() >= most) return current;
        found = known_.try_emplace(counter).first;
    }
    Known& known = found->second;
    if (current < known.last) known.before += known.last;
    known.last = current;
    return known.before + current;
}

std::string metrics_text(const ServiceStatus& status,
                         CounterMemory& counters,
                         MetricsFormat format) {
    Page page(counters, format);
    page.begin("build", Kind::info, "The version that runs.");
    page.add({{"version", status.version}}, 1);
    page.begin("start_time_seconds", Kind::gauge, "When the daemon started, since 1970.");
    page.add_seconds(status.started);
    page.begin("recovery_seconds", Kind::gauge, "How long it took until everything was served.");
    page.add_seconds(status.recovery);
    page.begin("config_reload_success",
               Kind::gauge,
               "Whether the configuration that was read last was taken.");
    page.add({}, status.config_in_force ? 1 : 0);
    page.begin("events", Kind::counter, "Events, those that were held back included.");
    for (const auto& [event, count] : status.events)
        page.add({{"event", event}}, count);
    put_domains(status, page);
    put_topics(status, page);
    return page.take();
}

}  // namespace durability::control
