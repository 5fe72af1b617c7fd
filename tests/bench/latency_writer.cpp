// Writes PERSISTENT samples with a stock Cyclone DDS, one at a time, each acknowledged before the
// next, and prints how long that took:
//   latency_writer DOMAIN TOPIC COUNT BYTES
//   LATENCY count=2000 median_us=310.2 p99_us=920.0 max_us=1500.7
#include "peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <dds/dds.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv

namespace {

using Clock = std::chrono::steady_clock;

// The same as the peers': one interface, which cannot reach anybody else.
constexpr const char* loopback_configuration =
    "<CycloneDDS><Domain Id=\"any\"><General><Interfaces>"
    "<NetworkInterface name=\"lo\" multicast=\"true\"/>"
    "</Interfaces><AllowMulticast>true</AllowMulticast></General></Domain></CycloneDDS>";

constexpr auto match_patience = std::chrono::seconds{30};
constexpr dds_duration_t ack_patience = DDS_SECS(10);

[[noreturn]] void fail(std::string_view what, std::string_view why) {
    fmt::print("ERROR {}: {}\n", what, why);
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): nothing of ours runs beside
}

dds_return_t need(dds_return_t code, std::string_view what) {
    if (code < 0) fail(what, dds_strretcode(code));
    return code;
}

std::uint32_t number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) fail(text, "not a number");
    return value;
}

dds_entity_t create_writer(std::uint32_t domain, const char* topic_name) {
    const dds_entity_t participant =
        need(dds_create_participant(domain, nullptr, nullptr), "create participant");
    const dds_entity_t topic =
        need(dds_create_topic(participant, &peers_Unkeyed_desc, topic_name, nullptr, nullptr),
             "create topic");
    dds_qos_t* qos = dds_create_qos();
    dds_qset_durability(qos, DDS_DURABILITY_PERSISTENT);
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, ack_patience);
    dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 1);
    const dds_entity_t writer =
        need(dds_create_writer(participant, topic, qos, nullptr), "create writer");
    dds_delete_qos(qos);
    return writer;
}

void wait_matched(dds_entity_t writer) {
    const auto deadline = Clock::now() + match_patience;
    while (Clock::now() < deadline) {
        dds_publication_matched_status_t status{};
        need(dds_get_publication_matched_status(writer, &status), "matched status");
        if (status.current_count > 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    fail("match", "no reader");
}

double write_one(dds_entity_t writer, const peers_Unkeyed& sample) {
    const auto started = Clock::now();
    need(dds_write(writer, &sample), "write");
    need(dds_wait_for_acks(writer, ack_patience), "wait for acknowledgement");
    return std::chrono::duration<double, std::micro>(Clock::now() - started).count();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) fail("usage", "latency_writer DOMAIN TOPIC COUNT BYTES");
    const std::uint32_t count = number(argv[3]);
    if (count == 0) fail("COUNT", "at least 1");
    ::setenv("CYCLONEDDS_URI", loopback_configuration, 0);
    const dds_entity_t writer = create_writer(number(argv[1]), argv[2]);
    wait_matched(writer);

    std::vector<std::uint8_t> payload(number(argv[4]), 0xa5);
    peers_Unkeyed sample{};
    sample.payload._length = static_cast<std::uint32_t>(payload.size());
    sample.payload._maximum = sample.payload._length;
    sample.payload._buffer = payload.data();
    std::vector<double> times_us;
    for (std::uint32_t i = 0; i < count; ++i) {
        sample.seq = i + 1;
        times_us.push_back(write_one(writer, sample));
    }
    std::sort(times_us.begin(), times_us.end());
    fmt::print("LATENCY count={} median_us={:.1f} p99_us={:.1f} max_us={:.1f}\n",
               count,
               times_us[times_us.size() / 2],
               times_us[(times_us.size() - 1) * 99 / 100],
               times_us.back());
    dds_delete(DDS_CYCLONEDDS_HANDLE);
    return 0;
}
