#include "discovery/spdp.hpp"

#include "discovery/captured.hpp"
#include "discovery/messages.hpp"
#include "wire/inline_qos.hpp"
#include "wire/message_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::discovery;
using namespace std::chrono_literals;

namespace {

const wire::StringLimits limits;
constexpr Locator group = Locator::udp_v4(0xefff0001, 7400);
constexpr Locator peer_locator = Locator::udp_v4(0x0a000002, 7410);
constexpr GuidPrefix own_prefix{{1, 0x7f, 1}};
constexpr GuidPrefix sister_prefix{{1, 0x7f, 2}};

ParticipantData participant(GuidPrefix prefix, const Locator& metatraffic) {
    ParticipantData data;
    data.guid = {prefix, entity::participant};
    data.version = {2, 5};
    data.vendor = vendor::own;
    data.metatraffic_unicast = {metatraffic};
    data.default_unicast = {metatraffic};
    data.builtin_endpoints = builtin_endpoint::own;
    data.lease = {30, 0};
    data.domain_id = 0;
    return data;
}

GuidPrefix prefix_of(std::uint8_t number) {
    return GuidPrefix{{1, 0x0f, number}};
}

ParticipantData peer(std::uint8_t number, std::int32_t lease_seconds = 10) {
    ParticipantData data =
        participant(prefix_of(number), Locator::udp_v4(0x0a000000U + number, 7410));
    data.vendor = vendor::eprosima;
    data.lease = {lease_seconds, 0};
    return data;
}

// A participant under test, its outbox, and a clock moved by hand.
struct Bench {
    explicit Bench(SpdpOptions options = default_options())
        : spdp(participant(own_prefix, Locator::udp_v4(0x0a000001, 7410)), std::move(options)) {}

    static SpdpOptions default_options() {
        SpdpOptions options;
        options.announce_to = {group};
        options.first_number = SequenceNumber{1000};
        return options;
    }

    // One DATA of somebody's SPDP writer.
    void receive(GuidPrefix source,
                 VendorId vendor,
                 ByteView payload,
                 PayloadKind kind,
                 ByteView inline_qos = {}) {
        wire::ReceiverState state;
        state.source = source;
        state.source_vendor = vendor;
        wire::Data data;
        data.reader = entity::spdp_reader;
        data.writer = entity::spdp_writer;
        data.number = SequenceNumber{1};
        data.has_data = kind == PayloadKind::data;
        data.has_key = kind == PayloadKind::key;
        data.payload = payload;
        data.inline_qos = inline_qos;
        spdp.on_data(state, Locator::udp_v4(0x0a000002, 40000), data, now, outbox);
    }
    void announce(const ParticipantData& data) {
        receive(data.guid.prefix, data.vendor, encode_participant(data), PayloadKind::data);
    }
    void receive(const Buffer& message) {
        for (const SeenData& seen : data_of(message, entity::spdp_writer)) {
            spdp.on_data(seen.state, std::nullopt, seen.data, now, outbox);
        }
    }
    void advance(Duration by) {
        now += by;
        spdp.tick(now, outbox);
    }
    std::vector<SpdpEvent> events() {
        std::vector<SpdpEvent> all;
        while (auto event = spdp.next_event())
            all.push_back(std::move(*event));
        return all;
    }
    // Events of one kind; takes all that wait.
    template <class T>
    std::vector<T> events_of() {
        std::vector<T> chosen;
        for (SpdpEvent& event : events()) {
            if (auto* wanted = std::get_if<T>(&event)) chosen.push_back(std::move(*wanted));
        }
        return chosen;
    }

    rtps::Outbox outbox{wire::Header{{2, 5}, vendor::own, own_prefix}};
    Spdp spdp;
    MonoTime now{1h};
};

Buffer departure_qos(std::optional<Guid> key_hash, std::uint32_t status = 3) {
    wire::InlineQos qos;
    if (key_hash) qos.key_hash = to_octets(*key_hash);
    qos.status_info = status;
    Buffer out;
    wire::encode_inline_qos(out, qos);
    return out;
}

std::vector<std::int64_t> numbers_in(const std::vector<rtps::Transmit>& transmits) {
    std::vector<std::int64_t> numbers;
    for (const auto& transmit : transmits) {
        for (const SeenData& seen : data_of(transmit.datagram, entity::spdp_writer)) {
            numbers.push_back(seen.data.number.value);
        }
    }
    return numbers;
}

}  // namespace

