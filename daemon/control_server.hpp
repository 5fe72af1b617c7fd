// The control socket's server: one JSON request and one reply per line (control/protocol.hpp),
// answered on the loop, at once or later. Bounded: clients, bytes of a request, time a client may
// idle, time an answer may take. Belongs to the loop thread.
#pragma once

#include "control/protocol.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace durability::daemon {

class ControlServer {
  public:
    static constexpr std::size_t max_clients = 16;
    static constexpr std::chrono::milliseconds answer_time{30'000};
    // A client that neither asks nor reads for so long is let go; a request, and the reading of a
    // reply, may take as long.
    static constexpr std::chrono::milliseconds idle_time{30'000};
    // Octets of replies a second, over all clients; beyond them the next question waits. Making
    // replies takes the loop's time, and what clients ask for must not take it from the protocol.
    static constexpr std::size_t reply_rate = 8U << 20U;
    struct Times {
        std::chrono::milliseconds answer{answer_time};
        std::chrono::milliseconds idle{idle_time};
    };
    // Takes the line of the reply, without its end; once, on the loop. Whoever holds it may let it
    // go or be late: a client whose answer does not come within the answer time was told so, and
    // one that has gone misses nothing.
    using Answer = std::function<void(std::string)>;
    using Handler = std::function<void(const control::Request&, Answer)>;

    // Replaces a socket file that a dead daemon left behind: whoever holds the lease of the runtime
    // directory owns the name. Errors: invalid_argument (path too long), permission, io.
    static Result<std::unique_ptr<ControlServer>> open(boost::asio::io_context& context,
                                                       const std::string& path,
                                                       Handler handler,
                                                       Times times);
    static Result<std::unique_ptr<ControlServer>> open(boost::asio::io_context& context,
                                                       const std::string& path,
                                                       Handler handler) {
        return open(context, path, std::move(handler), Times{});
    }
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;
    ~ControlServer();

    // Ends all clients and removes the socket file; the loop has nothing left to do for it then.
    void close();

  private:
    struct Impl;
    explicit ControlServer(std::shared_ptr<Impl> impl);
    // Shared with completion handlers that the loop has not run yet when the server goes.
    std::shared_ptr<Impl> impl_;
};

}  // namespace durability::daemon
