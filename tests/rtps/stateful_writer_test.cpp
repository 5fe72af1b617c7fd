#include "rtps/stateful_writer.hpp"

#include "fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::test;
using rtps::Change;

namespace {

KeyHash key(std::uint8_t which) {
    KeyHash result{};
    result[0] = which;
    return result;
}

struct WriterUnderTest {
    explicit WriterUnderTest(rtps::WriterOptions options = {}) : writer(writer_entity, options) {}

    SequenceNumber add(std::uint8_t instance, std::size_t size = 20, bool dispose = false) {
        Change change;
        change.payload = bytes(size, instance);
        change.instance = key(instance);
        change.dispose = dispose;
        return writer.add(std::move(change));
    }
    void match(std::uint8_t which = 1, VendorId vendor = vendor::eclipse) {
        writer.match(remote_reader(which), destination(which, vendor), now, out);
    }
    void acknack(std::int64_t base,
                 std::initializer_list<std::int64_t> wanted = {},
                 bool final = true,
                 std::uint8_t which = 1) {
        acknack_with_count(base, wanted, final, ++count, which);
    }
    void acknack_with_count(std::int64_t base,
                            std::initializer_list<std::int64_t> wanted,
                            bool final,
                            std::int32_t with_count,
                            std::uint8_t which = 1) {
        wire::AckNack value;
        value.reader = reader_entity;
        value.writer = writer_entity;
        value.state.base = sn(base);
        for (const std::int64_t number : wanted)
            value.state.insert(sn(number));
        value.final = final;
        value.count = with_count;
        writer.on_acknack(remote_reader(which), value, now, out);
    }
    void run_until(MonoTime time) {
        while (writer.next_deadline() <= time) {
            now = std::max(now, writer.next_deadline());
            writer.tick(now, out);
        }
        now = time;
    }
    Sent sent() { return drain(out); }

    rtps::StatefulWriter writer;
    rtps::Outbox out{outbox()};
    MonoTime now{at(0s)};
    std::int32_t count{0};
};

}  // namespace

TEST_CASE(
    "a new reader is sent everything and a HEARTBEAT at once, and again until it acknowledges") {
    WriterUnderTest w;
    w.add(1);
    w.add(2);
    w.run_until(w.now);
    w.match();
    const Sent first = w.sent();
    CHECK(first.order == "DDH");
    CHECK(first.heartbeats[0].first == sn(1));
    CHECK(first.heartbeats[0].last == sn(2));
    CHECK_FALSE(first.heartbeats[0].final);

    const MonoTime start = w.now;
    for (const Duration delay : {1ms, 3ms, 6ms}) {
        w.run_until(start + delay - 1us);
        CHECK(w.sent().empty());
        w.run_until(start + delay);
        CHECK(w.sent().order == "DDH");
    }
    w.acknack(3);
    CHECK(w.writer.acknowledged_by(remote_reader(), sn(2)));
    CHECK(w.writer.next_event() == rtps::AckedUpTo{remote_reader(), sn(2)});
    CHECK_FALSE(w.writer.next_event());
}

TEST_CASE("HEARTBEATs to a silent reader slow down and end; it is heard again later") {
    WriterUnderTest w;
    w.add(1);
    w.match();
    w.run_until(w.now + 1h);
    const Sent sent = w.sent();
    CHECK(sent.heartbeats.size() < 70);
    CHECK(sent.data.size() == 4);
    CHECK(w.writer.next_deadline() == MonoTime::max());

    w.acknack(1, {1}, false);
    CHECK(w.sent().order == "DH");
}

TEST_CASE("when everything is acknowledged one final HEARTBEAT follows, then silence") {
    WriterUnderTest w;
    w.add(1);
    w.match();
    w.acknack(2);
    (void)w.sent();
    w.run_until(w.now + 1h);
    const Sent sent = w.sent();
    REQUIRE(sent.order == "H");
    CHECK(sent.heartbeats[0].final);
}

TEST_CASE("a change is sent by the next tick to every reader") {
    WriterUnderTest w;
    w.match(1);
    w.match(2);
    (void)w.sent();
    w.add(1);
    CHECK(w.writer.next_deadline() <= w.now);
    w.writer.tick(w.now, w.out);
    const Sent sent = w.sent();
    CHECK(sent.order == "DHDH");
    CHECK(sent.data[0].reader == reader_entity);
    CHECK_FALSE(w.writer.acknowledged_by(remote_reader(1), sn(1)));
}

