// A participant with endpoints among two peers. The input is a sequence of steps, each an octet
// that says what happens, followed by its arguments:
//   0  a datagram as it stands            length (two octets), octets
//   1  submessages of a peer              peer, length, octets; the header is made
//   2  the same, addressed to us
//   3  time passes                        milliseconds (two octets)
//   4  samples are safe                   peer, number
//   5  something of the service           what, peer
//   6  types are looked up                peer
// What comes out must be messages that can be read again, samples in order, and no deadline in the
// past.
#include "base/byte_reader.hpp"
#include "participant/participant.hpp"
#include "support/hex.hpp"
#include "support/test_peers.hpp"
#include "wire/header.hpp"
#include "wire/info.hpp"
#include "wire/message_builder.hpp"
#include "wire/message_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

// Peer 1 shares positions like Cyclone DDS, peer 2 is Fast DDS.
VendorId vendor_of(std::uint8_t peer) {
    return peer == 1 ? vendor::eclipse : vendor::eprosima;
}

discovery::ParticipantData participant_data(std::uint8_t which) {
    discovery::ParticipantData data;
    data.guid = {prefix(which), entity::participant};
    data.vendor = vendor_of(which);
    data.metatraffic_unicast = {locator(which)};
    data.default_unicast = {locator(which)};
    data.builtin_endpoints = discovery::builtin_endpoint::own;
    return data;
}

ParticipantOptions options() {
    ParticipantOptions options;
    options.own = participant_data(0);
    options.spdp.announce_to = {Locator::udp_v4(0xefff0001U, 7400)};
    options.reader_limits.reorder_samples_per_writer = 16;
    options.reader_limits.fragments.bytes = 64U << 10U;
    return options;
}

// wire::Thing and wire::Inner of the seeds.
constexpr types::TypeId thing{
    types::TypeIdKind::minimal,
    {0xca, 0xf1, 0x28, 0xfe, 0xfd, 0x03, 0x6f, 0xac, 0xe2, 0x0a, 0xc7, 0x0f, 0xaf, 0xbc}};
constexpr types::TypeId inner{
    types::TypeIdKind::minimal,
    {0xe4, 0x87, 0x4e, 0x0c, 0x1b, 0x4e, 0x52, 0x03, 0xc7, 0xe4, 0x9a, 0xf8, 0x63, 0xc9}};

constexpr const char* thing_object =
    "51000000 f1510200 01000000 00000000 41000000 03000000 0b000000 00000000 310004b8 0bb77400"
    "0c000000 01000000 01007000 1cb251ec 19000000 02000000 0100f1e4 874e0c1b 4e5203c7 e49af863"
    "c9ea9758 6b";

