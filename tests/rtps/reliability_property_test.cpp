// A StatefulWriter and a StatefulReader with a bad network between them: everything arrives, each
// sample once, in order, and nothing is acknowledged before it is committed.
#include "fixture.hpp"

#include "support/sim_network.hpp"
#include "wire/message_reader.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <variant>

using namespace durability;
using namespace durability::test;

namespace {

struct Scenario {
    LinkConditions link;
    int changes{300};
    std::size_t max_size{3'000};
    std::size_t max_datagram{4'000};
    rtps::AckPolicy ack{rtps::AckPolicy::on_commit};
};

class Pair {
  public:
    Pair(std::uint64_t seed, const Scenario& scenario)
        : random_(seed),
          scenario_(scenario),
          network_(seed + 1U, scenario.link),
          reader_(reader_entity, {.ack = scenario.ack}),
          writer_(writer_entity),
          reader_out_(wire::Header{{}, vendor::own, prefix(2)}, scenario.max_datagram),
          writer_out_(wire::Header{{}, vendor::own, prefix(1)}, scenario.max_datagram) {
        writer_machine_ = network_.add_machine(destination(1)->locators);
        reader_machine_ = network_.add_machine(destination(2)->locators);
        reader_.match(remote_writer(1), destination(1), {}, now_);
        writer_.match(remote_reader(2), destination(2), now_, writer_out_);
    }

    // Until everything is acknowledged, or simulated time is up.
    void run(Duration limit) {
        const MonoTime end = now_ + limit;
        while (now_ < end && !done()) {
            if (static_cast<int>(sizes_.size()) < scenario_.changes && random_() % 3U == 0) add();
            step();
        }
    }
    [[nodiscard]] bool done() const {
        return static_cast<int>(sizes_.size()) == scenario_.changes &&
               writer_.acknowledged_by(remote_reader(2), writer_.last());
    }

    std::map<std::int64_t, Buffer> sizes_;  // what was written
    std::vector<std::int64_t> delivered_;
    bool intact_{true};
    bool acknowledged_early_{false};
    SequenceNumber committed_{0};

  private:
    void add() {
        rtps::Change change;
        change.payload = bytes(random_() % scenario_.max_size + 1U,
                               static_cast<std::uint8_t>(random_() & 0xffU));
        change.payload.resize((change.payload.size() + 3U) / 4U * 4U);
        const Buffer copy = change.payload;
        sizes_[writer_.add(std::move(change)).value] = copy;
    }
    void step() {
        flush(writer_machine_, writer_out_);
        flush(reader_machine_, reader_out_);
        const MonoTime next_event = std::min({network_.next_arrival(),
                                              reader_.next_deadline(),
                                              writer_.next_deadline(),
                                              now_ + 5ms});
        now_ = std::max(now_, next_event);
        while (auto arrival = network_.receive(now_))
            take(*arrival);
        reader_.tick(now_, reader_out_, samples_);
        collect();
        writer_.tick(now_, writer_out_);
        if (scenario_.ack == rtps::AckPolicy::on_commit && random_() % 4U == 0) commit();
    }
    void commit() {
        if (delivered_.empty()) return;
        committed_ = SequenceNumber{delivered_.back()};
        reader_.committed(remote_writer(1), committed_, now_, reader_out_);
    }
    void flush(SimNetwork::Machine from, rtps::Outbox& out) {
        while (auto transmit = out.next_transmit()) {
            network_.send(from, transmit->to, transmit->datagram, now_);
        }
    }
    void take(const SimNetwork::Arrival& arrival) {
        wire::MessageReader message(arrival.datagram);
        while (auto next = message.next()) {
            REQUIRE(next->has_value());
            dispatch(**next, message.state());
            collect();
        }
    }
    void dispatch(const wire::Submessage& submessage, const wire::ReceiverState& state) {
        const Guid writer = remote_writer(1);
        const Guid reader = remote_reader(2);
        if (const auto* data = std::get_if<wire::Data>(&submessage)) {
            reader_.on_data(writer, *data, state.timestamp, now_, samples_);
        } else if (const auto* frag = std::get_if<wire::DataFrag>(&submessage)) {
            reader_.on_data_frag(writer, *frag, state.timestamp, now_, samples_);
        } else if (const auto* gap = std::get_if<wire::Gap>(&submessage)) {
            reader_.on_gap(writer, *gap, now_, samples_);
        } else if (const auto* heartbeat = std::get_if<wire::Heartbeat>(&submessage)) {
            reader_.on_heartbeat(writer, *heartbeat, now_, reader_out_, samples_);
        } else if (const auto* acknack = std::get_if<wire::AckNack>(&submessage)) {
            const bool early = scenario_.ack == rtps::AckPolicy::on_commit &&
                               acknack->state.base > next(committed_);
            acknowledged_early_ = acknowledged_early_ || early;
            writer_.on_acknack(reader, *acknack, now_, writer_out_);
        } else if (const auto* nack_frag = std::get_if<wire::NackFrag>(&submessage)) {
            writer_.on_nack_frag(reader, *nack_frag, now_, writer_out_);
        }
    }
    void collect() {
        for (const rtps::ReceivedSample& sample : samples_) {
            intact_ = intact_ && !sample.irrelevant &&
                      std::ranges::equal(sample.payload.view(), sizes_[sample.number.value]);
            delivered_.push_back(sample.number.value);
        }
        samples_.clear();
    }

    std::mt19937_64 random_;
    Scenario scenario_;
    SimNetwork network_;
    rtps::StatefulReader reader_;
    rtps::StatefulWriter writer_;
    rtps::Outbox reader_out_;
    rtps::Outbox writer_out_;
    SimNetwork::Machine writer_machine_{0};
    SimNetwork::Machine reader_machine_{0};
    MonoTime now_{at(0s)};
    std::vector<rtps::ReceivedSample> samples_;
};

void check_everything_arrives(const Scenario& scenario) {
    const std::uint64_t seed = std::random_device{}();
    CAPTURE(seed, scenario.link.loss, scenario.max_size);
    Pair pair(seed, scenario);
    pair.run(10min);

    REQUIRE(pair.done());
    CHECK(pair.intact_);
    CHECK_FALSE(pair.acknowledged_early_);
    std::vector<std::int64_t> expected;
    for (const auto& [number, payload] : pair.sizes_)
        expected.push_back(number);
    CHECK(pair.delivered_ == expected);
}

}  // namespace

TEST_CASE(
    "everything arrives once and in order, whatever the network loses, doubles and reorders") {
    for (const double loss : {0.0, 0.05, 0.3, 0.6}) {
        Scenario scenario;
        scenario.link = {loss, 0.2, 100us, 4ms};
        check_everything_arrives(scenario);
    }
}

TEST_CASE("large samples arrive over a network that loses fragments") {
    for (const double loss : {0.1, 0.3}) {
        Scenario scenario;
        scenario.link = {loss, 0.1, 100us, 4ms};
        scenario.changes = 30;
        scenario.max_size = 200'000;
        check_everything_arrives(scenario);
    }
}

TEST_CASE("the same holds when receipt is acknowledged") {
    Scenario scenario;
    scenario.link = {0.3, 0.2, 100us, 20ms};
    scenario.ack = rtps::AckPolicy::on_receipt;
    check_everything_arrives(scenario);
}
