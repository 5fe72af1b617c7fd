// Metrics as text, read by a grammar that knows nothing of how they are written.
#include "control/metrics.hpp"

#include "support/exposition.hpp"

#include <catch2/catch.hpp>

#include <chrono>

using namespace durability;
using namespace durability::control;
using namespace std::chrono_literals;
using test::read_exposition;

namespace {

TopicStatus topic(const std::string& name, std::uint64_t stored) {
    TopicStatus one;
    one.topic = name;
    one.stored = stored;
    one.retained_samples = 3;
    one.refused = {{"max_samples", 2}};
    return one;
}

ServiceStatus busy() {
    ServiceStatus status;
    status.version = "1.2.3";
    status.started = 1'700'000'000'500ms;
    status.recovery = 1'250us;
    status.events = {{"SampleRejected", 4}};
    DomainStatus domain;
    domain.domain = 7;
    domain.topics = {topic("rt/map", 10), topic("rt/map", 5), topic("rt/tf", 1)};
    domain.writers.resize(3);
    domain.writers[0].alive = true;
    domain.writers[1].retired = true;
    domain.readers.resize(1);
    domain.readers[0].state = "complete";
    domain.sync_times.add(700us);
    domain.sync_times.add(700us);
    domain.sync_times.add(20s);
    domain.datagrams_received = 1'000;
    status.domains.push_back(domain);
    return status;
}

}  // namespace

TEST_CASE("metrics follow the grammar of both formats") {
    for (const auto format : {MetricsFormat::openmetrics, MetricsFormat::prometheus}) {
        CounterMemory counters;
        const std::string text = metrics_text(busy(), counters, format);
        INFO(text);
        auto page = read_exposition(text, format == MetricsFormat::openmetrics);
        CHECK(page.complaints == std::vector<std::string>{});
        CHECK(page.families.size() > 25);
        for (const auto& [name, family] : page.families)
            CHECK(name.starts_with("durabilityd_"));
        const std::string map = "{domain=\"7\",topic=\"rt/map\"}";
        // Groups of one topic are one figure.
        CHECK(page.samples.at("durabilityd_samples_stored_total" + map) == 15);
        CHECK(page.samples.at("durabilityd_retained_samples" + map) == 6);
        CHECK(page.samples.at("durabilityd_samples_refused_total{domain=\"7\",topic=\"rt/map\","
                              "limit=\"max_samples\"}") == 4);
        CHECK(page.samples.at("durabilityd_writers{domain=\"7\",state=\"alive\"}") == 1);
        CHECK(page.samples.at("durabilityd_writers{domain=\"7\",state=\"away\"}") == 1);
        CHECK(page.samples.at("durabilityd_readers{domain=\"7\",state=\"unserved\"}") == 0);
        CHECK(page.samples.at("durabilityd_events_total{event=\"SampleRejected\"}") == 4);
        CHECK(page.samples.at("durabilityd_build_info{version=\"1.2.3\"}") == 1);
        CHECK(page.samples.at("durabilityd_config_reload_success") == 1);
        CHECK(page.samples.at("durabilityd_recovery_seconds") == Approx(0.00125));
        CHECK(page.samples.at("durabilityd_start_time_seconds") == Approx(1'700'000'000.5));
        const std::string sync = "durabilityd_store_sync_seconds";
        CHECK(page.samples.at(sync + "_bucket{domain=\"7\",le=\"0.0005\"}") == 0);
        CHECK(page.samples.at(sync + "_bucket{domain=\"7\",le=\"0.001\"}") == 2);
        CHECK(page.samples.at(sync + "_bucket{domain=\"7\",le=\"10.0\"}") == 2);
        CHECK(page.samples.at(sync + "_bucket{domain=\"7\",le=\"+Inf\"}") == 3);
        CHECK(page.samples.at(sync + "_sum{domain=\"7\"}") == Approx(20.0014));
    }
}

TEST_CASE("any name of a topic makes a label that can be read") {
    ServiceStatus status = busy();
    status.domains[0].topics = {topic("a\"b\\c", 1),
                                topic("line\nbreak", 1),
                                topic("no utf-8 \xff\xfe", 1),
                                topic("größe", 1),
                                topic(std::string(1'000, 'x') + "}", 1),
                                topic("", 1)};
    for (const bool openmetrics : {false, true}) {
        CounterMemory counters;
        const auto page = read_exposition(
            metrics_text(status,
                         counters,
                         openmetrics ? MetricsFormat::openmetrics : MetricsFormat::prometheus),
            openmetrics);
        CHECK(page.complaints == std::vector<std::string>{});
        CHECK(page.samples.count(
                  "durabilityd_samples_stored_total{domain=\"7\",topic=\"a\\\"b\\\\c\"}") == 1);
        CHECK(page.samples.count(
                  "durabilityd_samples_stored_total{domain=\"7\",topic=\"größe\"}") == 1);
    }
}

TEST_CASE("a counter goes on where its domain begins anew") {
    CounterMemory counters;
    const auto stored = [&](std::uint64_t now, std::chrono::nanoseconds took) {
        ServiceStatus status = busy();
        status.domains[0].topics = {topic("rt/map", now)};
        status.domains[0].sync_times = {};
        status.domains[0].sync_times.add(took);
        auto page =
            read_exposition(metrics_text(status, counters, MetricsFormat::prometheus), false);
        CHECK(page.complaints == std::vector<std::string>{});
        return page.samples.at("durabilityd_samples_stored_total{domain=\"7\",topic=\"rt/map\"}");
    };
    CHECK(stored(10, 1ms) == 10);
    CHECK(stored(12, 5s) == 12);
    CHECK(stored(3, 2ms) == 15);
    CHECK(stored(4, 2ms) == 16);
    CHECK(stored(0, 2ms) == 16);
}

TEST_CASE("a histogram puts a time under the first bound that is not below it") {
    DurationHistogram histogram;
    histogram.add(500us);
    histogram.add(501us);
    histogram.add(0ns);
    histogram.add(1h);
    CHECK(histogram.counts.front() == 2);
    CHECK(histogram.counts[1] == 1);
    CHECK(histogram.counts.back() == 1);
}

TEST_CASE("the reader of this test finds what is wrong") {
    const auto bad = [](const std::string& text, bool openmetrics = false) {
        return read_exposition(text, openmetrics).complaints.size();
    };
    const std::string head = "# HELP a_total x\n# TYPE a_total counter\n";
    CHECK(bad(head + "a_total 1\n") == 0);
    CHECK(bad(head + "a_total 1") > 0);
    CHECK(bad(head + "a_total{b=\"c\"d} 1\n") > 0);
    CHECK(bad(head + "a_total{b=\"\\x\"} 1\n") > 0);
    CHECK(bad(head + "a_total 1\na_total 2\n") > 0);
    CHECK(bad(head + "b_total 1\n") > 0);
    CHECK(bad(head + "a_total one\n") > 0);
    CHECK(bad(head + "a_total 1\n# EOF\n", true) > 0);
    CHECK(bad("# HELP a x\n# TYPE a counter\na_total 1\n", true) > 0);
    CHECK(bad("# HELP a x\n# TYPE a histogram\na_bucket{le=\"1.0\"} 1\na_count 1\n") > 0);
}