TEST_CASE("a newer change of an instance turns the older number into a GAP") {
    WriterUnderTest w;
    w.match();
    w.add(1);
    w.add(2);
    w.add(1);
    CHECK(w.writer.changes() == 2);
    (void)w.sent();
    w.writer.tick(w.now, w.out);
    const Sent sent = w.sent();
    REQUIRE(sent.gaps.size() == 1);
    CHECK(sent.gaps[0].start == sn(1));
    CHECK(sent.gaps[0].list.base == sn(2));
    CHECK(sent.gaps[0].reader == reader_entity);
    CHECK(sent.data.size() == 2);

    w.now += 30ms;
    w.acknack(1, {1, 2, 3});
    const Sent repaired = w.sent();
    CHECK(repaired.gaps.size() == 1);
    CHECK(repaired.data.size() == 2);
    CHECK(repaired.heartbeats.size() == 1);
}

TEST_CASE("to a later reader the numbers before the oldest change do not exist") {
    WriterUnderTest w({.first_number = sn(2'000'000)});
    for (int i = 0; i < 5; ++i)
        w.add(1);
    w.match();
    const Sent sent = w.sent();
    CHECK(sent.order == "DH");
    CHECK(sent.heartbeats[0].first == sn(2'000'004));
    CHECK(sent.heartbeats[0].last == sn(2'000'004));

    // Asking from 1 on does not bring two million numbers to life.
    w.acknack(1, {}, false);
    const Sent again = w.sent();
    CHECK(again.gaps.empty());
    CHECK(again.heartbeats.at(0).first == sn(2'000'004));
}

TEST_CASE("an empty history is announced as such") {
    WriterUnderTest fresh;
    fresh.match();
    const Sent sent = fresh.sent();
    REQUIRE(sent.order == "H");
    CHECK(sent.heartbeats[0].first == sn(1));
    CHECK(sent.heartbeats[0].last == sn(0));

    WriterUnderTest returned({.first_number = sn(501)});
    returned.match();
    const Sent after_restart = returned.sent();
    CHECK(after_restart.heartbeats.at(0).first == sn(501));
    CHECK(after_restart.heartbeats.at(0).last == sn(500));
}

TEST_CASE("pre-emptive ACKNACKs of every vendor are answered with a HEARTBEAT and the data") {
    for (const auto& [base, with_count] : {std::pair{1, 0}, std::pair{0, 1}, std::pair{1, 1}}) {
        WriterUnderTest w;
        w.add(1);
        w.match();
        w.run_until(w.now + 10ms);
        (void)w.sent();
        w.acknack_with_count(base, {}, false, with_count);
        CHECK(w.sent().order == "DH");
        w.acknack_with_count(base, {}, false, with_count == 0 ? 0 : 2);
        CHECK(w.sent().order == "H");
    }
}

TEST_CASE("the same change is repaired for the same reader once in twenty milliseconds") {
    WriterUnderTest w;
    w.add(1);
    w.match(1);
    w.match(2);
    w.run_until(w.now + 10ms);
    (void)w.sent();
    int repairs = 0;
    for (int i = 0; i < 100; ++i) {
        w.acknack(1, {1});
        repairs += static_cast<int>(w.sent().data.size());
        w.now += 1ms;
    }
    CHECK(repairs == 5);
    w.acknack(1, {1}, true, 2);
    CHECK(w.sent().data.size() == 1);
}

TEST_CASE("a request that came too early is invited again") {
    WriterUnderTest w;
    w.add(1);
    w.match();
    w.run_until(w.now + 10ms);
    w.acknack(1, {1});
    w.acknack(1, {1});
    (void)w.sent();
    w.run_until(w.now + 25ms);
    CHECK(w.sent().order == "H");
}

TEST_CASE("an acknowledgement of what was never written is ignored") {
    WriterUnderTest w;
    w.add(1);
    w.match();
    w.acknack(3);
    w.acknack(1'000'000'000'000);
    CHECK_FALSE(w.writer.acknowledged_by(remote_reader(), sn(1)));
    CHECK_FALSE(w.writer.next_event());
}