TEST_CASE("a participant announces itself undirected, to the group, with all that peers require") {
    Bench bench;
    bench.spdp.start(bench.now, bench.outbox);

    const auto transmits = drain(bench.outbox);
    REQUIRE(transmits.size() == 1);
    CHECK(transmits[0].to == std::vector{group});
    const auto seen = data_of(transmits[0].datagram, entity::spdp_writer);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].state.destination == unknown_prefix);
    CHECK(seen[0].data.number == SequenceNumber{1000});
    CHECK(seen[0].data.has_data);
    const auto data = decode_participant(seen[0].data.payload, limits, vendor::unknown);
    REQUIRE(data.has_value());
    CHECK(*data == bench.spdp.own());
}

TEST_CASE("five announcements at start, then one in each period, each under a higher number") {
    Bench bench;
    bench.spdp.start(bench.now, bench.outbox);
    std::vector<Duration> gaps;
    std::vector<std::int64_t> numbers = numbers_in(drain(bench.outbox));
    MonoTime before = bench.now;
    while (gaps.size() < 7) {
        bench.advance(bench.spdp.next_deadline() - bench.now);
        const auto sent = numbers_in(drain(bench.outbox));
        if (sent.empty()) continue;
        numbers.insert(numbers.end(), sent.begin(), sent.end());
        gaps.push_back(bench.now - before);
        before = bench.now;
    }
    CHECK(gaps == std::vector<Duration>{100ms, 100ms, 100ms, 100ms, 3s, 3s, 3s});
    CHECK(numbers == std::vector<std::int64_t>{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007});
}

TEST_CASE("the period is a tenth of the lease within bounds, and never above a third") {
    const std::vector<std::pair<QosDuration, Duration>> rows{
        {{30, 0}, 3s},
        {{100, 0}, 3s},
        {{20, 0}, 2s},
        {{5, 0}, 1s},
        {{3, 0}, 1s},
        {{0, 0x80000000U}, Duration{500ms} / 3}};
    for (const auto& [lease, period] : rows) {
        ParticipantData own = participant(own_prefix, peer_locator);
        own.lease = lease;
        const Spdp spdp(own, {});
        CHECK(spdp.period() <= period);
        CHECK(spdp.period() > period - 1us);
    }
}

TEST_CASE("without a group and peers nothing is announced to everybody") {
    SpdpOptions options = Bench::default_options();
    options.announce_to.clear();
    Bench bench(options);
    bench.spdp.start(bench.now, bench.outbox);
    CHECK(drain(bench.outbox).empty());
    CHECK(bench.outbox.dropped() == 0);
}

TEST_CASE("a new participant is answered at once, directed, at its own locator") {
    Bench bench;
    bench.announce(peer(2));

    const auto transmits = drain(bench.outbox);
    REQUIRE(transmits.size() == 1);
    CHECK(transmits[0].to == std::vector{peer_locator});
    const auto seen = data_of(transmits[0].datagram, entity::spdp_writer);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].state.destination == prefix_of(2));
    CHECK(seen[0].data.reader == entity::spdp_reader);

    const auto found = bench.events_of<ParticipantFound>();
    REQUIRE(found.size() == 1);
    CHECK(found[0].data == peer(2));
    CHECK_FALSE(found[0].returning);
    CHECK(found[0].metatraffic->prefix == prefix_of(2));
    CHECK(found[0].metatraffic->vendor == vendor::eprosima);
    CHECK(found[0].metatraffic->locators == std::vector{peer_locator});
    CHECK(found[0].user->locators == std::vector{peer_locator});
}

TEST_CASE("a known participant is not answered again") {
    Bench bench;
    bench.announce(peer(2));
    (void)drain(bench.outbox);
    (void)bench.events();

    bench.announce(peer(2));
    CHECK(drain(bench.outbox).empty());
    CHECK(bench.events().empty());
}

