// The control socket's server: one JSON request and one reply per line (control/protocol.hpp),
// answered on the loop from the handler's snapshot. Bounded: clients, bytes of a request, time a
// client may idle. Belongs to the loop thread.
#pragma once

#include "control/protocol.hpp"

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
    // Gives the line of the reply, without its end.
    using Handler = std::function<std::string(const control::Request&)>;

    // Replaces a socket file that a dead daemon left behind: whoever holds the lease of the runtime
    // directory owns the name. Errors: invalid_argument (path too long), permission, io.
    static Result<std::unique_ptr<ControlServer>> open(boost::asio::io_context& context,
                                                       const std::string& path,
                                                       Handler handler);
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
