#include "runtime/runtime.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"
#include "durability/version.hpp"
#include "net/address_watch.hpp"
#include "net/asio.hpp"
#include "runtime/cleanup_thread.hpp"
#include "runtime/descriptor_limit.hpp"
#include "runtime/domain_runtime.hpp"
#include "runtime/thread_settings.hpp"
#include "service/event_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <system_error>
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
    Result<std::unique_ptr<DomainRuntime>> open(std::uint32_t domain, bool new_identity);
    Status reopen(std::unique_ptr<DomainRuntime>& domain);
    void look_at_network();
    void start_cleanup();
    void fit_open_files();
    void report_refusal(const ThreadScheduler::Refusal& refusal);
    void on_turn();
    [[nodiscard]] std::uint64_t activity() const;
    void arm_event_timer();
    void stop(bool goodbye);
    Result<std::vector<DomainRuntime*>> chosen(std::optional<std::uint32_t> domain);

    Config config;
    RuntimeHooks hooks;
    boost::asio::io_context context{1};
    // Between start and the first sockets there may be nothing pending but answers of the store
    // threads.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy{
        context.get_executor()};
    net::ReceiveBuffers buffers;
    service::EventLog events;
    service::RateLimit rate{config.replay.max_rate};
    // A thread of the store that a stuck disk leaves behind may look here once more when it starts;
    // it has started long before.
    ThreadScheduler threads{config.threads, [this](const ThreadScheduler::Refusal& refusal) {
                                boost::asio::post(context,
                                                  [this, refusal] { report_refusal(refusal); });
                            }};
    boost::asio::steady_timer event_timer{context};
    std::unique_ptr<net::AddressWatch> watch;
    std::vector<std::unique_ptr<DomainRuntime>> domains;
    std::unique_ptr<CleanupThread> cleanup;
    Now started{};
    std::uint64_t last_activity{0};
    Duration recovery{};
    bool ready{false};
    bool stopped{false};
};