class World {
  public:
    World() : participant_(options()) {
        participant_.ignore(prefix(9));
        participant_.add_reader(endpoint({prefix(0), reader_id}, ReliabilityKind::reliable));
        participant_.add_reader(
            endpoint({prefix(0), other_reader_id}, ReliabilityKind::best_effort));
        add_replay_writer();
        require(participant_.offer_type(thing, from_hex(thing_object)));
        participant_.start(now_);
        for (const std::uint8_t peer : {std::uint8_t{1}, std::uint8_t{2}}) {
            wire::MessageBuilder message({{2, 5}, vendor_of(peer), prefix(peer)}, 60'000);
            wire::DataFields fields;
            const Buffer announcement = discovery::encode_participant(participant_data(peer));
            fields.writer = entity::spdp_writer;
            fields.number = {1};
            fields.payload = announcement;
            fields.payload_kind = PayloadKind::data;
            require(message.data(fields));
            receive(message.take());
            match_writer(peer);
            match_reader(peer);
        }
        tick();
    }

    void step(ByteReader& in) {
        const unsigned kind = in.u8() % 7U;
        if (kind == 0) {
            const ByteView bytes = in.take(std::min<std::size_t>(in.u16(), in.remaining()));
            receive(Buffer(bytes.begin(), bytes.end()));
        } else if (kind == 1 || kind == 2) {
            Buffer message;
            const std::uint8_t peer = peer_of(in.u8());
            wire::encode_header(message, {{2, 5}, vendor_of(peer), prefix(peer)});
            if (kind == 2) wire::encode_info_destination(message, {prefix(0)});
            const ByteView bytes = in.take(std::min<std::size_t>(in.u16(), in.remaining()));
            message.insert(message.end(), bytes.begin(), bytes.end());
            message.shrink_to_fit();  // a sanitizer sees the first octet too many
            receive(std::move(message));
        } else if (kind == 3) {
            now_ += std::chrono::milliseconds{in.u16()};
            tick();
        } else if (kind == 4) {
            const std::uint8_t peer = peer_of(in.u8());
            participant_.committed(writer(peer), SequenceNumber{in.u8()}, now_);
        } else if (kind == 5) {
            const std::uint8_t what = in.u8();
            serve(what, peer_of(in.u8()));
        } else {
            participant_.look_up_types(prefix(peer_of(in.u8())), {thing, inner}, now_);
            tick();
        }
        drain();
    }

  private:
    static std::uint8_t peer_of(std::uint8_t octet) { return octet % 2 == 0 ? 2 : 1; }
    static Guid writer(std::uint8_t peer) { return {prefix(peer), writer_entity}; }
    static Guid reader(std::uint8_t peer) { return {prefix(peer), reader_entity}; }

    void add_replay_writer() {
        participant_.add_replay_writer(endpoint({prefix(0), replay_id}, ReliabilityKind::reliable),
                                       {});
    }
    // The writer of peer 1 is heard by the reliable reader, that of peer 2 by the other one.
    void match_writer(std::uint8_t peer) {
        last_.erase(writer(peer));
        participant_.match_writer(peer == 1 ? reader_id : other_reader_id,
                                  endpoint(writer(peer), ReliabilityKind::reliable),
                                  {},
                                  now_);
    }
    void match_reader(std::uint8_t peer) {
        participant_.match_reader(replay_id,
                                  endpoint(reader(peer), ReliabilityKind::reliable),
                                  {.reliable = true, .shares_position = peer == 1});
    }

    void serve(std::uint8_t what, std::uint8_t peer) {
        const ArrivalRange history{what, std::uint64_t{what} + 20U};
        switch (what % 16U) {
            case 0:
                participant_.prepare_history(replay_id, reader(peer), {{history}});
                return participant_.begin_history(replay_id, reader(peer), now_);
            case 1:
                return participant_.begin_history(replay_id, reader(peer), now_);
            case 2:
                return provide(300);
            case 3:
                return provide(30'000);
            case 4:
                participant_.unmatch_reader(replay_id, reader(peer));
                return match_reader(peer);
            case 5:
                participant_.unmatch_writer(writer(peer));
                drain();
                return match_writer(peer);
            case 6:
                return participant_.match_shadow(
                    reader_id, endpoint(writer(peer), ReliabilityKind::reliable), true, now_);
            case 7:
                return participant_.probe_writer(writer(peer), now_);
            case 8:
                return participant_.unreachable(locator(peer));
            case 9:
                return participant_.pause_ingest(what >= 128);
            case 10:
                participant_.retract(replay_id);
                add_replay_writer();
                return match_reader(peer);
            case 11:
                return participant_.forget_process(prefix(peer));
            case 12:
                return participant_.resume_process(
                    replay_id, prefix(peer), rtps::ReplayNumbers(SequenceNumber{what}));
            case 13:
                return participant_.unmatch_writer(writer(peer));
            case 14:
                return participant_.unmatch_reader(replay_id, reader(peer));
            default:
                return participant_.goodbye();
        }
    }

    void provide(std::size_t size) {
        contents_.assign(size, 7);
        while (const auto request = participant_.next_payload_request()) {
            require(!request->arrivals.empty() &&
                    std::is_sorted(request->arrivals.begin(), request->arrivals.end()));
            std::vector<rtps::ReplaySample> samples;
            for (const Arrival arrival : request->arrivals) {
                rtps::ReplaySample& sample = samples.emplace_back();
                sample.arrival = arrival;
                sample.available = arrival % 5 != 0;
                sample.payload = contents_;
            }
            participant_.provide_payloads(
                request->replay_writer, request->reader, std::move(samples), now_);
        }
    }

    void receive(Buffer datagram) {
        datagram_ = std::move(datagram);
        participant_.receive(datagram_, locator(1), now_);
        drain();
    }

    void tick() {
        // What was learned in one may make something due in the next; not for ever.
        for (int ticks = 0; participant_.next_deadline() <= now_; ++ticks) {
            require(ticks < 8);
            participant_.tick(now_);
        }
        drain();
    }

    void drain() {
        while (participant_.next_event()) {
        }
        while (const auto transmit = participant_.next_transmit()) {
            require(!transmit->to.empty());
            wire::MessageReader message(transmit->datagram);
            require(message.header() && message.header()->prefix == prefix(0));
            while (const auto submessage = message.next())
                require(submessage->has_value());
        }
        for (const rtps::ReceivedSample& sample : participant_.samples())
            check(sample);
        participant_.samples().clear();
    }

    // A reliable reader leaves nothing out and gives nothing twice.
    void check(const rtps::ReceivedSample& sample) {
        require(sample.first <= sample.number && sample.number == sample.through);
        for (const std::uint8_t octet : sample.payload.view())
            sum_ += octet;
        for (const std::uint8_t octet : sample.inline_qos)
            sum_ += octet;
        if (sample.writer != writer(1)) return;
        SequenceNumber& last = last_[sample.writer];
        require(sample.first == next(last));
        last = sample.through;
    }

    Participant participant_;
    MonoTime now_{std::chrono::hours{1}};
    Buffer datagram_;  // samples borrow from it
    Buffer contents_;  // and what is sent from this
    std::map<Guid, SequenceNumber> last_;
    unsigned sum_{0};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    World world;
    ByteReader in(ByteView(data, size));
    while (in.ok() && in.remaining() > 0)
        world.step(in);
    return 0;
}
