#include "daemon/control_server.hpp"

#include "base/clock.hpp"
#include "net/asio.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace durability::daemon {
namespace {

namespace asio = boost::asio;
using Protocol = asio::local::stream_protocol;
using boost::system::error_code;

// When the next question may be answered, by what the answers so far were worth.
class Pace {
  public:
    [[nodiscard]] Duration wait(MonoTime now) const {
        return std::max(Duration::zero(), paid_until_ - now);
    }
    void spend(std::size_t octets, MonoTime now) {
        // Also an answer of no length is work.
        constexpr std::size_t least = 4'096;
        const double seconds =
            static_cast<double>(octets + least) / static_cast<double>(ControlServer::reply_rate);
        paid_until_ = std::max(paid_until_, now - credit) +
                      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    }

  private:
    // A few questions in a row, as of a script, wait for nothing.
    static constexpr Duration credit = std::chrono::milliseconds{250};
    MonoTime paid_until_{};
};

class Session;
using Sessions = std::set<std::shared_ptr<Session>>;

// One client. Its requests are answered one after the other, so it holds one reply at most.
class Session : public std::enable_shared_from_this<Session> {
  public:
    Session(asio::io_context& context,
            const ControlServer::Handler& handler,
            ControlServer::Times times,
            Pace& pace,
            Sessions& sessions)
        : socket_(context),
          timer_(context),
          handler_(handler),
          times_(times),
          pace_(pace),
          sessions_(sessions) {}

    Protocol::socket& socket() { return socket_; }

    void read() {
        watch();
        asio::async_read_until(socket_,
                               asio::dynamic_buffer(input_, control::largest_request),
                               '\n',
                               [self = shared_from_this()](error_code error, std::size_t length) {
                                   if (error) return self->refuse_or_end(error);
                                   self->answer(length);
                               });
    }

    // Answers with an error and ends: for clients beyond the limit.
    void turn_away(const Error& error) {
        last_ = true;
        write(control::encode_reply(error));
    }

    void end() {
        if (std::exchange(ended_, true)) return;
        error_code ignored;
        timer_.cancel();
        socket_.close(ignored);
        sessions_.erase(shared_from_this());
    }

  private:
    void watch() {
        timer_.expires_after(times_.idle);
        timer_.async_wait([weak = weak_from_this()](error_code error) {
            const auto self = weak.lock();
            if (!error && self) self->end();
        });
    }

    void refuse_or_end(error_code error) {
        if (error != asio::error::not_found) return end();
        // The buffer is full and there was no end of line.
        turn_away(Error{Errc::invalid_argument, 0, "the request is too long"});
    }

    void answer(std::size_t length) {
        const Duration wait = pace_.wait(system_now().mono);
        if (wait > Duration::zero()) {
            timer_.expires_after(wait);
            timer_.async_wait([self = shared_from_this(), length](error_code error) {
                if (!error && !self->ended_) self->answer(length);
            });
            return;
        }
        const std::string line = input_.substr(0, length - 1);
        input_.erase(0, length);
        const auto request = control::decode_request(line);
        if (!request) return write(control::encode_reply(request.error()));
        const std::uint64_t number = ++asked_;
        timer_.expires_after(times_.answer);
        timer_.async_wait([weak = weak_from_this(), number](error_code error) {
            const auto self = weak.lock();
            if (error || !self) return;
            self->finish(number,
                         control::encode_reply(
                             Error{Errc::unavailable,
                                   0,
                                   "the store did not answer in time; it may still carry it out"}));
        });
        handler_(*request, [weak = weak_from_this(), number](std::string reply) {
            if (const auto self = weak.lock()) self->finish(number, std::move(reply));
        });
    }

    // The first answer to the question of that number is the one that is given.
    void finish(std::uint64_t number, std::string reply) {
        if (ended_ || number != asked_ || number == answered_) return;
        answered_ = number;
        write(std::move(reply));
    }

    void write(std::string line) {
        // Those that are turned away cost little, and do not make others wait.
        if (!last_) pace_.spend(line.size(), system_now().mono);
        watch();
        output_ = std::move(line);
        output_ += '\n';
        asio::async_write(socket_,
                          asio::buffer(output_),
                          [self = shared_from_this()](error_code error, std::size_t /*length*/) {
                              if (error || self->last_) return self->end();
                              self->output_ = {};
                              self->read();
                          });
    }

