#include "runtime/domain_runtime.hpp"

#include "base/clock.hpp"
#include "service/key_finders.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace durability::runtime {
namespace {

// Batches read from one socket before the others, the store and the timers get their turn.
constexpr int max_receive_batches = 8;

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

std::chrono::steady_clock::time_point to_steady(MonoTime time) {
    return std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(time.time_since_epoch()));
}

}  // namespace

DomainRuntime::DomainRuntime(boost::asio::io_context& context,
                             net::ReceiveBuffers& buffers,
                             service::EventLog& events,
                             std::uint32_t domain,
                             std::function<void()> on_turn)
    : context_(context),
      buffers_(buffers),
      events_(events),
      on_turn_(std::move(on_turn)),
      timer_(context),
      requests_([this](store::Command& command) {
          return !stopped_ && store_ && store_->submit(command);
      }),
      domain_(domain) {}

DomainRuntime::~DomainRuntime() {
    stop(false);
    *alive_ = false;
}

Result<std::unique_ptr<DomainRuntime>> DomainRuntime::open(
    boost::asio::io_context& context,
    net::ReceiveBuffers& buffers,
    const Config& config,
    std::uint32_t domain,
    service::EventLog& events,
    service::RateLimit& rate,
    const ThreadScheduler& threads,
    std::function<void()> on_turn,
    const std::function<void(std::string_view)>& progress,
    bool new_identity) {
    std::unique_ptr<DomainRuntime> runtime(
        new DomainRuntime(context, buffers, events, domain, std::move(on_turn)));
    runtime->progress_ = progress;
    const Now now = system_now();

    store::StoreOptions store_options;
    store_options.disk_directory = fmt::format("{}/{}", config.store.directory, domain);
    store_options.memory_directory = fmt::format("{}/{}", config.store.runtime_directory, domain);
    store_options.sync = config.store.sync;
    store_options.limits = config.limits;
    store_options.load_later = true;
    store_options.key_finders = service::key_finders(config);
    std::vector<store::Completion> recovered;
    auto store = store::Store::open(runtime->files_, store_options, now.wall, recovered, progress);
    for (store::Completion& completion : recovered) {
        if (auto* event = std::get_if<store::StoreEvent>(&completion)) {
            events.report_always(std::move(event->event), now);
        }
    }
    if (!store) {
        Error error = std::move(store.error());
        // A path that leads nowhere: to whoever started us, trouble of the store like any other.
        if (error.code == Errc::not_found) error.code = Errc::io;
        return tl::unexpected(std::move(error));
    }

    service::DomainOptions options;
    options.domain = domain;
    options.config = config;
    options.host_name = host_name();
    options.groups = (*store)->groups();
    for (const store::RecordKind kind : {store::RecordKind::identity,
                                         store::RecordKind::peer,
                                         store::RecordKind::frontier,
                                         store::RecordKind::counter}) {
        auto records = (*store)->records(kind);
        std::move(records.begin(), records.end(), std::back_inserter(options.records));
    }
    if (auto chosen = runtime->choose_identity(options, new_identity); !chosen)
        return tl::unexpected(chosen.error());
    auto announce_to = announce_locators(config.network, domain, runtime->sockets_.port_base);
    if (!announce_to) return tl::unexpected(announce_to.error());
    options.announce_to = std::move(*announce_to);

    // The identity is on disk before anybody hears of it.
    const auto save = [&store](Buffer key, Buffer value) {
        std::vector<store::Completion> saved;
        (*store)->execute(
            store::SaveRecord{
                0, store::RecordKind::identity, std::move(key), std::move(value), true},
            saved);
    };
    for (const service::Side side : {service::Side::ingest, service::Side::replay}) {
        save(service::identity_key(side),
             service::encode(options.sides[static_cast<std::size_t>(side)].identity));
    }
    save(service::addresses_key(), service::encode(runtime->known_addresses_));
    runtime->service_ = std::make_unique<service::DomainService>(std::move(options), events, rate);

    store::StoreThreadOptions thread_options;
    thread_options.sync = config.store.sync;
    thread_options.sync_interval = config.store.sync_interval;
    thread_options.queue_bytes = config.limits.uncommitted_bytes;
    thread_options.on_start = [&threads](store::StoreThreadRole role) {
        threads.apply(role == store::StoreThreadRole::store ? ThreadRole::store : ThreadRole::sync);
    };
    DomainRuntime* self = runtime.get();
    auto alive = runtime->alive_;
    runtime->store_ =
        store::StoreThread::start(std::move(*store),
                                  thread_options,
                                  [self, alive](std::vector<store::Completion> completions) {
                                      self->deliver(std::move(completions));
                                  });
    return runtime;
}

void DomainRuntime::start() {
    service_->start(system_now());
    turn();
}

