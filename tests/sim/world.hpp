// A small world: a daemon that can be stopped, killed and started again (or several, each with
// files and addresses of its own), application processes, a network that loses, doubles, delays and
// reorders, and time that moves by hand. Everything follows from the seed.
//
//     World world;
//     auto& talker = world.start_application(vendor::eprosima);
//     auto& writer = world.create_writer(talker, {});
//     world.run(1s);
#pragma once

#include "sim/application.hpp"
#include "sim/sim_daemon.hpp"

#include "support/sim_network.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace durability::test {

using namespace std::chrono_literals;

enum class Ending : std::uint8_t {
    killed,
    stopped,
    farewell
};

class World {
  public:
    explicit World(std::uint64_t seed = 1, LinkConditions conditions = {});

    // --- the daemon, or that of the given number
    Config config;  // in force at the next start; keeps everything, serves TRANSIENT_LOCAL writers
    Duration load_delay{0};  // likewise: see SimDaemon
    SimDaemon& start_daemon(std::size_t which = 0);
    // `config` is in force from now on.
    std::vector<TopicEffect> reload(std::size_t which = 0);
    void end_daemon(Ending ending, std::size_t which = 0);
    [[nodiscard]] bool has_daemon(std::size_t which = 0) const {
        return which < hosts_.size() && hosts_[which]->daemon != nullptr;
    }
    [[nodiscard]] SimDaemon& daemon(std::size_t which = 0) { return *hosts_[which]->daemon; }
    [[nodiscard]] const GuidPrefix& replay_prefix(std::size_t which = 0) const {
        return hosts_[which]->addresses.prefixes[1];
    }

    // --- applications
    Application& start_application(VendorId vendor);
    void end_application(Application& application, Ending ending);
    ModelWriter& create_writer(Application& application, const EndpointChoice& choice);
    AppReader& create_reader(Application& application, const EndpointChoice& choice);
    void write(ModelWriter& writer, int samples = 1, std::size_t size = 64);
    // A coherent set; without `ends` more of it may follow.
    void write_set(ModelWriter& writer, int samples, bool ends = true, std::size_t size = 64);
    void end_set(ModelWriter& writer);
    void relay(Application& application, ModelWriter& writer, const SampleId& id);

    // --- time
    void run(Duration duration);
    // Until `done`; false when simulated time was up before.
    [[nodiscard]] bool run_until(const std::function<bool()>& done, Duration limit);
    [[nodiscard]] Now now() const { return now_; }
    // Everything of the writer is with the daemon.
    [[nodiscard]] bool run_until_kept(const ModelWriter& writer, Duration limit = 30s);

    // --- the network
    SimNetwork network;
    // Nothing gets through between the daemon and the application, either way; and again.
    void cut(const Application& application);
    void restore(const Application& application);
    // Datagrams for which this is true vanish.
    std::function<bool(const Buffer& datagram)> loses;
    // The system says so when nobody listens where the daemon sends to.
    bool reports_unreachable{false};
    // Datagrams and octets that the daemons' replay participant sent to an application.
    struct Traffic {
        std::uint64_t datagrams{0};
        std::uint64_t octets{0};
    };
    [[nodiscard]] Traffic replayed_to(const Application& application) const;
    // What the daemon sends, each time it does; to how many addresses.
    std::function<void(const Buffer& datagram, std::size_t addresses)> watches;

  private:
    struct Process {
        SimNetwork::Machine machine{0};
        std::unique_ptr<Application> application;
        bool alive{true};
    };
    // What of a daemon outlives it.
    struct Host {
        FaultyFileSystem files;
        std::array<SimNetwork::Machine, service::side_count> sides{};
        DaemonAddresses addresses;
        std::unique_ptr<SimDaemon> daemon;
        std::vector<std::pair<service::Side, Locator>> nobody_there;
    };
    void add_host();
    void transmit_all(Host& host);
    [[nodiscard]] MonoTime next_event() const;
    void step(MonoTime until);
    void deliver(const SimNetwork::Arrival& arrival);
    void turn_all();
    void send(SimNetwork::Machine from, const rtps::Transmit& transmit);
    [[nodiscard]] Process& process_of(const Application& application);

    Now now_;
    Locator group_;
    std::vector<std::unique_ptr<Host>> hosts_;
    std::vector<std::unique_ptr<Process>> processes_;
    std::vector<Locator> locators_;  // unicast, by machine
    std::map<Locator, Traffic> replayed_;
    // Turns at one instant: a machine that is due without end is a busy loop.
    MonoTime busy_at_{};
    int busy_turns_{0};
};

// Whether a datagram holds such a message of a writer that is not a built-in one.
[[nodiscard]] bool has_user_data(const Buffer& datagram);
[[nodiscard]] bool has_user_heartbeat(const Buffer& datagram);
[[nodiscard]] bool has_user_acknack(const Buffer& datagram);

}  // namespace durability::test
