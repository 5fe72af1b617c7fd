// Shared by the endpoint tests: identities, time by hand, and what came out of an Outbox, decoded
// again.
#pragma once

#include "base/time.hpp"
#include "model/guid.hpp"
#include "rtps/best_effort_reader.hpp"
#include "rtps/outbox.hpp"
#include "rtps/stateful_reader.hpp"
#include "rtps/stateful_writer.hpp"
#include "wire/submessage.hpp"

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

namespace durability::test {

using namespace std::chrono_literals;

inline constexpr EntityId writer_entity{0x00000103};
inline constexpr EntityId reader_entity{0x00000104};

[[nodiscard]] GuidPrefix prefix(std::uint8_t which);
[[nodiscard]] inline Guid remote_writer(std::uint8_t which = 1) {
    return {prefix(which), writer_entity};
}
[[nodiscard]] inline Guid remote_reader(std::uint8_t which = 1) {
    return {prefix(which), reader_entity};
}
[[nodiscard]] rtps::DestinationPtr destination(std::uint8_t which = 1,
                                               VendorId vendor = vendor::eclipse);
[[nodiscard]] inline MonoTime at(Duration since_start) {
    return MonoTime{1h + since_start};
}
[[nodiscard]] inline SequenceNumber sn(std::int64_t value) {
    return SequenceNumber{value};
}
[[nodiscard]] rtps::Outbox outbox(std::size_t max_datagram = rtps::Outbox::default_max_datagram);

// Everything an Outbox held, decoded; views point into `datagrams`.
struct Sent {
    std::deque<Buffer> datagrams;
    std::vector<std::vector<Locator>> to;
    std::vector<GuidPrefix> destinations;  // of each submessage
    std::vector<wire::AckNack> acknacks;
    std::vector<wire::NackFrag> nack_frags;
    std::vector<wire::Heartbeat> heartbeats;
    std::vector<wire::HeartbeatFrag> heartbeat_frags;
    std::vector<wire::Gap> gaps;
    std::vector<wire::Data> data;
    std::vector<Timestamp> data_timestamps;
    std::vector<wire::DataFrag> data_frags;
    std::string order;  // one letter per submessage: A N H h G D F
    [[nodiscard]] bool empty() const { return order.empty(); }
};
[[nodiscard]] Sent drain(rtps::Outbox& outbox);

[[nodiscard]] std::vector<std::int64_t> members(const wire::SequenceNumberSet& set);
[[nodiscard]] std::vector<std::uint32_t> members(const wire::FragmentNumberSet& set);

[[nodiscard]] Buffer bytes(std::size_t size, std::uint8_t fill = 0);
[[nodiscard]] wire::Data data(std::int64_t number, ByteView payload);
[[nodiscard]] wire::DataFrag fragment(std::int64_t number,
                                      ByteView sample,
                                      std::uint16_t fragment_size,
                                      std::uint32_t first,
                                      std::uint16_t count = 1);
[[nodiscard]] wire::Gap gap(std::int64_t start,
                            std::int64_t base,
                            std::initializer_list<std::int64_t> list = {});

// A reader with one matched writer, time and the vector it delivers into.
struct ReaderUnderTest {
    explicit ReaderUnderTest(rtps::ReaderOptions options = {},
                             rtps::MatchOptions match = {},
                             VendorId vendor = vendor::eclipse);

    void data(std::int64_t number, ByteView payload = {});
    void gap(std::int64_t start, std::int64_t base, std::initializer_list<std::int64_t> list = {});
    void heartbeat(std::int64_t first, std::int64_t last, bool final = false);
    void heartbeat_with_count(std::int64_t first,
                              std::int64_t last,
                              std::int32_t count,
                              bool final = false);
    void commit(std::int64_t through);
    // Moves time to `time` and lets every deadline up to there pass.
    void run_until(MonoTime time);
    [[nodiscard]] Sent sent() { return drain(out); }
    // What was delivered since the last call: "1 2 [3-5] {6-9}", ranges that are irrelevant in
    // brackets, lost ones in braces.
    [[nodiscard]] std::string delivered();
    [[nodiscard]] rtps::WriterStatus status() const { return *reader.status(writer); }

    Guid writer{remote_writer()};
    rtps::StatefulReader reader;
    rtps::Outbox out;
    MonoTime now{at(0s)};
    std::int32_t count{0};
    std::vector<rtps::ReceivedSample> samples;
};

}  // namespace durability::test