Runtime::Runtime(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Runtime::~Runtime() {
    if (impl_) impl_->stop(impl_->config.shutdown == ShutdownMode::goodbye);
}

Result<std::unique_ptr<Runtime>> Runtime::start(Config config, RuntimeHooks hooks) {
    if (auto possible = check_thread_settings(config.threads); !possible)
        return tl::unexpected(possible.error());
    auto impl = std::make_unique<Impl>(std::move(config), std::move(hooks));
    Impl& self = *impl;
    self.started = system_now();
    self.fit_open_files();
    // From before the addresses are read, so that no change is missed.
    auto watch = net::AddressWatch::open(self.context, [&self] { self.look_at_network(); });
    if (!watch) return tl::unexpected(watch.error());
    self.watch = std::move(*watch);
    for (const std::uint32_t domain : self.config.domains) {
        auto opened = self.open(domain, false);
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
    while (!self.ready) {
        self.context.run_one();
        for (const auto& domain : self.domains) {
            if (domain->failure()) return tl::unexpected(*domain->failure());
        }
    }
    self.recovery = system_now().mono - self.started.mono;
    self.start_cleanup();
    // Last, so that recovery does not run with the priority of the protocol.
    self.threads.apply(ThreadRole::loop);
    return std::unique_ptr<Runtime>(new Runtime(std::move(impl)));
}

Result<std::unique_ptr<DomainRuntime>> Runtime::Impl::open(std::uint32_t domain,
                                                           bool new_identity) {
    const auto progress = [this](std::string_view text) {
        if (hooks.on_status) hooks.on_status(text);
        if (!ready && hooks.extend_startup) hooks.extend_startup();
    };
    auto opened = DomainRuntime::open(
        context,
        buffers,
        config,
        domain,
        events,
        rate,
        threads,
        [this] { on_turn(); },
        progress,
        new_identity);
    print_events();
    return opened;
}

void Runtime::Impl::start_cleanup() {
    cleanup = std::make_unique<CleanupThread>(
        config.cleanup.interval,
        [this] {
            for (const auto& domain : domains)
                domain->sweep();
        },
        [this] { threads.apply(ThreadRole::cleanup); });
}

void Runtime::Impl::report_refusal(const ThreadScheduler::Refusal& refusal) {
    report(service::make_event(
        EventKind::ThreadSettingRefused,
        {{"thread", std::string(name(refusal.thread))},
         {"wanted", refusal.wanted},
         {"reason", std::system_category().message(refusal.reason)},
         {"cure", "LimitRTPRIO and the sandbox in the unit: see the example realtime.conf"}}));
    print_events();
}

void Runtime::Impl::look_at_network() {
    // Until then the addresses of the start are good enough; afterwards this is called again.
    if (stopped || !ready) return watch->look_again();
    for (auto& domain : domains) {
        if (domain->look_at_network() != NetworkChange::replaced) continue;
        if (auto reopened = reopen(domain); !reopened) {
            if (hooks.on_failure) hooks.on_failure(reopened.error());
            return;
        }
    }
    print_events();
}

// The domain begins anew as other participants; the old ones take leave of whom they can reach.
Status Runtime::Impl::reopen(std::unique_ptr<DomainRuntime>& domain) {
    cleanup.reset();
    const std::uint32_t number = domain->domain();
    domain->stop(true);
    // Answers that were waited for do not come any more; whoever asked is told by its time-out.
    domain.reset();
    auto opened = open(number, true);
    if (!opened) return tl::unexpected(opened.error());
    domain = std::move(*opened);
    domain->start();
    start_cleanup();
    return {};
}

// However many writers there are, the logs leave enough descriptors to everything else.
void Runtime::Impl::fit_open_files() {
    const std::size_t count = config.domains.size();
    const std::uint64_t wanted = config.limits.open_files;
    const std::uint64_t limit = raise_descriptor_limit(descriptors_wanted(wanted, count));
    const std::uint64_t fitting = affordable_open_files(wanted, count, limit);
    if (fitting == wanted) return;
    config.limits.open_files = fitting;
    report(service::make_event(
        EventKind::ResourceLimit,
        {{"limit", "file descriptors of the process"},
         {"value", std::to_string(limit)},
         {"effect",
          fmt::format("{} log files of a domain are held open instead of {}", fitting, wanted)}}));
}

void Runtime::Impl::on_turn() {
    if (!ready && !domains.empty()) {
        ready = true;
        for (const auto& domain : domains)
            ready = ready && domain->serving();
    }
    print_events();
    arm_event_timer();
    if (!ready || !hooks.on_activity) return;
    if (std::exchange(last_activity, activity()) != last_activity) hooks.on_activity();
}

std::uint64_t Runtime::Impl::activity() const {
    std::uint64_t sum = 0;
    for (const auto& domain : domains)
        sum += domain ? domain->activity() : 0;
    return sum;
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
    if (watch) watch->close();
    for (const auto& domain : domains) {
        if (domain) domain->stop(goodbye);
    }
    event_timer.cancel();
    print_events();
    context.stop();
}

boost::asio::io_context& Runtime::context() {
    return impl_->context;
}

namespace {

// The domains' answers to one question, and what becomes of them when the last one is in.
template <class Sum>
struct Gathered {
    Sum sum{};
    std::optional<Error> error;
    std::size_t open{0};
};

template <class Outcome>
auto gather(std::size_t domains, std::function<void(Result<Outcome>)> done) {
    auto gathered = std::make_shared<Gathered<Outcome>>();
    gathered->open = domains;
    return [gathered, done = std::move(done)](const Result<Outcome>& one) {
        if (one) gathered->sum += *one;
        if (!one && !gathered->error) gathered->error = one.error();
        if (--gathered->open > 0) return;
        if (gathered->error) return done(tl::unexpected(*gathered->error));
        done(gathered->sum);
    };
}

// A sum over no group means that nothing of that name is stored.
template <class Outcome>
std::function<void(Result<Outcome>)> or_not_found(std::string_view what,
                                                  const std::string& topic,
                                                  std::function<void(Result<Outcome>)> done) {
    return [what = std::string(what), topic, done = std::move(done)](Result<Outcome> outcome) {
        if (!outcome || outcome->groups > 0 || topic.empty()) return done(std::move(outcome));
        done(fail(Errc::not_found,
                  fmt::format("{} {}: no such topic is stored; 'durabilityctl topics' lists them",
                              what,
                              quote_if_needed(topic))));
    };
}

// With the names that may have been meant.
Error not_known(std::string text, const std::vector<std::string>& near) {
    std::vector<std::string> names;
    for (const std::string& name : near)
        names.push_back(quote_if_needed(name));
    if (!names.empty()) text += fmt::format("; did you mean {}?", fmt::join(names, " or "));
    return Error{Errc::not_found, 0, std::move(text)};
}

Error unknown_topic(const std::string& topic, const Explanation& explanation) {
    std::string text =
        not_known(fmt::format(
                      "explain {}: nobody writes or reads such a topic, and nothing of it is kept",
                      quote_if_needed(topic)),
                  explanation.near)
            .detail;
    for (const TopicExplanation& one : explanation.topics) {
        for (const std::string& remark : one.remarks)
            text += fmt::format("; in domain {} {}", one.domain, remark);
    }
    return Error{Errc::not_found, 0, std::move(text)};
}

// A topic that no domain has anything of: most likely another one was meant.
std::function<void(Result<Explanation>)> or_near_topics(
    const std::string& topic, std::function<void(Result<Explanation>)> done) {
    return [topic, done = std::move(done)](Result<Explanation> outcome) {
        if (!outcome) return done(std::move(outcome));
        Error unknown = unknown_topic(topic, *outcome);
        std::erase_if(outcome->topics, [](const auto& one) { return one.is_unknown(); });
        if (!outcome->topics.empty()) return done(std::move(outcome));
        done(tl::unexpected(std::move(unknown)));
    };
}

}  // namespace

Result<std::vector<DomainRuntime*>> Runtime::Impl::chosen(std::optional<std::uint32_t> domain) {
    std::vector<DomainRuntime*> result;
    for (const auto& one : domains) {
        if (!domain || one->domain() == *domain) result.push_back(one.get());
    }
    if (!result.empty()) return result;
    return fail(
        Errc::not_found,
        fmt::format(
            "domain {}: this daemon serves domain {}", *domain, fmt::join(config.domains, ", ")));
}

void Runtime::status(std::function<void(ServiceStatus)> done) {
    auto gathered = std::make_shared<Gathered<ServiceStatus>>();
    ServiceStatus& status = gathered->sum;
    status.version = version();
    status.pid = ::getpid();
    status.uptime = system_now().mono - impl_->started.mono;
    status.store_directory = impl_->config.store.directory;
    status.runtime_directory = impl_->config.store.runtime_directory;
    status.sync = impl_->config.store.sync;
    status.sync_interval = impl_->config.store.sync_interval;
    status.network_lease = impl_->config.network_lease;
    status.started = impl_->started.wall.time_since_epoch();
    status.recovery = impl_->recovery;
    status.config_in_force = !impl_->events.config_rejected();
    for (std::size_t i = 0; i < event_kind_count; ++i) {
        status.events.push_back(
            {std::string(name(static_cast<EventKind>(i))), impl_->events.counts()[i]});
    }
    status.domains.resize(impl_->domains.size());
    gathered->open = impl_->domains.size();
    for (std::size_t i = 0; i < impl_->domains.size(); ++i) {
        impl_->domains[i]->status([gathered, done, i](DomainStatus one) {
            gathered->sum.domains[i] = std::move(one);
            if (--gathered->open == 0) done(std::move(gathered->sum));
        });
    }
}

void Runtime::purge(std::optional<std::uint32_t> domain,
                    const PurgeRequest& request,
                    std::function<void(Result<PurgeOutcome>)> done) {
    const auto domains = impl_->chosen(domain);
    if (!domains) return done(tl::unexpected(domains.error()));
    const auto add = gather<PurgeOutcome>(domains->size(),
                                          or_not_found("purge", request.topic, std::move(done)));
    for (DomainRuntime* const one : *domains)
        one->purge(request, add);
}

void Runtime::compact(std::optional<std::uint32_t> domain,
                      const std::string& topic,
                      std::function<void(Result<CompactionOutcome>)> done) {
    const auto domains = impl_->chosen(domain);
    if (!domains) return done(tl::unexpected(domains.error()));
    const auto add =
        gather<CompactionOutcome>(domains->size(), or_not_found("compact", topic, std::move(done)));
    for (DomainRuntime* const one : *domains)
        one->compact(topic, add);
}

void Runtime::instances(std::optional<std::uint32_t> domain,
                        const std::string& topic,
                        std::function<void(Result<InstanceList>)> done) {
    const auto domains = impl_->chosen(domain);
    if (!domains) return done(tl::unexpected(domains.error()));
    const auto add =
        gather<InstanceList>(domains->size(), or_not_found("instances", topic, std::move(done)));
    for (DomainRuntime* const one : *domains)
        one->instances(topic, add);
}

void Runtime::explain(std::optional<std::uint32_t> domain,
                      const std::string& topic,
                      std::function<void(Result<Explanation>)> done) {
    const auto domains = impl_->chosen(domain);
    if (!domains) return done(tl::unexpected(domains.error()));
    const auto add = gather<Explanation>(domains->size(), or_near_topics(topic, std::move(done)));
    for (DomainRuntime* const one : *domains)
        one->explain(topic, add);
}

const Config& Runtime::config() const {
    return impl_->config;
}

Result<std::vector<TopicEffect>> Runtime::reload(const Config& config) {
    for (const auto& domain : impl_->domains) {
        if (!domain->serving()) {
            return fail(Errc::unavailable,
                        fmt::format("domain {} begins anew just now; reload again when it serves",
                                    domain->domain()));
        }
    }
    // As many as the process may have.
    const std::uint64_t open_files = impl_->config.limits.open_files;
    impl_->config = config;
    impl_->config.limits.open_files = open_files;
    if (impl_->rate.rate() != config.replay.max_rate) impl_->rate.set_rate(config.replay.max_rate);
    if (impl_->cleanup) impl_->cleanup->set_interval(config.cleanup.interval);
    std::vector<TopicEffect> effects;
    for (const auto& domain : impl_->domains) {
        auto more = domain->reload(impl_->config);
        std::move(more.begin(), more.end(), std::back_inserter(effects));
    }
    return effects;
}

void Runtime::ask_pulses() {
    for (const auto& domain : impl_->domains) {
        if (domain && domain->has_pulse()) domain->ask_pulse();
    }
    if (impl_->cleanup && impl_->cleanup->has_pulse()) impl_->cleanup->ask_pulse();
}

std::vector<std::string> Runtime::silent_threads() const {
    std::vector<std::string> names;
    for (const auto& domain : impl_->domains) {
        if (domain && !domain->has_pulse())
            names.push_back(fmt::format("durab-store of domain {}", domain->domain()));
    }
    if (impl_->cleanup && !impl_->cleanup->has_pulse()) names.emplace_back("durab-cleanup");
    return names;
}

std::uint64_t Runtime::activity() const {
    return impl_->activity();
}

void Runtime::summary(std::function<void(const Summary&)> done) {
    auto gathered = std::make_shared<Gathered<Summary>>();
    gathered->open = impl_->domains.size();
    for (const auto& domain : impl_->domains) {
        domain->summary([gathered, done](const Summary& one) {
            gathered->sum += one;
            if (--gathered->open == 0) done(gathered->sum);
        });
    }
}

void Runtime::describe_type(const std::string& topic, const service::TypeGiven& given) {
    for (const auto& domain : impl_->domains)
        domain->describe_type(topic, given);
}

void Runtime::when_open(const std::string& topic, std::function<void(Status)> done) {
    struct Waiting {
        std::function<void(Status)> done;
        Status outcome;
        std::size_t open{0};
    };
    auto waiting = std::make_shared<Waiting>();
    waiting->done = std::move(done);
    waiting->open = impl_->domains.size();
    for (const auto& domain : impl_->domains) {
        domain->when_open(topic, [waiting](const Status& one) {
            if (!one) waiting->outcome = one;
            if (--waiting->open == 0) waiting->done(waiting->outcome);
        });
    }
}

std::vector<const service::DomainService*> Runtime::services() const {
    std::vector<const service::DomainService*> result;
    for (const auto& domain : impl_->domains) {
        // Not while it begins anew (reopen()).
        if (domain) result.push_back(&domain->service());
    }
    return result;
}

std::vector<Event> Runtime::events() const {
    return impl_->events.latest();
}

void Runtime::report(Event event, std::string_view subject) {
    if (subject.empty()) {
        impl_->report(std::move(event));
    } else {
        impl_->events.report(std::move(event), subject, system_now());
    }
    impl_->print_events();
    impl_->arm_event_timer();
}

void Runtime::show(std::optional<std::uint32_t> domain,
                   const std::string& topic,
                   std::function<void(Result<Shown>)> done) {
    const auto domains = impl_->chosen(domain);
    if (!domains) return done(tl::unexpected(domains.error()));
    const auto add =
        gather<Shown>(domains->size(), [topic, done = std::move(done)](Result<Shown> outcome) {
            if (!outcome) return done(std::move(outcome));
            std::erase_if(outcome->topics, [](const auto& one) { return one.groups.empty(); });
            if (!outcome->topics.empty()) return done(std::move(outcome));
            done(tl::unexpected(
                not_known(fmt::format("show {}: nothing of such a topic is served or kept",
                                      quote_if_needed(topic)),
                          outcome->near)));
        });
    for (DomainRuntime* const one : *domains)
        one->show(topic, add);
}

void Runtime::stop() {
    impl_->stop(impl_->config.shutdown == ShutdownMode::goodbye);
}

void Runtime::stop_goodbye() {
    impl_->stop(true);
}

}  // namespace durability::runtime