    Protocol::socket socket_;
    asio::steady_timer timer_;
    const ControlServer::Handler& handler_;  // of Impl, which outlives its sessions
    ControlServer::Times times_;
    Pace& pace_;  // of Impl, as the two beside it
    Sessions& sessions_;
    std::string input_;
    std::string output_;
    std::uint64_t asked_{0};
    std::uint64_t answered_{0};
    bool last_{false};
    bool ended_{false};
};

}  // namespace

struct ControlServer::Impl : std::enable_shared_from_this<ControlServer::Impl> {
    Impl(asio::io_context& io, std::string socket_path, Handler on_request, Times its_times)
        : context(io),
          acceptor(io),
          path(std::move(socket_path)),
          handler(std::move(on_request)),
          times(its_times) {}

    Status listen();
    void accept();
    void close();

    asio::io_context& context;
    Protocol::acceptor acceptor;
    std::string path;
    Handler handler;
    Times times;
    Pace pace;
    Sessions sessions;
    bool closed{false};
};

Status ControlServer::Impl::listen() {
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        return fail(Errc::invalid_argument,
                    fmt::format("control.socket {}: the path is longer than {} bytes",
                                path,
                                sizeof(sockaddr_un::sun_path) - 1));
    }
    struct stat status {};
    const bool exists = ::lstat(path.c_str(), &status) == 0;
    if (exists && !S_ISSOCK(status.st_mode)) {
        return fail(Errc::io, fmt::format("control.socket {}: something else has this name", path));
    }
    if (exists) ::unlink(path.c_str());
    const auto failed = [this](const error_code& error) {
        const Errc code =
            error == boost::system::errc::permission_denied ? Errc::permission : Errc::io;
        return fail(code, fmt::format("listen on {}", path), error.value());
    };
    error_code error;
    acceptor.open(Protocol(), error);
    if (error) return failed(error);
    acceptor.bind(Protocol::endpoint(path), error);
    if (error) return failed(error);
    // The group may use it. Until this call the process's own mask protects the name.
    if (::chmod(path.c_str(), 0660) != 0)
        return fail(Errc::io, fmt::format("chmod {}", path), errno);
    acceptor.listen(static_cast<int>(max_clients), error);
    if (error) return failed(error);
    return {};
}

void ControlServer::Impl::accept() {
    auto session = std::make_shared<Session>(context, handler, times, pace, sessions);
    acceptor.async_accept(
        session->socket(), [self = shared_from_this(), session](error_code error) {
            if (self->closed || error == asio::error::operation_aborted) return;
            if (!error) {
                const bool full = self->sessions.size() >= max_clients;
                self->sessions.insert(session);
                if (full) {
                    session->turn_away(
                        Error{Errc::unavailable, 0, "too many clients of the control socket"});
                } else {
                    session->read();
                }
                return self->accept();
            }
            // Out of descriptors, most likely: accepting again at once would spin.
            auto timer =
                std::make_shared<asio::steady_timer>(self->context, std::chrono::seconds{1});
            timer->async_wait([self, timer](error_code /*ignored*/) {
                if (!self->closed) self->accept();
            });
        });
}

void ControlServer::Impl::close() {
    if (closed) return;
    closed = true;
    error_code ignored;
    acceptor.close(ignored);
    const Sessions ending = sessions;
    for (const auto& session : ending)
        session->end();
    ::unlink(path.c_str());
}

Result<std::unique_ptr<ControlServer>> ControlServer::open(asio::io_context& context,
                                                           const std::string& path,
                                                           Handler handler,
                                                           Times times) {
    auto impl = std::make_shared<Impl>(context, path, std::move(handler), times);
    if (auto listening = impl->listen(); !listening) return tl::unexpected(listening.error());
    impl->accept();
    return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

ControlServer::ControlServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
ControlServer::~ControlServer() {
    close();
}
void ControlServer::close() {
    impl_->close();
}

}  // namespace durability::daemon
