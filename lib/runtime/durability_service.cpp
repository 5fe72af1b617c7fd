// include/durability/service.hpp: the runtime on a thread of its own, asked from any other.
#include "durability/service.hpp"
#include "net/asio.hpp"
#include "runtime/pending_answer.hpp"
#include "runtime/rule_book.hpp"
#include "runtime/runtime.hpp"
#include "runtime/serve_change.hpp"
#include "runtime/thread_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include <pthread.h>

namespace durability {
namespace {

using runtime::Runtime;
using runtime::ServeChange;

// What a call waits for at most.
constexpr auto patience = std::chrono::seconds{10};
// What could not be done yet is tried again.
constexpr auto retry_after = std::chrono::milliseconds{50};

}  // namespace

class DurabilityService::Impl {
  public:
    explicit Impl(ServiceOptions options)
        : options_(std::move(options)), rules_(options_.config.topics, options_.auto_discovery) {
        options_.config.topics = rules_.rules();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { shutdown(std::nullopt); }

    Status start();
    // `prepare` looks at what there is, and changes nothing. It may outlive the call.
    Status change(std::function<Result<ServeChange>(const Runtime&)> prepare);
    Status change(Result<ServeChange> change);
    Status set_auto_discovery(bool on);
    Result<std::vector<ServedTopic>> served_topics();
    std::vector<Event> events();
    bool is_running();
    void shutdown(std::optional<ShutdownMode> mode);
    [[nodiscard]] std::uint64_t most_type_bytes() const {
        return options_.config.limits.type_bytes;
    }

  private:
    void run(const std::shared_ptr<runtime::PendingAnswer<void>>& started);
    runtime::RuntimeHooks hooks();
    bool put_in_force(runtime::RuleBook rules);
    void again_later(std::function<void()> work);
    void apply(const ServeChange& change, const runtime::Answer<void>& answer);
    void serve_unnamed(bool on, const runtime::Answer<void>& answer);
    [[nodiscard]] bool on_loop() const { return std::this_thread::get_id() == loop_.load(); }
    [[nodiscard]] Error not_running() const;
    // Hands `work` to the loop; false when there is none any more.
    bool post(std::function<void()> work);
    // Runs `work` on the loop and waits for what it answers.
    template <class T>
    Result<T> ask(std::function<void(runtime::Answer<T>)> work);

    ServiceOptions options_;
    // Of the loop.
    runtime::RuleBook rules_;
    std::unique_ptr<Runtime> runtime_;

    std::mutex mutex_;  // guards the three below
    bool running_{false};
    std::optional<Error> failure_;
    std::vector<Event> last_events_;

    std::atomic<std::thread::id> loop_{};
    std::mutex joining_;
    std::thread thread_;
};

Status DurabilityService::Impl::start() {
    auto started = std::make_shared<runtime::PendingAnswer<void>>();
    // Signals are the program's: its own threads get them, not those of the service.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    Status created;
    try {
        thread_ = std::thread([this, started] { run(started); });
    } catch (const std::system_error& error) {
        created = fail(Errc::io, "start the thread of the service", error.code().value());
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!created) return created;
    // Recovery takes as long as it takes.
    return started->wait();
}

runtime::RuntimeHooks DurabilityService::Impl::hooks() {
    runtime::RuntimeHooks hooks;
    hooks.on_event = options_.on_event;
    hooks.on_failure = [this](const Error& error) {
        {
            const std::lock_guard lock(mutex_);
            failure_ = error;
        }
        // After the handler that found it.
        boost::asio::post(runtime_->context(), [this] { runtime_->stop(); });
        if (options_.on_failure) options_.on_failure(error);
    };
    return hooks;
}

// The thread of the service from its beginning to its end.
void DurabilityService::Impl::run(const std::shared_ptr<runtime::PendingAnswer<void>>& started) {
    std::ignore = ::pthread_setname_np(::pthread_self(), "durab-loop");
    loop_ = std::this_thread::get_id();
    auto runtime = Runtime::start(options_.config, hooks());
    if (!runtime) return started->give(tl::unexpected(runtime.error()));
    runtime_ = *std::move(runtime);
    {
        const std::lock_guard lock(mutex_);
        running_ = true;
    }
    started->give({});
    runtime_->context().run();
    {
        const std::lock_guard lock(mutex_);
        running_ = false;
        last_events_ = runtime_->events();
    }
    // Whoever still waits is answered by the end of what was posted.
    runtime_.reset();
    loop_ = std::thread::id{};
}

Error DurabilityService::Impl::not_running() const {
    if (failure_) return {Errc::unavailable, 0, "the service has stopped: " + failure_->text()};
    return {Errc::unavailable, 0, "the service is shut down"};
}

bool DurabilityService::Impl::post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (!running_) return false;
    boost::asio::post(runtime_->context(), std::move(work));
    return true;
}

template <class T>
Result<T> DurabilityService::Impl::ask(std::function<void(runtime::Answer<T>)> work) {
    auto pending = std::make_shared<runtime::PendingAnswer<T>>();
    // Answers by itself when it is dropped without having been called.
    const bool posted =
        post([work = std::move(work), answer = runtime::Answer<T>(pending)] { work(answer); });
    if (!posted) {
        const std::lock_guard lock(mutex_);
        return tl::unexpected(not_running());
    }
    auto answered = pending->wait_for(patience);
    if (answered) return *std::move(answered);
    return fail(Errc::unavailable,
                "the service has not answered within 10 s; what was asked goes on");
}

// Whether that is the end of it: a domain that begins anew takes no other rules for a moment.
bool DurabilityService::Impl::put_in_force(runtime::RuleBook rules) {
    Config config = runtime_->config();
    config.topics = rules.rules();
    if (!runtime_->reload(config)) return false;
    rules_ = std::move(rules);
    return true;
}

void DurabilityService::Impl::again_later(std::function<void()> work) {
    auto timer = std::make_shared<boost::asio::steady_timer>(runtime_->context(), retry_after);
    timer->async_wait(
        [timer, work = std::move(work)](const boost::system::error_code&) { work(); });
}

void DurabilityService::Impl::apply(const ServeChange& change,
                                    const runtime::Answer<void>& answer) {
    runtime::RuleBook changed = rules_;
    bool fits = true;
    for (const TopicRule& rule : change.add)
        fits = fits && changed.add(rule);
    for (const TopicRule& rule : change.widen)
        fits = fits && changed.widen(rule);
    if (!fits) {
        return answer(fail(Errc::resource_limit,
                           fmt::format("serve {}: more than {} topics are named",
                                       change.topic,
                                       runtime::RuleBook::max_added)));
    }
    if (!put_in_force(std::move(changed)))
        return again_later([this, change, answer] { apply(change, answer); });
    if (change.type) runtime_->describe_type(change.topic, *change.type);
    runtime_->when_open(change.topic, answer);
}

void DurabilityService::Impl::serve_unnamed(bool on, const runtime::Answer<void>& answer) {
    std::vector<std::pair<std::string, std::string>> served;
    for (const ServedTopic& topic : runtime::list_served(*runtime_))
        served.emplace_back(topic.topic, topic.type);
    runtime::RuleBook changed = rules_;
    changed.set_serve_unnamed(on, served);
    if (!put_in_force(std::move(changed)))
        return again_later([this, on, answer] { serve_unnamed(on, answer); });
    answer({});
}

Status DurabilityService::Impl::change(std::function<Result<ServeChange>(const Runtime&)> prepare) {
    if (on_loop()) {
        // In a callback, in the middle of whatever the service does: changed after that.
        if (!runtime_) return fail(Errc::unavailable, "the service is being started or ended");
        auto change = prepare(*runtime_);
        if (!change) return tl::unexpected(change.error());
        const runtime::Answer<void> nobody(std::make_shared<runtime::PendingAnswer<void>>());
        if (post([this, change = *std::move(change), nobody] { apply(change, nobody); })) return {};
        return fail(Errc::unavailable, "the service is being started or ended");
    }
    return ask<void>([this, prepare = std::move(prepare)](const runtime::Answer<void>& answer) {
        auto change = prepare(*runtime_);
        if (!change) return answer(tl::unexpected(change.error()));
        apply(*change, answer);
    });
}

Status DurabilityService::Impl::change(Result<ServeChange> change) {
    if (!change) return tl::unexpected(change.error());
    return this->change(
        [change = *std::move(change)](const Runtime&) -> Result<ServeChange> { return change; });
}

Status DurabilityService::Impl::set_auto_discovery(bool on) {
    if (on_loop()) {
        const runtime::Answer<void> nobody(std::make_shared<runtime::PendingAnswer<void>>());
        if (post([this, on, nobody] { serve_unnamed(on, nobody); })) return {};
        return fail(Errc::unavailable, "the service is being started or ended");
    }
    return ask<void>(
        [this, on](const runtime::Answer<void>& answer) { serve_unnamed(on, answer); });
}

Result<std::vector<ServedTopic>> DurabilityService::Impl::served_topics() {
    if (on_loop()) {
        if (runtime_) return runtime::list_served(*runtime_);
        return fail(Errc::unavailable, "the service is being started or ended");
    }
    return ask<std::vector<ServedTopic>>(
        [this](const runtime::Answer<std::vector<ServedTopic>>& answer) {
            answer(runtime::list_served(*runtime_));
        });
}

std::vector<Event> DurabilityService::Impl::events() {
    if (on_loop()) return runtime_ ? runtime_->events() : std::vector<Event>{};
    auto answered = ask<std::vector<Event>>(
        [this](const runtime::Answer<std::vector<Event>>& answer) { answer(runtime_->events()); });
    if (answered) return *std::move(answered);
    const std::lock_guard lock(mutex_);
    return last_events_;
}

bool DurabilityService::Impl::is_running() {
    const std::lock_guard lock(mutex_);
    return running_ && !failure_;
}

void DurabilityService::Impl::shutdown(std::optional<ShutdownMode> mode) {
    const bool goodbye = mode.value_or(options_.config.shutdown) == ShutdownMode::goodbye;
    std::ignore = post([this, goodbye] {
        if (goodbye) return runtime_->stop_goodbye();
        runtime_->stop();
    });
    // Its own end is nothing a thread can wait for.
    if (on_loop()) return;
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
}

// --- the surface ---

DurabilityService::DurabilityService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DurabilityService::DurabilityService(DurabilityService&&) noexcept = default;
DurabilityService& DurabilityService::operator=(DurabilityService&&) noexcept = default;
DurabilityService::~DurabilityService() = default;

Result<DurabilityService> DurabilityService::start() {
    return start(ServiceOptions{});
}

Result<DurabilityService> DurabilityService::start(Config config) {
    ServiceOptions options;
    options.config = std::move(config);
    return start(std::move(options));
}

Result<DurabilityService> DurabilityService::start(ServiceOptions options) {
    if (auto possible = runtime::check_thread_settings(options.config.threads); !possible)
        return tl::unexpected(possible.error());
    if (const std::string problems = runtime::all_problems(check_config(options.config));
        !problems.empty())
        return fail(Errc::configuration, problems);
    auto impl = std::make_unique<Impl>(std::move(options));
    if (auto started = impl->start(); !started) return tl::unexpected(started.error());
    return DurabilityService(std::move(impl));
}

namespace {

Result<Config> config_of(ConfigResult loaded) {
    if (!loaded) return fail(Errc::configuration, runtime::all_problems(loaded.error()));
    return std::move(loaded->config);
}

}  // namespace

Result<DurabilityService> DurabilityService::start_from_file(const std::string& file,
                                                             const std::string& conf_d) {
    auto config = config_of(load_config(file, conf_d));
    if (!config) return tl::unexpected(config.error());
    return start(*std::move(config));
}

Result<DurabilityService> DurabilityService::start_from_text(std::string_view yaml) {
    auto config = config_of(parse_config(yaml));
    if (!config) return tl::unexpected(config.error());
    return start(*std::move(config));
}

Status DurabilityService::serve(const std::string& topic,
                                const std::string& type,
                                KeyedChoice keyed,
                                const ServeOptions& options) {
    return impl_->change(runtime::named_topic(topic, type, keyed, {}, options));
}

Status DurabilityService::serve_typed(const std::string& topic,
                                      const std::string& type,
                                      const TypeDescription& description,
                                      const ServeOptions& options) {
    if (const auto* objects = std::get_if<TypeObjects>(&description)) {
        return impl_->change(
            runtime::described_topic(topic, type, *objects, options, impl_->most_type_bytes()));
    }
    const auto& layout = std::get<KeyLayout>(description);
    if (layout.members.empty()) {
        return fail(Errc::invalid_argument,
                    fmt::format("serve {}: the key layout names no member", topic));
    }
    return impl_->change(
        runtime::named_topic(topic, type, KeyedChoice::yes, layout.members, options));
}

Status DurabilityService::serve_if_stored(const std::string& topic) {
    return impl_->change(
        [topic](const Runtime& runtime) { return runtime::stored_topic(runtime, topic); });
}

Status DurabilityService::serve_discovered(const std::string& topic) {
    return impl_->change(
        [topic](const Runtime& runtime) { return runtime::discovered_topic(runtime, topic); });
}

Status DurabilityService::enable_auto_discovery() {
    return impl_->set_auto_discovery(true);
}

Status DurabilityService::disable_auto_discovery() {
    return impl_->set_auto_discovery(false);
}

Result<ServedTopic> DurabilityService::contract_of(const std::string& topic,
                                                   const std::string& type) const {
    auto topics = impl_->served_topics();
    if (!topics) return tl::unexpected(topics.error());
    const auto found = std::ranges::find_if(*topics, [&](const ServedTopic& one) {
        return one.topic == topic && (type.empty() || one.type == type);
    });
    if (found != topics->end()) return std::move(*found);
    return fail(Errc::not_found, fmt::format("contract of {}: it is not served", topic));
}

Result<std::vector<ServedTopic>> DurabilityService::served_topics() const {
    return impl_->served_topics();
}

std::vector<Event> DurabilityService::events() const {
    return impl_->events();
}

bool DurabilityService::is_running() const {
    return impl_->is_running();
}

void DurabilityService::shutdown() {
    impl_->shutdown(std::nullopt);
}

void DurabilityService::shutdown(ShutdownMode mode) {
    impl_->shutdown(mode);
}

}  // namespace durability
