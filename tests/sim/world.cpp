#include "sim/world.hpp"

#include "wire/message_reader.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace durability::test {
namespace {

constexpr int max_turns_at_one_instant = 2'000;

GuidPrefix prefix_of(std::size_t index, VendorId vendor) {
    GuidPrefix prefix;
    prefix.octets[0] = static_cast<std::uint8_t>(vendor.value >> 8U);
    prefix.octets[1] = static_cast<std::uint8_t>(vendor.value & 0xffU);
    prefix.octets[10] = static_cast<std::uint8_t>(index >> 8U);
    prefix.octets[11] = static_cast<std::uint8_t>(index & 0xffU);
    return prefix;
}

template <class Kind>
bool has_user(const Buffer& datagram) {
    wire::MessageReader message(datagram);
    while (const auto next = message.next()) {
        if (!*next) return false;
        const auto* wanted = std::get_if<Kind>(&**next);
        if (wanted != nullptr && !wanted->writer.is_builtin()) return true;
    }
    return false;
}

}  // namespace

bool has_user_data(const Buffer& datagram) {
    return has_user<wire::Data>(datagram);
}
bool has_user_heartbeat(const Buffer& datagram) {
    return has_user<wire::Heartbeat>(datagram);
}
bool has_user_acknack(const Buffer& datagram) {
    return has_user<wire::AckNack>(datagram);
}

