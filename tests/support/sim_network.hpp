// Datagrams between simulated machines: lost, doubled, delayed and reordered by a seeded generator,
// with time moved by hand. The same seed and the same calls give the same run.
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "model/locator.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace durability::test {

// What happens to the datagrams of one link. Probabilities from 0 to 1; each datagram waits between
// min_delay and max_delay, so different delays reorder.
struct LinkConditions {
    double loss{0.0};
    double duplication{0.0};
    Duration min_delay{std::chrono::microseconds{50}};
    Duration max_delay{std::chrono::microseconds{50}};
};

class SimNetwork {
  public:
    using Machine = std::size_t;
    struct Arrival {
        Machine to{0};
        Machine from{0};
        Buffer datagram;
    };
    struct Counters {
        std::uint64_t sent{0};
        std::uint64_t lost{0};
        std::uint64_t duplicated{0};
        std::uint64_t delivered{0};
        std::uint64_t unreachable{0};  // nobody listens there, or the link is cut
    };

    explicit SimNetwork(std::uint64_t seed, LinkConditions conditions = {});

    // A machine that listens on these locators; multicast ones are groups it has joined.
    Machine add_machine(std::vector<Locator> listens);
    // From now on it listens there instead; an empty list: it is gone.
    void set_locators(Machine machine, std::vector<Locator> listens);
    void set_conditions(LinkConditions conditions) { conditions_ = conditions; }
    // For datagrams from `from` to `to` only; replaces the general ones.
    void set_conditions(Machine from, Machine to, LinkConditions conditions);
    // Datagrams from `from` to `to` vanish, until restored.
    void cut(Machine from, Machine to) { cut_.insert({from, to}); }
    void restore(Machine from, Machine to) { cut_.erase({from, to}); }

    // To every machine that listens on one of the locators, the sender included for multicast.
    void send(Machine from, const std::vector<Locator>& to, const Buffer& datagram, MonoTime now);
    // The next datagram that has arrived by `now`, in order of arrival.
    [[nodiscard]] std::optional<Arrival> receive(MonoTime now);
    // When the next datagram arrives; MonoTime::max() when none is under way.
    [[nodiscard]] MonoTime next_arrival() const;
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    void carry(Machine from, Machine to, const Buffer& datagram, MonoTime now);
    [[nodiscard]] const LinkConditions& conditions(Machine from, Machine to) const;
    [[nodiscard]] bool happens(double probability);
    [[nodiscard]] Duration delay(const LinkConditions& link);

    std::mt19937_64 random_;
    LinkConditions conditions_;
    std::map<std::pair<Machine, Machine>, LinkConditions> links_;
    std::set<std::pair<Machine, Machine>> cut_;
    std::vector<std::vector<Locator>> machines_;
    // Ordered by arrival, then by the order of sending.
    std::map<std::pair<MonoTime, std::uint64_t>, Arrival> under_way_;
    std::uint64_t serial_{0};
    Counters counters_;
};

}  // namespace durability::test
