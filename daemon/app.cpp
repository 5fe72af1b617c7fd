#include "daemon/app.hpp"

#include "base/clock.hpp"
#include "control/metrics.hpp"
#include "daemon/control_server.hpp"
#include "daemon/event_followers.hpp"
#include "daemon/event_sink.hpp"
#include "daemon/exit_status.hpp"
#include "daemon/log_setup.hpp"
#include "daemon/metrics_file.hpp"
#include "daemon/notify.hpp"
#include "daemon/reload.hpp"
#include "daemon/supervision.hpp"
#include "durability/version.hpp"
#include "net/asio.hpp"
#include "runtime/runtime.hpp"

#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <tuple>

#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

namespace durability::daemon {
namespace {

using boost::system::error_code;

// How much more time a start that makes progress asks the service manager for.
constexpr auto startup_extension = std::chrono::seconds{60};
constexpr std::size_t most_problems_logged = 50;

// Until the runtime runs there is nothing to take leave of: recovery may be cut off at any point,
// as by SIGKILL, so the process ends at once and as asked.
void end_during_start(int /*signal*/) {
    ::_exit(exit_ok);
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}

void prepare_signals() {
    handle(SIGPIPE, SIG_IGN);
    // Beyond a limit on the size of files a write fails like any other, and the store says so.
    handle(SIGXFSZ, SIG_IGN);
    handle(SIGHUP, SIG_IGN);
    handle(SIGTERM, end_during_start);
    handle(SIGINT, end_during_start);
}

// From here to the end of the process nothing interrupts: everything is committed and only memory
// is given back, so there is nothing that a second SIGTERM could usefully end.
void block_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTERM);
    ::sigaddset(&set, SIGINT);
    ::sigaddset(&set, SIGHUP);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

// Every batch of samples is allocated by one thread and freed by another a moment later. By default
// glibc gives the end of the heap back each time and faults it in again with the next batch, which
// interrupts every processor for the page tables: a fifth of the store thread's time.
void keep_freed_memory() {
    constexpr int kept = 8 << 20;
    constexpr int own_mapping =
        4 << 20;  // larger blocks, such as those of an index, go back at once
    std::ignore = ::mallopt(M_TRIM_THRESHOLD, kept);
    std::ignore = ::mallopt(M_MMAP_THRESHOLD, own_mapping);
}

std::string socket_path(const Config& config) {
    const std::string& socket = config.control.socket;
    return socket.starts_with('/') ? socket : config.store.runtime_directory + "/" + socket;
}

std::string numbers(const std::vector<std::uint32_t>& domains) {
    return fmt::format("{}", fmt::join(domains, ","));
}

class App {
  public:
    App(const Options& options, const config::Loaded& loaded, const EventSink& sink)
        : options_(options), loaded_(loaded), sink_(sink) {}

    int run();

  private:
    Status start();
    void wait_for_signal();
    void on_signal(int signal);
    ReloadVerdict reload();
    ReloadVerdict carry_out(ReloadPlan plan);
    void on_request(const control::Request& request, ControlServer::Answer answer);
    void with_metrics(control::MetricsFormat format, std::function<void(std::string)> done);
    void write_metrics();
    void stop(std::string_view reason, bool goodbye);
    void write(EventKind kind, std::vector<std::pair<std::string_view, std::string>> fields) const;