World::World(std::uint64_t seed, LinkConditions conditions)
    : network(seed, conditions), group_(Locator::udp_v4(0xefff0001U, 7400)) {
    now_.mono = MonoTime{1h};
    now_.wall = WallTime{std::chrono::seconds{1'790'000'000}};
    add_host();
    config.default_contract.history = ContractHistory::keep_all;
    TopicRule rule;
    rule.serve = ServeKind::transient_local;
    config.topics = {rule};
}

void World::add_host() {
    Host& host = *hosts_.emplace_back(std::make_unique<Host>());
    for (std::size_t side = 0; side < service::side_count; ++side) {
        const std::size_t index = locators_.size();
        host.addresses.prefixes[side] = prefix_of(index, vendor::own);
        host.addresses.locators[side] =
            Locator::udp_v4(0x0a000000U + static_cast<std::uint32_t>(index), 7410);
        host.sides[side] = network.add_machine({});
        locators_.push_back(host.addresses.locators[side]);
    }
    host.addresses.group = group_;
}

SimDaemon& World::start_daemon(std::size_t which) {
    while (hosts_.size() <= which)
        add_host();
    Host& host = *hosts_[which];
    for (std::size_t side = 0; side < service::side_count; ++side) {
        network.set_locators(host.sides[side], {host.addresses.locators[side], group_});
    }
    host.daemon = std::make_unique<SimDaemon>(host.files, config, host.addresses, now_);
    host.daemon->load_delay = load_delay;
    turn_all();
    return *host.daemon;
}

std::vector<TopicEffect> World::reload(std::size_t which) {
    Host& host = *hosts_[which];
    auto effects = host.daemon->reload(config, now_);
    transmit_all(host);
    return effects;
}

void World::end_daemon(Ending ending, std::size_t which) {
    Host& host = *hosts_[which];
    if (ending != Ending::killed) {
        host.daemon->stop(now_, ending == Ending::farewell);
        transmit_all(host);
    }
    host.daemon.reset();
    host.files.restart(PowerCut::keep_everything);
    for (const SimNetwork::Machine machine : host.sides)
        network.set_locators(machine, {});
}

Application& World::start_application(VendorId vendor) {
    const Locator own =
        Locator::udp_v4(0x0a000000U + static_cast<std::uint32_t>(locators_.size()), 7410);
    auto process = std::make_unique<Process>();
    process->machine = network.add_machine({own, group_});
    process->application = std::make_unique<Application>(
        prefix_of(locators_.size(), vendor), vendor, own, group_, now_);
    locators_.push_back(own);
    processes_.push_back(std::move(process));
    turn_all();
    return *processes_.back()->application;
}

World::Process& World::process_of(const Application& application) {
    const auto found = std::ranges::find_if(processes_, [&](const auto& process) {
        return process->application.get() == &application;
    });
    return **found;
}

// The application's memory stays for the test to look at; it neither hears nor says anything any
// more.
void World::end_application(Application& application, Ending ending) {
    Process& process = process_of(application);
    if (ending != Ending::killed) {
        application.goodbye();
        while (auto transmit = application.next_transmit())
            send(process.machine, *transmit);
    }
    process.alive = false;
    network.set_locators(process.machine, {});
}

ModelWriter& World::create_writer(Application& application, const EndpointChoice& choice) {
    ModelWriter& writer = application.create_writer(choice, now_);
    turn_all();
    return writer;
}

AppReader& World::create_reader(Application& application, const EndpointChoice& choice) {
    AppReader& reader = application.create_reader(choice, now_);
    turn_all();
    return reader;
}

void World::write(ModelWriter& writer, int samples, std::size_t size) {
    for (const auto& process : processes_) {
        for (const auto& known : process->application->writers()) {
            if (known.get() != &writer || !process->alive) continue;
            for (int i = 0; i < samples; ++i)
                process->application->write(writer, now_, size);
        }
    }
    turn_all();
}

void World::write_set(ModelWriter& writer, int samples, bool ends, std::size_t size) {
    writer.begin_set();
    write(writer, samples, size);
    if (ends) end_set(writer);
}

void World::end_set(ModelWriter& writer) {
    for (const auto& process : processes_) {
        for (const auto& known : process->application->writers()) {
            if (known.get() == &writer && process->alive)
                process->application->end_set(writer, now_);
        }
    }
    turn_all();
}

void World::relay(Application& application, ModelWriter& writer, const SampleId& id) {
    application.relay(writer, id, now_);
    turn_all();
}

// --- time and network
// ------------------------------------------------------------------------------

void World::send(SimNetwork::Machine from, const rtps::Transmit& transmit) {
    if (loses && loses(transmit.datagram)) return;
    const auto sender = std::ranges::find_if(hosts_, [&](const auto& host) {
        return std::ranges::find(host->sides, from) != host->sides.end();
    });
    const bool from_replay = sender != hosts_.end() && from == (*sender)->sides[1];
    if (watches && sender != hosts_.end()) watches(transmit.datagram, transmit.to.size());
    for (const Locator& to : transmit.to) {
        if (to.is_multicast()) continue;
        if (from_replay) {
            Traffic& traffic = replayed_[to];
            ++traffic.datagrams;
            traffic.octets += transmit.datagram.size();
        }
        const bool gone = std::ranges::any_of(processes_, [&](const auto& process) {
            return !process->alive && process->application->locator() == to;
        });
        if (!gone || !reports_unreachable || sender == hosts_.end()) continue;
        (*sender)->nobody_there.emplace_back(
            from_replay ? service::Side::replay : service::Side::ingest, to);
    }
    network.send(from, transmit.to, transmit.datagram, now_.mono);
}

void World::cut(const Application& application) {
    const SimNetwork::Machine machine = process_of(application).machine;
    for (const SimNetwork::Machine side : hosts_.front()->sides) {
        network.cut(side, machine);
        network.cut(machine, side);
    }
}

void World::restore(const Application& application) {
    const SimNetwork::Machine machine = process_of(application).machine;
    for (const SimNetwork::Machine side : hosts_.front()->sides) {
        network.restore(side, machine);
        network.restore(machine, side);
    }
}

World::Traffic World::replayed_to(const Application& application) const {
    const auto found = replayed_.find(application.locator());
    return found == replayed_.end() ? Traffic{} : found->second;
}

void World::deliver(const SimNetwork::Arrival& arrival) {
    const Locator& from = locators_[arrival.from];
    for (const auto& host : hosts_) {
        for (const service::Side side : {service::Side::ingest, service::Side::replay}) {
            if (arrival.to == host->sides[static_cast<std::size_t>(side)] && host->daemon)
                host->daemon->receive(side, arrival.datagram, from, now_);
        }
    }
    for (const auto& process : processes_) {
        if (process->machine == arrival.to && process->alive)
            process->application->receive(arrival.datagram, from, now_);
    }
}

void World::transmit_all(Host& host) {
    for (const service::Side side : {service::Side::ingest, service::Side::replay}) {
        while (auto transmit = host.daemon->next_transmit(side))
            send(host.sides[static_cast<std::size_t>(side)], *transmit);
    }
}

void World::turn_all() {
    for (const auto& host : hosts_) {
        const auto nobody_there = std::exchange(host->nobody_there, {});
        if (!host->daemon) continue;
        for (const auto& [side, locator] : nobody_there)
            host->daemon->unreachable(side, locator, now_);
        host->daemon->turn(now_);
        transmit_all(*host);
    }
    for (const auto& process : processes_) {
        if (!process->alive) continue;
        process->application->turn(now_);
        while (auto transmit = process->application->next_transmit())
            send(process->machine, *transmit);
    }
}

MonoTime World::next_event() const {
    MonoTime due = network.next_arrival();
    for (const auto& host : hosts_) {
        if (host->daemon) due = std::min(due, host->daemon->next_deadline());
        if (!host->nobody_there.empty()) due = std::min(due, now_.mono);
    }
    for (const auto& process : processes_) {
        if (process->alive) due = std::min(due, process->application->next_deadline());
    }
    return due;
}

void World::step(MonoTime until) {
    const MonoTime next = std::clamp(next_event(), now_.mono, until);
    now_.wall += next - now_.mono;
    now_.mono = next;
    busy_turns_ = busy_at_ == next ? busy_turns_ + 1 : 0;
    busy_at_ = next;
    if (busy_turns_ > max_turns_at_one_instant) FAIL("something is due at one instant for ever");
    while (const auto arrival = network.receive(now_.mono))
        deliver(*arrival);
    turn_all();
}

void World::run(Duration duration) {
    const MonoTime end = now_.mono + duration;
    while (now_.mono < end)
        step(end);
}

bool World::run_until(const std::function<bool()>& done, Duration limit) {
    const MonoTime end = now_.mono + limit;
    while (!done()) {
        if (now_.mono >= end) return false;
        step(end);
    }
    return true;
}

bool World::run_until_kept(const ModelWriter& writer, Duration limit) {
    return run_until(
        [&] { return static_cast<std::int64_t>(writer.kept().size()) == writer.last(); }, limit);
}

}  // namespace durability::test