TEST_CASE("the answer is repeated until the new participant shows that it knows us") {
    SpdpOptions options = Bench::default_options();
    options.announce_to.clear();
    Bench bench(options);
    bench.announce(peer(2));
    REQUIRE(drain(bench.outbox).size() == 1);
    const MonoTime found_at = bench.now;
    std::vector<Duration> repeated;
    const auto run = [&](Duration until) {
        while (bench.spdp.next_deadline() <= found_at + until) {
            bench.advance(bench.spdp.next_deadline() - bench.now);
            for (const auto& transmit : drain(bench.outbox)) {
                CHECK(transmit.to == std::vector{peer_locator});
                repeated.push_back(bench.now - found_at);
            }
        }
    };
    SECTION("never") {
        run(9s);
        CHECK(repeated == std::vector<Duration>{10ms, 40ms, 100ms, 300ms, 1s});
    }
    SECTION("after 50 ms") {
        run(50ms);
        bench.spdp.renew(prefix_of(2), bench.now, Addressed::everybody);
        CHECK(bench.spdp.next_deadline() == found_at + 100ms);
        bench.spdp.renew(prefix_of(2), bench.now, Addressed::us);
        run(9s);
        CHECK(repeated == std::vector<Duration>{10ms, 40ms});
    }
    SECTION("gone meanwhile") {
        bench.receive(
            prefix_of(2), vendor::eprosima, {}, PayloadKind::none, departure_qos(peer(2).guid));
        run(9s);
        CHECK(repeated.empty());
    }
}

TEST_CASE("participants of other implementations are found by their own messages") {
    Bench bench;
    bench.receive(captured::cyclone_spdp());
    bench.receive(captured::cyclone_spdp_directed());
    bench.receive(captured::rti_spdp());
    // OpenDDS in domain 42 is somebody else's.
    bench.receive(captured::opendds_spdp());
    const auto found = bench.events_of<ParticipantFound>();
    REQUIRE(found.size() == 2);
    CHECK(found[0].metatraffic->vendor == vendor::eclipse);
    CHECK(found[1].metatraffic->vendor == vendor::rti);
}

TEST_CASE("an ignored participant does not exist") {
    Bench bench;
    bench.spdp.ignore(sister_prefix);
    bench.announce(participant(sister_prefix, peer_locator));
    bench.announce(participant(own_prefix, peer_locator));
    CHECK(bench.events().empty());
    CHECK(drain(bench.outbox).empty());
    CHECK(bench.spdp.participants().empty());
    CHECK_FALSE(bench.spdp.restore(participant(sister_prefix, peer_locator), bench.now));
}

TEST_CASE("another domain or domain tag is not ours, a missing domain is") {
    Bench bench;
    ParticipantData other_domain = peer(2);
    other_domain.domain_id = 1;
    ParticipantData tagged = peer(3);
    tagged.domain_tag = "hall";
    ParticipantData silent = peer(4);
    silent.domain_id.reset();
    bench.announce(other_domain);
    bench.announce(tagged);
    bench.announce(silent);
    const auto found = bench.events_of<ParticipantFound>();
    REQUIRE(found.size() == 1);
    CHECK(found[0].data.guid.prefix == prefix_of(4));
}

TEST_CASE("a participant is announced by itself only") {
    Bench bench;
    bench.receive(prefix_of(9), vendor::eprosima, encode_participant(peer(2)), PayloadKind::data);
    CHECK(bench.events().empty());
    CHECK(bench.spdp.participants().empty());
}

TEST_CASE("a participant that cannot be reached is left alone") {
    Bench bench;
    ParticipantData unreachable = peer(2);
    unreachable.metatraffic_unicast.clear();
    unreachable.default_unicast.clear();
    unreachable.entity_name = "shared memory only";
    bench.announce(unreachable);
    CHECK(bench.events().empty());
    CHECK(bench.spdp.participants().empty());
    // Told to an operator who misses it, until its lease is over, or it can be reached.
    REQUIRE(bench.spdp.unreachable(bench.now).size() == 1);
    CHECK(bench.spdp.unreachable(bench.now)[0].name == "shared memory only");
    CHECK(bench.spdp.unreachable(bench.now + std::chrono::hours{2}).empty());
    bench.announce(peer(2));
    CHECK(bench.spdp.unreachable(bench.now).empty());
}

TEST_CASE("a malformed announcement creates nothing and is reported") {
    Bench bench;
    Buffer payload = encode_participant(peer(2));
    payload.erase(payload.end() - 4, payload.end());  // the sentinel
    bench.receive(prefix_of(2), vendor::eprosima, payload, PayloadKind::data);
    const auto events = bench.events();
    REQUIRE(events.size() == 1);
    const auto* malformed = std::get_if<MalformedAnnouncement>(&events[0]);
    REQUIRE(malformed != nullptr);
    CHECK(malformed->writer == Guid{prefix_of(2), entity::spdp_writer});
    CHECK(malformed->error == wire::DecodeError::missing_sentinel);
    CHECK(bench.spdp.participants().empty());
    CHECK(drain(bench.outbox).empty());
}

