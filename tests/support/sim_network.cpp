#include "support/sim_network.hpp"

#include <algorithm>

namespace durability::test {

SimNetwork::SimNetwork(std::uint64_t seed, LinkConditions conditions)
    : random_(seed), conditions_(conditions) {}

SimNetwork::Machine SimNetwork::add_machine(std::vector<Locator> listens) {
    machines_.push_back(std::move(listens));
    return machines_.size() - 1U;
}

void SimNetwork::set_locators(Machine machine, std::vector<Locator> listens) {
    machines_.at(machine) = std::move(listens);
}

void SimNetwork::set_conditions(Machine from, Machine to, LinkConditions conditions) {
    links_[{from, to}] = conditions;
}

const LinkConditions& SimNetwork::conditions(Machine from, Machine to) const {
    const auto link = links_.find({from, to});
    return link == links_.end() ? conditions_ : link->second;
}

bool SimNetwork::happens(double probability) {
    // Not a distribution of the library: those differ between implementations.
    const double drawn = static_cast<double>(random_() >> 11U) / 9007199254740992.0;
    return drawn < probability;
}

Duration SimNetwork::delay(const LinkConditions& link) {
    const auto spread = static_cast<std::uint64_t>((link.max_delay - link.min_delay).count());
    const std::uint64_t extra = spread == 0 ? 0 : random_() % (spread + 1U);
    return link.min_delay + Duration{static_cast<std::int64_t>(extra)};
}

void SimNetwork::send(Machine from,
                      const std::vector<Locator>& to,
                      const Buffer& datagram,
                      MonoTime now) {
    for (const Locator& locator : to) {
        bool anybody = false;
        for (Machine machine = 0; machine < machines_.size(); ++machine) {
            const std::vector<Locator>& listens = machines_[machine];
            if (std::find(listens.begin(), listens.end(), locator) == listens.end()) continue;
            anybody = true;
            carry(from, machine, datagram, now);
        }
        if (!anybody) ++counters_.unreachable;
    }
}

void SimNetwork::carry(Machine from, Machine to, const Buffer& datagram, MonoTime now) {
    if (cut_.count({from, to}) != 0) {
        ++counters_.unreachable;
        return;
    }
    const LinkConditions& link = conditions(from, to);
    ++counters_.sent;
    if (happens(link.loss)) {
        ++counters_.lost;
        return;
    }
    under_way_.emplace(std::pair{now + delay(link), serial_++}, Arrival{to, from, datagram});
    if (happens(link.duplication)) {
        ++counters_.duplicated;
        under_way_.emplace(std::pair{now + delay(link), serial_++}, Arrival{to, from, datagram});
    }
}

std::optional<SimNetwork::Arrival> SimNetwork::receive(MonoTime now) {
    if (under_way_.empty() || under_way_.begin()->first.first > now) return std::nullopt;
    Arrival arrival = std::move(under_way_.begin()->second);
    under_way_.erase(under_way_.begin());
    ++counters_.delivered;
    return arrival;
}

MonoTime SimNetwork::next_arrival() const {
    return under_way_.empty() ? MonoTime::max() : under_way_.begin()->first.first;
}

}  // namespace durability::test