TEST_CASE("a forged acknowledgement does not lock the genuine reader out") {
    WriterUnderTest w;
    w.add(1);
    w.match();
    w.acknack_with_count(2, {}, true, 0x7fffffff);
    w.now += 600ms;
    w.acknack(1, {1});
    const Sent sent = w.sent();
    CHECK(std::count(sent.order.begin(), sent.order.end(), 'D') == 2);
    CHECK_FALSE(w.writer.acknowledged_by(remote_reader(), sn(1)));
}

TEST_CASE("counts of HEARTBEATs go on above where they are told to begin") {
    WriterUnderTest w({.first_heartbeat_count = 5'000});
    w.match();
    w.match(2);
    const Sent sent = w.sent();
    CHECK(sent.heartbeats.at(0).count == 5'000);
    CHECK(sent.heartbeats.at(1).count == 5'001);
}

TEST_CASE("a change for one participant is irrelevant to the others") {
    WriterUnderTest w;
    w.match(1);
    w.match(2);
    (void)w.sent();
    Change change;
    change.payload = bytes(8);
    change.only_for = prefix(2);
    w.writer.add(std::move(change));
    w.writer.tick(w.now, w.out);
    const Sent sent = w.sent();
    REQUIRE(sent.data.size() == 1);
    REQUIRE(sent.gaps.size() == 1);
    for (std::size_t i = 0; i < sent.order.size(); ++i) {
        if (sent.order[i] == 'D') CHECK(sent.destinations[i] == prefix(2));
        if (sent.order[i] == 'G') CHECK(sent.destinations[i] == prefix(1));
    }
}

TEST_CASE("a vendor can get a payload of its own") {
    WriterUnderTest w;
    Change change;
    change.payload = bytes(8, 1);
    change.vendor_payload = Change::VendorPayload{vendor::eprosima, bytes(12, 2)};
    w.writer.add(std::move(change));
    w.match(1, vendor::eclipse);
    w.match(2, vendor::eprosima);
    const Sent sent = w.sent();
    CHECK(std::ranges::equal(sent.data.at(0).payload, bytes(8, 1)));
    CHECK(std::ranges::equal(sent.data.at(1).payload, bytes(12, 2)));
}

TEST_CASE("a dispose is kept until every reader has it and told to no later one") {
    WriterUnderTest w;
    w.add(1);
    w.match(1);
    w.match(2);
    w.add(1, 20, true);
    w.run_until(w.now);
    w.acknack(3, {}, true, 1);
    CHECK(w.writer.changes() == 1);
    w.acknack(3, {}, true, 2);
    CHECK(w.writer.changes() == 0);
    (void)w.sent();
    w.match(3);
    CHECK(w.sent().order == "H");
}

TEST_CASE("a reader that never acknowledges a dispose frees it by leaving") {
    WriterUnderTest w;
    w.match(1);
    w.add(1, 20, true);
    w.run_until(w.now);
    CHECK(w.writer.changes() == 1);
    w.writer.unmatch(remote_reader(1));
    CHECK(w.writer.changes() == 0);
}

TEST_CASE("the history is bounded and what falls out of it becomes a GAP") {
    WriterUnderTest w({.max_changes = 3});
    w.match();
    for (std::uint8_t i = 1; i <= 5; ++i)
        w.add(i);
    (void)w.sent();
    w.writer.tick(w.now, w.out);
    CHECK(w.writer.changes() == 3);
    CHECK(w.writer.evicted() == 2);
    const Sent sent = w.sent();
    CHECK(sent.data.size() == 3);
    CHECK(sent.gaps.at(0).list.base == sn(3));
    CHECK(w.add(1) == sn(6));
}

TEST_CASE("what is pushed unasked is bounded, the rest is announced") {
    WriterUnderTest w({.push_bytes = 2'000});
    for (std::uint8_t i = 1; i <= 100; ++i)
        w.add(i, 100);
    w.match();
    const Sent sent = w.sent();
    CHECK(sent.data.size() == 20);
    CHECK(sent.heartbeats.at(0).last == sn(100));
    w.acknack(21, {21, 22, 100});
    CHECK(w.sent().data.size() == 3);
}

TEST_CASE("a large change goes out in fragments and is repaired fragment by fragment") {
    WriterUnderTest w;
    const Buffer payload = bytes(40'000, 1);
    Change change;
    change.payload = payload;
    change.inline_qos = {1, 0, 0, 0};
    w.writer.add(std::move(change));
    w.match();
    const Sent sent = w.sent();
    CHECK(sent.data.empty());
    Buffer assembled;
    for (const wire::DataFrag& frag : sent.data_frags) {
        CHECK(frag.fragment_size == 1'344);
        CHECK(frag.sample_size == 40'000);
        CHECK(frag.inline_qos.empty() == (frag.first.value != 1));
        assembled.insert(assembled.end(), frag.payload.begin(), frag.payload.end());
    }
    CHECK(assembled == payload);

    wire::NackFrag nack;
    nack.number = sn(1);
    nack.count = 1;
    for (const std::uint32_t number : {1U, 29U, 30U, 200U})
        nack.state.insert(FragmentNumber{number});
    w.writer.on_nack_frag(remote_reader(), nack, w.now, w.out);
    const Sent repaired = w.sent();
    REQUIRE(repaired.data_frags.size() == 3);
    CHECK(repaired.data_frags[2].first == FragmentNumber{30});
    CHECK(repaired.data_frags[2].payload.size() == 40'000 - 29 * 1'344);
    w.writer.on_nack_frag(remote_reader(), nack, w.now, w.out);
    CHECK(w.sent().data_frags.empty());
}

namespace {

rtps::Change change_for(std::uint8_t which) {
    Change change;
    change.payload = bytes(20);
    change.only_for = prefix(which);
    return change;
}

}  // namespace

TEST_CASE("a VOLATILE writer owes a reader what comes after its match") {
    WriterUnderTest w({.volatile_history = true});
    w.match(2);
    w.add(1);
    w.run_until(w.now);
    w.match(1);
    w.add(2);
    (void)w.sent();
    w.acknack(2, {}, true, 2);
    w.writer.tick(w.now, w.out);
    const Sent sent = w.sent();
    REQUIRE(sent.data.size() == 2);
    CHECK(sent.data[0].number == sn(2));
    CHECK(sent.data[1].number == sn(2));
    CHECK(w.writer.changes() == 1);
    w.acknack(3, {}, true, 1);
    w.acknack(3, {}, true, 2);
    CHECK(w.writer.changes() == 0);
}

TEST_CASE("a VOLATILE writer begins with an empty HEARTBEAT until a reader has shown it saw one") {
    WriterUnderTest w({.first_number = sn(5), .volatile_history = true});
    w.match();
    const Sent first = w.sent();
    CHECK(first.order == "H");
    CHECK(first.heartbeats[0].first == sn(5));
    CHECK(first.heartbeats[0].last == sn(4));
    w.add(1);
    w.writer.tick(w.now, w.out);
    const Sent news = w.sent();
    CHECK(news.order == "HDHH");
    CHECK(news.heartbeats[1].last == sn(4));
    CHECK(news.heartbeats[2].first == sn(5));
    CHECK(news.heartbeats[2].last == sn(5));
    // It says that it is there, not that it has heard.
    w.now += 50ms;
    w.acknack_with_count(1, {}, false, 0);
    CHECK(w.sent().order == "HDHH");
    w.acknack(5, {5});
    CHECK(w.sent().order == "DH");
    w.acknack(6);
    CHECK(w.writer.changes() == 0);
    w.add(1);
    w.writer.tick(w.now, w.out);
    CHECK(w.sent().order == "DH");
}

TEST_CASE("readers hear nothing of what a VOLATILE writer has for others") {
    WriterUnderTest w({.volatile_history = true});
    for (const std::uint8_t which : {std::uint8_t{1}, std::uint8_t{2}}) {
        w.match(which);
        w.acknack(1, {}, true, which);
    }
    (void)w.sent();
    w.writer.add(change_for(2));
    w.writer.tick(w.now, w.out);
    const Sent sent = w.sent();
    CHECK(sent.order == "DH");
    CHECK(sent.destinations.at(0) == prefix(2));
    w.acknack(2, {}, true, 2);
    CHECK(w.writer.changes() == 0);
    w.run_until(w.now + 5s);
    (void)w.sent();
    // Until something of their own comes behind it.
    w.writer.add(change_for(1));
    w.writer.tick(w.now, w.out);
    CHECK(w.sent().order == "DGH");
}