TEST_CASE("inline QoS that must be understood and is not makes the sample void") {
    Bench bench;
    const Buffer qos = captured::from_hex("7f410400 00000000 01000000");
    bench.receive(
        prefix_of(2), vendor::eprosima, encode_participant(peer(2)), PayloadKind::data, qos);
    CHECK(bench.spdp.participants().empty());
}

TEST_CASE("a participant is lost when its lease ends, not sooner") {
    Bench bench;
    bench.announce(peer(2, 10));
    bench.announce(peer(3, 20));
    (void)bench.events();

    bench.advance(10s - 1ns);
    CHECK(bench.events().empty());
    bench.advance(1ns);
    const auto lost = bench.events_of<ParticipantLost>();
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].prefix == prefix_of(2));
    CHECK(lost[0].reason == LossReason::lease_expired);
    CHECK(bench.spdp.find(prefix_of(2)) == nullptr);
    CHECK(bench.spdp.find(prefix_of(3)) != nullptr);
}

TEST_CASE("any message renews the lease") {
    Bench bench;
    bench.announce(peer(2, 10));
    (void)bench.events();
    for (int i = 0; i < 10; ++i) {
        bench.advance(9s);
        bench.spdp.renew(prefix_of(2), bench.now);
    }
    CHECK(bench.events().empty());
    // The next look at the lease is due within it.
    CHECK(bench.spdp.next_deadline() <= bench.now + 10s);
    bench.advance(10s);
    CHECK(bench.events_of<ParticipantLost>().size() == 1);
    bench.spdp.renew(prefix_of(2), bench.now);
    CHECK(bench.spdp.participants().empty());
}

TEST_CASE("a lease changed by an announcement counts from then on") {
    Bench bench;
    bench.announce(peer(2, 100));
    bench.announce(peer(2, 2));
    CHECK(bench.events_of<ParticipantChanged>().size() == 1);
    bench.advance(2s);
    CHECK(bench.events_of<ParticipantLost>().size() == 1);
    CHECK(bench.spdp.next_deadline() == MonoTime::max());
}

TEST_CASE("nobody keeps a place for ever, and a lease of zero is not the end at once") {
    SpdpOptions options = Bench::default_options();
    options.longest_lease = 60s;
    Bench bench(options);
    ParticipantData endless = peer(2);
    endless.lease = infinite_qos_duration;
    ParticipantData instant = peer(3);
    instant.lease = {0, 0};
    bench.announce(endless);
    bench.announce(instant);
    (void)bench.events();
    bench.advance(options.shortest_lease - 1ns);
    CHECK(bench.events().empty());
    bench.advance(1ns);
    CHECK(bench.events_of<ParticipantLost>().size() == 1);
    bench.advance(60s);
    CHECK(bench.events_of<ParticipantLost>().size() == 1);
}

TEST_CASE("good-bye is understood in every form that is in use") {
    const Guid guid{prefix_of(2), entity::participant};
    const Buffer key = encode_participant_key(guid);
    Bench bench;
    SECTION("key in the payload (Cyclone DDS)") {
        bench.announce(peer(2));
        bench.receive(
            prefix_of(2), vendor::eclipse, key, PayloadKind::key, departure_qos(std::nullopt));
    }
    SECTION("key hash without a payload (Fast DDS)") {
        bench.announce(peer(2));
        bench.receive(prefix_of(2), vendor::eprosima, {}, PayloadKind::none, departure_qos(guid));
    }
    SECTION("key hash with the parameter of Fast DDS in front") {
        bench.announce(peer(2));
        Buffer qos =
            captured::from_hex("0f801800 010f02000000000000000000000000c2 00000000 02000000");
        const Buffer rest = departure_qos(guid);
        qos.insert(qos.end(), rest.begin(), rest.end());
        bench.receive(prefix_of(2), vendor::eprosima, {}, PayloadKind::none, qos);
    }
    SECTION("both") {
        bench.announce(peer(2));
        bench.receive(prefix_of(2), vendor::own, key, PayloadKind::key, departure_qos(guid));
    }
    SECTION("the whole announcement as payload") {
        bench.announce(peer(2));
        bench.receive(prefix_of(2),
                      vendor::opendds,
                      encode_participant(peer(2)),
                      PayloadKind::data,
                      departure_qos(std::nullopt));
    }
    SECTION("unregistered only") {
        bench.announce(peer(2));
        bench.receive(prefix_of(2), vendor::own, {}, PayloadKind::none, departure_qos(guid, 2));
    }
    const auto lost = bench.events_of<ParticipantLost>();
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].prefix == prefix_of(2));
    CHECK(lost[0].reason == LossReason::disposed);
    CHECK(bench.spdp.participants().empty());
    CHECK(bench.spdp.next_deadline() == MonoTime::max());
}

