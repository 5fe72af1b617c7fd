// The daemon without its shell: a DomainService and a synchronous Store, driven by hand. The store
// takes simulated time for commands and for the disk; the files survive the daemon.
#pragma once

#include "base/time.hpp"
#include "durability/config.hpp"
#include "service/domain_service.hpp"
#include "store/store.hpp"
#include "support/faulty_file_system.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace durability::test {

struct DaemonAddresses {
    std::array<GuidPrefix, service::side_count> prefixes;
    std::array<Locator, service::side_count> locators;
    Locator group;
};

class SimDaemon {
  public:
    SimDaemon(FaultyFileSystem& files, Config config, DaemonAddresses addresses, Now now);

    // How long a command waits for the store's thread, and how long a sync of the disk takes.
    Duration store_delay{std::chrono::microseconds{200}};
    Duration sync_delay{std::chrono::milliseconds{2}};
    // How long reading one log takes at the start.
    Duration load_delay{0};
    // While set, syncs do not come to an end.
    bool disk_hangs{false};

    void receive(service::Side side, ByteView datagram, const Locator& from, Now now) {
        service_->receive(side, datagram, from, now);
    }
    void unreachable(service::Side side, const Locator& locator, Now now) {
        service_->unreachable(side, locator, now);
    }
    void turn(Now now);
    [[nodiscard]] MonoTime next_deadline() const;
    [[nodiscard]] std::optional<rtps::Transmit> next_transmit(service::Side side) {
        return service_->next_transmit(side);
    }

    // The configuration is another one from now on.
    std::vector<TopicEffect> reload(const Config& config, Now now);

    // An orderly end, as SIGTERM makes it: everything that was said is written, nobody is told.
    void stop(Now now, bool goodbye);

    [[nodiscard]] const service::DomainService& service() const { return *service_; }
    [[nodiscard]] DomainStatus status() const { return service_->status(store_->status(), now_); }
    [[nodiscard]] TopicExplanation explain(const std::string& topic) const {
        return service_->explain(topic, store_->status(), now_);
    }
    [[nodiscard]] std::size_t events_of(EventKind kind) const;
    [[nodiscard]] std::vector<Event> events() const { return events_.latest(); }
    // Commands that the store has not carried out, and syncs under way.
    [[nodiscard]] bool store_busy() const { return !waiting_.empty() || syncing_.has_value(); }

  private:
    struct Waiting {
        MonoTime due;
        store::Command command;
    };
    struct Syncing {
        MonoTime due;
        store::SyncJob job;
    };
    void take_commands(Now now);
    void run_store(Now now);
    void begin_sync(Now now, std::vector<store::Completion>& out);

    service::EventLog events_;
    service::RateLimit rate_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<service::DomainService> service_;
    std::deque<Waiting> waiting_;
    std::optional<Syncing> syncing_;
    MonoTime load_due_{MonoTime::min()};
    Now now_;  // of the last turn
};

}  // namespace durability::test
