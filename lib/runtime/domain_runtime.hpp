// One domain running: its service, its sockets and its store thread, wired together. Loop thread,
// except where said otherwise.
#pragma once

#include "durability/config.hpp"
#include "durability/error.hpp"
#include "net/asio.hpp"
#include "runtime/domain_sockets.hpp"
#include "runtime/network_change.hpp"
#include "runtime/store_requests.hpp"
#include "runtime/summary.hpp"
#include "runtime/thread_settings.hpp"
#include "service/domain_service.hpp"
#include "service/event_log.hpp"
#include "store/posix_file_system.hpp"
#include "store/store_thread.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string_view>
#include <vector>

namespace durability::runtime {

class DomainRuntime {
  public:
    // Opens the store, binds the sockets; nothing is sent or received before the loop runs.
    // `new_identity`: peers that know the old one cannot reach it any more.
    static Result<std::unique_ptr<DomainRuntime>> open(
        boost::asio::io_context& context,
        net::ReceiveBuffers& buffers,
        const Config& config,
        std::uint32_t domain,
        service::EventLog& events,
        service::RateLimit& rate,
        const ThreadScheduler& threads,
        std::function<void()> on_turn,
        const std::function<void(std::string_view)>& progress,
        bool new_identity);
    DomainRuntime(const DomainRuntime&) = delete;
    DomainRuntime& operator=(const DomainRuntime&) = delete;
    ~DomainRuntime();

    // Reads which interfaces there are, and goes on with these. `replaced`: it has to be stopped
    // and opened anew, with a new identity.
    NetworkChange look_at_network();
    // Announces the participants as soon as the stored groups are open.
    void start();
    [[nodiscard]] bool serving() const { return service_->serving(); }
    // Why the stored topics cannot be read; the service is then never complete.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
    // See semantics.md, section 7a. `goodbye`: both participants say that they leave. Bounded.
    void stop(bool goodbye);
    // Thread-safe.
    void sweep();
    // Called when the store has answered; when it does not within a second, with the last known
    // figures.
    void status(std::function<void(DomainStatus)> done);
    // A few sums, for a line; not called while the store does not answer.
    void summary(std::function<void(Summary)> done);
    [[nodiscard]] std::uint64_t activity() const { return service_->activity(); }
    // Another configuration is in force; see DomainService::reload().
    [[nodiscard]] std::vector<TopicEffect> reload(const Config& config);
    // See StoreThread.
    void ask_pulse();
    [[nodiscard]] bool has_pulse() const;
    [[nodiscard]] std::uint32_t domain() const { return domain_; }
    // What an operator asks for: see StoreRequests.
    void purge(PurgeRequest request, StoreRequests::PurgeDone done);
    void compact(std::string topic, StoreRequests::CompactDone done);
    void instances(std::string topic, StoreRequests::InstancesDone done);
    // Both are answered like status().
    void show(std::string topic, std::function<void(Result<Shown>)> done);
    void explain(std::string topic, std::function<void(Result<Explanation>)> done);
    // Topics served at run time (domain_topics.cpp): see DomainService.
    void describe_type(const std::string& topic, service::TypeGiven given);
    // Called when no group of the topic is being opened any more. Error: what kept one of them from
    // it, or unavailable when the domain stops before.
    void when_open(std::string topic, std::function<void(Status)> done);
    [[nodiscard]] const service::DomainService& service() const { return *service_; }
    [[nodiscard]] const DomainSockets& sockets() const { return sockets_; }

  private:
    DomainRuntime(boost::asio::io_context& context,
                  net::ReceiveBuffers& buffers,
                  service::EventLog& events,
                  std::uint32_t domain,
                  std::function<void()> on_turn);
    // Calls when the store has said how it is, or after a second: last_status_ is as new as it can
    // be then.
    void with_store_status(std::function<void()> done);
    void listen();
    void on_readable(net::UdpSocket& socket, std::span<const service::Side> sides);
    void deliver(std::vector<store::Completion> completions);
    void note(const store::LoadProgress& load);
    void turn();
    void submit_commands();
    void transmit();
    void arm_timer();
    Status choose_identity(service::DomainOptions& options, bool new_identity);
    void report_network();
    void answer_open();

    boost::asio::io_context& context_;
    net::ReceiveBuffers& buffers_;
    service::EventLog& events_;
    std::function<void()> on_turn_;
    boost::asio::steady_timer timer_;
    store::PosixFileSystem files_;
    std::unique_ptr<store::StoreThread> store_;
    DomainSockets sockets_;
    std::vector<std::string> wanted_interfaces_;
    std::vector<std::uint32_t> known_addresses_;  // announced under the present identity
    std::unique_ptr<service::DomainService> service_;
    std::vector<net::UdpSocket::Outgoing> outgoing_;
    std::vector<rtps::Transmit> transmits_;
    store::StoreStatus last_status_;
    StoreRequests requests_;
    struct WaitingForOpen {
        std::string topic;
        std::function<void(Status)> done;
    };
    std::vector<WaitingForOpen> waiting_for_open_;
    std::uint32_t domain_;
    std::function<void(std::string_view)> progress_;
    std::optional<Error> failure_;
    // Handlers posted by the store thread outlive this object by one turn; they look here first.
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    std::uint64_t datagrams_sent_{0};
    bool listening_{false};
    bool stopped_{false};
};

}  // namespace durability::runtime