TEST_CASE("the good-byes of Cyclone DDS and RTI Connext on record are understood") {
    Bench bench;
    ParticipantData cyclone = peer(2);
    cyclone.guid.prefix =
        GuidPrefix{{0x57, 0x63, 0x10, 0x01, 0xd6, 0xab, 0x40, 0x7f, 0x5b, 0xd9, 0xbb, 0x1c}};
    bench.announce(cyclone);
    bench.receive(captured::rti_spdp());
    CHECK(bench.spdp.participants().size() == 2);
    bench.receive(captured::cyclone_participant_dispose());
    bench.receive(captured::rti_participant_dispose());
    CHECK(bench.events_of<ParticipantLost>().size() == 2);
    CHECK(bench.spdp.participants().empty());
}

TEST_CASE("nobody takes leave for somebody else, and an empty good-bye is none") {
    Bench bench;
    bench.announce(peer(2));
    (void)bench.events();
    const Guid victim{prefix_of(2), entity::participant};
    bench.receive(prefix_of(3), vendor::own, {}, PayloadKind::none, departure_qos(victim));
    bench.receive(prefix_of(3),
                  vendor::own,
                  encode_participant_key(victim),
                  PayloadKind::key,
                  departure_qos(std::nullopt));
    CHECK(bench.events().empty());
    bench.receive(prefix_of(2), vendor::own, {}, PayloadKind::none, departure_qos(std::nullopt));
    CHECK(bench.events_of<MalformedAnnouncement>().size() == 1);
    CHECK(bench.spdp.participants().size() == 1);
}

TEST_CASE(
    "at the limit a new participant is refused without a trace, and there is room again later") {
    SpdpOptions options = Bench::default_options();
    options.max_participants = 3;
    Bench bench(options);
    for (int round = 0; round < 20; ++round) {
        for (std::uint8_t i = 1; i <= 3; ++i)
            bench.announce(peer(i));
        CHECK(bench.events_of<ParticipantFound>().size() == 3);
        (void)drain(bench.outbox);

        bench.announce(peer(4));
        const auto events = bench.events();
        REQUIRE(events.size() == 1);
        const auto* refused = std::get_if<LimitReached>(&events[0]);
        REQUIRE(refused != nullptr);
        CHECK(refused->limit == DiscoveryLimit::remote_participants);
        CHECK(refused->refused == peer(4).guid);
        CHECK(drain(bench.outbox).empty());
        CHECK(bench.spdp.participants().size() == 3);
        // Those that are there go on.
        bench.announce(peer(3));
        CHECK(bench.events().empty());

        bench.advance(10s);
        CHECK(bench.events_of<ParticipantLost>().size() == 3);
        CHECK(bench.spdp.next_deadline() == MonoTime::max());
    }
}

TEST_CASE("other locators of a known participant change its destinations in place") {
    Bench bench;
    bench.announce(peer(2));
    const auto found = bench.events_of<ParticipantFound>();
    REQUIRE(found.size() == 1);

    const Locator moved = Locator::udp_v4(0x0a000063, 7412);
    ParticipantData data = peer(2);
    data.metatraffic_unicast = {moved};
    data.default_unicast = {Locator::udp_v4(0x0a000063, 7413)};
    bench.announce(data);
    CHECK(bench.events_of<ParticipantChanged>().size() == 1);
    CHECK(found[0].metatraffic->locators == std::vector{moved});
    CHECK(found[0].user->locators == data.default_unicast);

    // Announcing none at all would make it unreachable.
    data.metatraffic_unicast.clear();
    data.default_unicast.clear();
    bench.announce(data);
    CHECK(found[0].metatraffic->locators == std::vector{moved});
}