    const Options& options_;
    config::Loaded loaded_;  // in force
    const EventSink& sink_;
    // Destroyed from the last to the first: the loop outlives what waits on it.
    std::unique_ptr<runtime::Runtime> runtime_;
    std::unique_ptr<boost::asio::signal_set> signals_;
    std::unique_ptr<EventFollowers> followers_;
    std::unique_ptr<ControlServer> control_;
    std::unique_ptr<Supervision> supervision_;
    std::unique_ptr<MetricsFile> metrics_file_;
    control::CounterMemory counters_;
    bool stopping_{false};
    int exit_status_{exit_ok};
};

void App::write(EventKind kind,
                std::vector<std::pair<std::string_view, std::string>> fields) const {
    Event event;
    event.kind = kind;
    event.fields = std::move(fields);
    // So that it is among the latest ones, too.
    if (runtime_) return runtime_->report(std::move(event));
    sink_.write(event);
}

Status App::start() {
    runtime::RuntimeHooks hooks;
    hooks.on_event = [this](const Event& event) {
        sink_.write(event);
        if (followers_) followers_->notify();
    };
    hooks.on_status = [this](std::string_view line) {
        notify_status(line);
        if (supervision_) supervision_->note_progress();
        log(LogLevel::debug, line);
    };
    hooks.extend_startup = [] { notify_extend_startup(startup_extension); };
    hooks.on_failure = [this](const Error& error) {
        log(LogLevel::error, error.text());
        exit_status_ = exit_status(error.code);
        // After the handler that found it.
        boost::asio::post(runtime_->context(), [this] { stop("failure", false); });
    };
    hooks.on_activity = [this] {
        if (supervision_) supervision_->note_activity();
    };
    auto started = runtime::Runtime::start(loaded_.config, std::move(hooks));
    if (!started) return tl::unexpected(started.error());
    runtime_ = *std::move(started);
    signals_ =
        std::make_unique<boost::asio::signal_set>(runtime_->context(), SIGTERM, SIGINT, SIGHUP);
    wait_for_signal();
    followers_ = std::make_unique<EventFollowers>(
        runtime_->context(),
        [this] { return runtime_->events(); },
        std::to_string(system_now().wall.time_since_epoch().count()));
    auto server =
        ControlServer::open(runtime_->context(),
                            socket_path(loaded_.config),
                            [this](const control::Request& request, ControlServer::Answer answer) {
                                on_request(request, std::move(answer));
                            });
    if (!server) return tl::unexpected(server.error());
    control_ = *std::move(server);
    write_metrics();
    return {};
}

void App::with_metrics(control::MetricsFormat format, std::function<void(std::string)> done) {
    runtime_->status([this, format, done = std::move(done)](const ServiceStatus& status) {
        done(control::metrics_text(status, counters_, format));
    });
}

void App::write_metrics() {
    const std::string& path = loaded_.config.metrics.file;
    if (path.empty()) return;
    metrics_file_ = std::make_unique<MetricsFile>(
        runtime_->context(),
        path,
        loaded_.config.metrics.interval,
        [this](auto done) { with_metrics(control::MetricsFormat::prometheus, std::move(done)); },
        [this, path](const Error& error) {
            Event event;
            event.kind = EventKind::MetricsFileFailed;
            event.fields = {{"path", path}, {"reason", error.text()}};
            runtime_->report(std::move(event), path);
        });
}

void App::wait_for_signal() {
    signals_->async_wait([this](error_code error, int signal) {
        if (error) return;
        on_signal(signal);
        if (!stopping_) wait_for_signal();
    });
}

void App::on_signal(int signal) {
    if (signal != SIGHUP) return stop(signal == SIGTERM ? "SIGTERM" : "SIGINT", false);
    const ReloadVerdict verdict = reload();
    // Nobody waits for the verdict.
    for (std::size_t i = 0; i < std::min(verdict.problems.size(), most_problems_logged); ++i) {
        const ReloadProblem& problem = verdict.problems[i];
        std::string_view text = problem.text;
        if (text.ends_with('\n')) text.remove_suffix(1);
        log(problem.is_error ? LogLevel::error : LogLevel::warning, text);
    }
}

ReloadVerdict App::reload() {
    notify_reloading();
    const ReloadVerdict verdict = carry_out(plan_reload(loaded_, sources_of(options_)));
    runtime_->report(reload_event(verdict));
    notify_ready();
    return verdict;
}

ReloadVerdict App::carry_out(ReloadPlan plan) {
    if (!plan.loaded) return std::move(plan.verdict);
    auto topics = runtime_->reload(plan.loaded->config);
    if (!topics) {
        ReloadVerdict refused;
        ReloadProblem& problem = refused.problems.emplace_back();
        problem.message = topics.error().text();
        problem.text = problem.message + "\n";
        return refused;
    }
    plan.verdict.topics = *std::move(topics);
    loaded_ = *std::move(plan.loaded);
    set_log_level(loaded_.config.log.level);
    return std::move(plan.verdict);
}

void App::on_request(const control::Request& request, ControlServer::Answer answer) {
    using control::Command;
    using control::encode_reply;
    const auto outcome = [answer](const auto& result) {
        answer(result ? encode_reply(control::encode_data(*result)) : encode_reply(result.error()));
    };
    if (stopping_)
        return answer(encode_reply(Error{Errc::unavailable, 0, "the daemon is stopping"}));
    switch (request.command) {
        case Command::status:
        case Command::topics:
        case Command::writers:
        case Command::readers:
            return runtime_->status(
                [answer, command = request.command](const ServiceStatus& status) {
                    answer(encode_reply(control::encode_data(command, status)));
                });
        case Command::events:
            return followers_->ask(request, std::move(answer));
        case Command::metrics:
            return with_metrics(request.prometheus ? control::MetricsFormat::prometheus
                                                   : control::MetricsFormat::openmetrics,
                                [answer](const std::string& text) {
                                    answer(encode_reply(control::encode_text(text)));
                                });
        case Command::purge:
            return runtime_->purge(
                request.domain, {request.topic, request.writer, request.instance}, outcome);
        case Command::compact:
            return runtime_->compact(request.domain, request.topic, outcome);
        case Command::instances:
            return runtime_->instances(request.domain, request.topic, outcome);
        case Command::explain:
            return runtime_->explain(request.domain, request.topic, outcome);
        case Command::reload:
            return answer(encode_reply(control::encode_data(reload())));
        case Command::show:
            return runtime_->show(request.domain, request.topic, outcome);
        case Command::stop:
            break;
    }
    // After this turn of the loop, so that the answer is written first.
    boost::asio::post(runtime_->context(),
                      [this, goodbye = request.goodbye] { stop("control socket", goodbye); });
    answer(encode_reply("{}"));
}

void App::stop(std::string_view reason, bool goodbye) {
    if (stopping_) return;
    stopping_ = true;
    notify_stopping();
    write(EventKind::Stopping, {{"reason", std::string(reason)}});
    control_->close();
    supervision_.reset();
    followers_->close();
    if (metrics_file_) metrics_file_->close();
    // The signals stay registered: a second SIGTERM is caught, and finds nothing more to do.
    signals_->cancel();
    if (goodbye) {
        runtime_->stop_goodbye();
    } else {
        runtime_->stop();
    }
}

int App::run() {
    if (auto started = start(); !started) {
        log(LogLevel::error, started.error().text());
        block_signals();
        return exit_status(started.error().code);
    }
    write(EventKind::Ready,
          {{"version", std::string(version())},
           {"domains", numbers(loaded_.config.domains)},
           {"store", loaded_.config.store.directory},
           {"runtime", loaded_.config.store.runtime_directory},
           {"pid", std::to_string(::getpid())}});
    notify_ready();
    supervision_ = std::make_unique<Supervision>(*runtime_);
    runtime_->context().run();
    block_signals();
    return exit_status_;
}

}  // namespace

int run(const Options& options, const config::Loaded& loaded) {
    const EventSink sink;
    log_to_stderr(loaded.config.log.level, sink.journal());
    prepare_signals();
    keep_freed_memory();
    return App(options, loaded, sink).run();
}

}  // namespace durability::daemon
