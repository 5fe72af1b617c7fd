// A replay writer with a store that answers at once or when told to, and what it sent, decoded.
#pragma once

#include "fixture.hpp"

#include "rtps/replay_writer.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace durability::test {

struct ReplayUnderTest {
    explicit ReplayUnderTest(rtps::ReplayOptions options = {})
        : writer(writer_entity, options), out(outbox()) {}

    static Guid reader_of(std::uint8_t process, std::uint32_t which = 1) {
        return {prefix(process), EntityId{(which << 8U) | 0x04U}};
    }
    void match(const Guid& reader, bool shares = true, bool reliable = true) {
        writer.match(reader,
                     destination(reader.prefix.octets[2]),
                     {.reliable = reliable, .shares_position = shares});
    }
    // Samples with these arrivals, each of `size` octets.
    void begin(const Guid& reader, Arrival first, Arrival last, std::size_t size = 100) {
        std::vector<ArrivalRange> history;
        for (Arrival arrival = first; arrival <= last; ++arrival) {
            contents.try_emplace(arrival, bytes(size, static_cast<std::uint8_t>(arrival)));
            append(history, arrival);
        }
        writer.begin(reader, history, now);
    }
    // Carries out every read that is wanted; returns how many payloads were read.
    std::size_t serve_reads() {
        std::size_t served = 0;
        while (const auto read = writer.next_read()) {
            std::vector<rtps::ReplaySample> samples;
            std::size_t octets = 0;
            for (const Arrival arrival : read->arrivals) {
                octets += contents.at(arrival).size();
                if (octets > read->max_octets && !samples.empty()) break;
                rtps::ReplaySample sample;
                sample.arrival = arrival;
                sample.available = !evicted.contains(arrival);
                if (sample.available) sample.payload = contents.at(arrival);
                sample.instance = arrival % instances + 1;
                if (const auto set = sets.find(arrival); set != sets.end())
                    sample.coherent_set = SampleId{Guid{}, sn(set->second)};
                samples.push_back(std::move(sample));
                ++served;
            }
            writer.provide(read->reader, std::move(samples), now, out);
        }
        return served;
    }
    void tick() { writer.tick(now, out); }
    // Lets time pass with every deadline; reads are carried out.
    void run(Duration duration) {
        const MonoTime end = now + duration;
        while (true) {
            const MonoTime due = writer.next_deadline();
            if (due > end) break;
            now = std::max(now, due);
            tick();
            serve_reads();
        }
        now = end;
    }
    void acknack(const Guid& reader,
                 std::int64_t base,
                 std::initializer_list<std::int64_t> missing = {},
                 bool final = true) {
        wire::AckNack message;
        message.reader = reader.entity;
        message.writer = writer_entity;
        message.state.base = sn(base);
        for (const std::int64_t number : missing)
            message.state.insert(sn(number));
        message.count = ++count;
        message.final = final;
        writer.on_acknack(reader, message, now, out);
    }
    void nack_frag(const Guid& reader,
                   std::int64_t number,
                   std::uint32_t base,
                   std::initializer_list<std::uint32_t> missing) {
        wire::NackFrag message;
        message.reader = reader.entity;
        message.writer = writer_entity;
        message.number = sn(number);
        message.state.base = FragmentNumber{base};
        for (const std::uint32_t fragment : missing)
            message.state.insert(FragmentNumber{fragment});
        message.count = ++count;
        writer.on_nack_frag(reader, message, now, out);
    }
    [[nodiscard]] Sent sent() { return drain(out); }
    [[nodiscard]] bool complete(const Guid& reader) const {
        return writer.status(reader)->complete;
    }

    rtps::ReplayWriter writer;
    rtps::Outbox out;
    MonoTime now{at(0s)};
    std::map<Arrival, Buffer> contents;
    std::set<Arrival> evicted;
    std::uint64_t instances{1};
    std::map<Arrival, std::int64_t> sets;  // the coherent set of an arrival, by any number
    std::int32_t count{0};
};

// "1-0f 1-3": the ranges of HEARTBEATs, with an f where no answer is wanted.
[[nodiscard]] inline std::string ranges(const Sent& sent) {
    std::string text;
    for (const wire::Heartbeat& heartbeat : sent.heartbeats) {
        text += (text.empty() ? "" : " ") + std::to_string(heartbeat.first.value) + "-" +
                std::to_string(heartbeat.last.value) + (heartbeat.final ? "f" : "");
    }
    return text;
}
[[nodiscard]] inline std::string numbers(const Sent& sent) {
    std::string text;
    for (const wire::Data& data : sent.data)
        text += (text.empty() ? "" : " ") + std::to_string(data.number.value);
    return text;
}
[[nodiscard]] inline std::string gaps(const Sent& sent) {
    std::string text;
    for (const wire::Gap& gap : sent.gaps) {
        text += (text.empty() ? "" : " ") + std::to_string(gap.start.value) + "-" +
                std::to_string(gap.list.base.value - 1);
    }
    return text;
}

}  // namespace durability::test