TEST_CASE("remembered participants are addressed at start and known as returning") {
    Bench bench;
    REQUIRE(bench.spdp.restore(peer(2, 10), bench.now));
    CHECK_FALSE(bench.spdp.restore(peer(2, 10), bench.now));
    const auto found = bench.events_of<ParticipantFound>();
    REQUIRE(found.size() == 1);
    CHECK(found[0].returning);

    bench.spdp.start(bench.now, bench.outbox);
    const auto transmits = drain(bench.outbox);
    REQUIRE(transmits.size() == 2);
    CHECK(transmits[1].to == std::vector{peer_locator});
    CHECK(data_of(transmits[1].datagram, entity::spdp_writer)[0].state.destination == prefix_of(2));

    SECTION("heard again, it is addressed once more and stays") {
        bench.announce(peer(2, 10));
        bench.announce(peer(2, 10));
        CHECK(drain(bench.outbox).size() == 1);
        CHECK(bench.events().empty());
    }
    SECTION("never heard again, it is lost after its lease") {
        bench.advance(10s);
        CHECK(bench.events_of<ParticipantLost>().size() == 1);
    }
}

TEST_CASE("whoever does not hear the group is told directly, often enough for the lease") {
    SpdpOptions options = Bench::default_options();
    options.announce_to.clear();
    Bench bench(options);
    bench.spdp.start(bench.now, bench.outbox);
    bench.announce(peer(2, 3600));
    bench.spdp.renew(prefix_of(2), bench.now, Addressed::us);
    (void)drain(bench.outbox);
    std::size_t directed = 0;
    for (int i = 0; i < 30; ++i) {
        bench.advance(1s);
        directed += numbers_in(drain(bench.outbox)).size();
    }
    CHECK(directed == 3);
}

TEST_CASE("a final stop tells everybody with key hash and key, and then there is silence") {
    Bench bench;
    bench.spdp.start(bench.now, bench.outbox);
    bench.announce(peer(2));
    (void)drain(bench.outbox);

    bench.spdp.goodbye(bench.outbox);
    const auto transmits = drain(bench.outbox);
    REQUIRE(transmits.size() == 2);
    CHECK(transmits[0].to == std::vector{group});
    CHECK(transmits[1].to == std::vector{peer_locator});
    for (const auto& transmit : transmits) {
        const auto seen = data_of(transmit.datagram, entity::spdp_writer);
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].data.has_key);
        const auto qos = wire::decode_inline_qos(seen[0].data.inline_qos, seen[0].data.order);
        REQUIRE(qos.has_value());
        CHECK(qos->status_info == 3U);
        CHECK(qos->key_hash == to_octets(bench.spdp.own().guid));
        const auto key = decode_participant_key(seen[0].data.payload);
        REQUIRE(key.has_value());
        CHECK(*key == bench.spdp.own().guid);
    }
    bench.advance(5s);
    CHECK(drain(bench.outbox).empty());
}

TEST_CASE("two participants find each other whoever speaks first") {
    Bench left;
    SpdpOptions options = Bench::default_options();
    options.announce_to = {Locator::udp_v4(0x0a000001, 7410)};  // unicast, to the left one only
    Spdp right(participant(sister_prefix, peer_locator), options);
    rtps::Outbox right_outbox{wire::Header{{2, 5}, vendor::own, sister_prefix}};

    right.start(left.now, right_outbox);
    int datagrams = 0;
    for (bool quiet = false; !quiet;) {
        quiet = true;
        for (const auto& transmit : drain(right_outbox)) {
            quiet = false;
            ++datagrams;
            left.receive(transmit.datagram);
        }
        for (const auto& transmit : drain(left.outbox)) {
            quiet = false;
            ++datagrams;
            for (const SeenData& seen : data_of(transmit.datagram, entity::spdp_writer)) {
                right.on_data(seen.state, std::nullopt, seen.data, left.now, right_outbox);
            }
        }
        REQUIRE(datagrams < 10);
    }
    CHECK(left.spdp.find(sister_prefix) != nullptr);
    CHECK(right.find(own_prefix) != nullptr);
}

TEST_CASE("changed own data is announced at once") {
    Bench bench;
    bench.spdp.start(bench.now, bench.outbox);
    bench.advance(1s);
    (void)drain(bench.outbox);
    ParticipantData moved = bench.spdp.own();
    moved.metatraffic_unicast = {Locator::udp_v4(0x0a0000ff, 7410)};
    bench.spdp.set_own(moved, bench.now);
    CHECK(bench.spdp.next_deadline() <= bench.now);
    bench.advance(0s);
    const auto transmits = drain(bench.outbox);
    REQUIRE(transmits.size() == 1);
    const auto seen = data_of(transmits[0].datagram, entity::spdp_writer);
    REQUIRE(seen.size() == 1);
    const auto data = decode_participant(seen[0].data.payload, limits, vendor::unknown);
    REQUIRE(data.has_value());
    CHECK(data->metatraffic_unicast == moved.metatraffic_unicast);
}
