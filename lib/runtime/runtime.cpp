#include "runtime/runtime.hpp"

#include "base/clock.hpp"
#include "durability/version.hpp"
#include "net/asio.hpp"
#include "runtime/cleanup_thread.hpp"
#include "runtime/domain_runtime.hpp"
#include "service/event_log.hpp"

#include <fmt/format.h>

#include <utility>

#include <unistd.h>

namespace durability::runtime {
namespace {

// Below this a burst of a Fast DDS writer is lost and has to be repaired (fact sheet 8).
constexpr std::size_t comfortable_receive_buffer = 1024UL * 1024UL;

}  // namespace

struct Runtime::Impl {
    Impl(Config configuration, RuntimeHooks given)
        : config(std::move(configuration)), hooks(std::move(given)) {}

    void report(Event event) { events.report_always(std::move(event), system_now()); }
    void print_events() {
        while (auto event = events.next_event()) {
            if (hooks.on_event) hooks.on_event(*event);
        }
    }
    void on_turn();
    void arm_event_timer();
    void stop(bool goodbye);

    Config config;
    RuntimeHooks hooks;
    boost::asio::io_context context{1};
    // Between start and the first sockets there may be nothing pending but answers of the store
    // threads.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy{
        context.get_executor()};
    net::ReceiveBuffers buffers;
    service::EventLog events;
    boost::asio::steady_timer event_timer{context};
    std::vector<std::unique_ptr<DomainRuntime>> domains;
    std::unique_ptr<CleanupThread> cleanup;
    Now started{};
    bool ready{false};
    bool stopped{false};
};

Runtime::Runtime(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Runtime::~Runtime() {
    if (impl_) impl_->stop(impl_->config.shutdown == ShutdownMode::goodbye);
}

Result<std::unique_ptr<Runtime>> Runtime::start(Config config, RuntimeHooks hooks) {
    auto impl = std::make_unique<Impl>(std::move(config), std::move(hooks));
    Impl& self = *impl;
    self.started = system_now();
    const auto progress = [&self](std::string_view text) {
        if (self.hooks.on_status) self.hooks.on_status(text);
        if (self.hooks.extend_startup) self.hooks.extend_startup();
    };
    for (const std::uint32_t domain : self.config.domains) {
        auto opened = DomainRuntime::open(
            self.context,
            self.buffers,
            self.config,
            domain,
            self.events,
            [&self] { self.on_turn(); },
            progress);
        self.print_events();
        if (!opened) return tl::unexpected(opened.error());
        self.domains.push_back(std::move(*opened));
    }
    const std::size_t granted = self.domains.front()->sockets().sides[0].user->receive_buffer();
    if (granted < comfortable_receive_buffer) {
        self.report(
            service::make_event(EventKind::ReceiveBufferSmall,
                                {{"granted_bytes", std::to_string(granted)},
                                 {"wanted_bytes", std::to_string(comfortable_receive_buffer)},
                                 {"cure", "raise net.core.rmem_max"}}));
    }
    // The first turns run here, so that everything is announced when this returns.
    for (const auto& domain : self.domains)
        domain->start();
    while (!self.ready)
        self.context.run_one();
    self.cleanup = std::make_unique<CleanupThread>(self.config.cleanup.interval, [&self] {
        for (const auto& domain : self.domains)
            domain->sweep();
    });
    return std::unique_ptr<Runtime>(new Runtime(std::move(impl)));
}

void Runtime::Impl::on_turn() {
    if (!ready && !domains.empty()) {
        ready = true;
        for (const auto& domain : domains)
            ready = ready && domain->serving();
    }
    print_events();
    arm_event_timer();
}

void Runtime::Impl::arm_event_timer() {
    const MonoTime due = events.next_deadline();
    if (due == MonoTime::max()) return;
    event_timer.expires_at(std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(due.time_since_epoch())));
    event_timer.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        events.tick(system_now());
        print_events();
        arm_event_timer();
    });
}

void Runtime::Impl::stop(bool goodbye) {
    if (std::exchange(stopped, true)) return;
    cleanup.reset();
    for (const auto& domain : domains)
        domain->stop(goodbye);
    event_timer.cancel();
    print_events();
    context.stop();
}

boost::asio::io_context& Runtime::context() {
    return impl_->context;
}

ServiceStatus Runtime::status() const {
    ServiceStatus status;
    status.version = version();
    status.pid = ::getpid();
    status.uptime = system_now().mono - impl_->started.mono;
    status.store_directory = impl_->config.store.directory;
    status.runtime_directory = impl_->config.store.runtime_directory;
    for (const auto& domain : impl_->domains)
        status.domains.push_back(domain->status());
    return status;
}

std::vector<Event> Runtime::events() const {
    return impl_->events.latest();
}

void Runtime::stop() {
    impl_->stop(impl_->config.shutdown == ShutdownMode::goodbye);
}

void Runtime::stop_goodbye() {
    impl_->stop(true);
}

}  // namespace durability::runtime