void DomainRuntime::listen() {
    listening_ = true;
    static constexpr std::array both{service::Side::ingest, service::Side::replay};
    for (const service::Side side : both) {
        SideSockets& sockets = sockets_.sides[static_cast<std::size_t>(side)];
        const auto one =
            std::span<const service::Side>(both).subspan(static_cast<std::size_t>(side), 1);
        for (net::UdpSocket* socket : {sockets.metatraffic.get(), sockets.user.get()}) {
            socket->wait_readable([this, socket, one] { on_readable(*socket, one); });
        }
    }
    if (sockets_.multicast) {
        net::UdpSocket* socket = sockets_.multicast.get();
        socket->wait_readable([this, socket] { on_readable(*socket, both); });
    }
}

void DomainRuntime::on_readable(net::UdpSocket& socket, std::span<const service::Side> sides) {
    for (int batch = 0; batch < max_receive_batches; ++batch) {
        const Now now = system_now();
        const std::size_t received =
            socket.receive(buffers_, [&](ByteView datagram, const Locator& from) {
                for (const service::Side side : sides)
                    service_->receive(side, datagram, from, now);
            });
        if (received < net::ReceiveBuffers::count) break;
    }
    // Readable also means that an error waits; the socket sends for one side only.
    socket.receive_errors([&](const Locator& nobody_there) {
        for (const service::Side side : sides)
            service_->unreachable(side, nobody_there, system_now());
    });
    turn();
}

// On the store thread.
void DomainRuntime::deliver(std::vector<store::Completion> completions) {
    boost::asio::post(context_, [this, alive = alive_, batch = std::move(completions)]() mutable {
        if (!*alive) return;
        const Now now = system_now();
        for (store::Completion& completion : batch) {
            if (const auto* load = std::get_if<store::LoadProgress>(&completion)) {
                note(*load);
                continue;
            }
            if (!requests_.complete(completion)) service_->complete(std::move(completion), now);
        }
        turn();
    });
}

void DomainRuntime::note(const store::LoadProgress& load) {
    if (!load.status) {
        failure_ = load.status.error();
        return;
    }
    progress_(fmt::format("domain {}: {} of {} topics read", domain_, load.loaded, load.groups));
}

// After any input: lets the service act, then hands over what it has to say.
void DomainRuntime::turn() {
    if (stopped_) return;
    service_->turn(system_now());
    submit_commands();
    transmit();
    if (service_->announced() && !listening_) listen();
    arm_timer();
    answer_open();
    on_turn_();
}

void DomainRuntime::submit_commands() {
    while (store::Command* command = service_->front_command()) {
        if (!store_->submit(*command)) {
            service_->set_store_blocked(true);
            return;
        }
        service_->pop_command();
    }
    service_->set_store_blocked(false);
}

void DomainRuntime::transmit() {
    for (const service::Side side : {service::Side::ingest, service::Side::replay}) {
        net::UdpSocket& socket = *sockets_.sides[static_cast<std::size_t>(side)].user;
        bool more = true;
        while (more) {
            transmits_.clear();
            outgoing_.clear();
            while (transmits_.size() < 64) {
                auto transmit = service_->next_transmit(side);
                more = transmit.has_value();
                if (!more) break;
                transmits_.push_back(std::move(*transmit));
            }
            for (const rtps::Transmit& transmit : transmits_) {
                for (const Locator& to : transmit.to) {
                    if (!to.is_multicast()) {
                        outgoing_.push_back({transmit.datagram, to, nullptr});
                        continue;
                    }
                    for (const net::Interface& interface : sockets_.interfaces) {
                        outgoing_.push_back({transmit.datagram, to, &interface});
                    }
                }
            }
            datagrams_sent_ += socket.send(outgoing_);
        }
    }
}

void DomainRuntime::arm_timer() {
    const MonoTime due = service_->next_deadline();
    if (due == MonoTime::max()) {
        timer_.cancel();
        return;
    }
    timer_.expires_at(to_steady(due));
    timer_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
        if (!error && *alive) turn();
    });
}

void DomainRuntime::sweep() {
    const Now now = system_now();
    store::Command command = store::Sweep{now.wall, now.mono};
    // Refused only after stop(): then there is nothing left to sweep.
    std::ignore = store_->submit(command);
}

void DomainRuntime::stop(bool goodbye) {
    if (stopped_ || !store_) return;
    if (service_->announced()) {
        service_->turn(system_now());
        submit_commands();
        if (goodbye) service_->goodbye();
        transmit();
    }
    stopped_ = true;
    answer_open();
    timer_.cancel();
    for (SideSockets& side : sockets_.sides) {
        side.metatraffic->close();
        side.user->close();
    }
    if (sockets_.multicast) sockets_.multicast->close();
    // False means that the disk did not answer in time; what was acknowledged is safe all the same.
    std::ignore = store_->stop();
}

}  // namespace durability::runtime
