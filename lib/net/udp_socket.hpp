// Non-blocking UDP sockets that read and write many datagrams with one system call. Used by the
// loop thread only.
#pragma once

#include "base/bytes.hpp"
#include "base/unique_fd.hpp"
#include "durability/error.hpp"
#include "model/locator.hpp"
#include "net/asio.hpp"
#include "net/interfaces.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace durability::net {

// Room for a batch of datagrams of any size; shared by all sockets of a loop, since only one is
// read at a time.
class ReceiveBuffers {
  public:
    static constexpr std::size_t count = 64;
    static constexpr std::size_t datagram = 65'536;
    ReceiveBuffers();
    [[nodiscard]] std::uint8_t* at(std::size_t i) { return memory_.get() + i * datagram; }

  private:
    // Not cleared: pages that no datagram ever filled cost nothing.
    std::unique_ptr<std::uint8_t[]> memory_;
};

class UdpSocket {
  public:
    // Bound to every address, without SO_REUSEADDR, so that no other process shares the port
    // silently. `port` 0 lets the system choose. Errors: unavailable (port taken; named), io.
    static Result<UdpSocket> unicast(boost::asio::io_context& context, std::uint16_t port);
    // For a multicast group, shared with other processes of the host. Join with join().
    static Result<UdpSocket> multicast(boost::asio::io_context& context, std::uint16_t port);

    // Joins `group` (host byte order) on an interface; joining twice is fine. Errors: io.
    Status join(std::uint32_t group, const Interface& interface);

    // Leaves it again; an interface that is gone, too.
    void leave(std::uint32_t group, const Interface& interface);

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // Octets the kernel granted for receiving.
    [[nodiscard]] std::size_t receive_buffer() const { return receive_buffer_; }

    // Calls `ready` on the loop thread each time there is something to read, until close().
    void wait_readable(std::function<void()> ready);
    // Reads at most ReceiveBuffers::count datagrams; `take` sees each with the address it came
    // from, valid until it returns. The number read; 0 when there was nothing.
    std::size_t receive(ReceiveBuffers& buffers,
                        const std::function<void(ByteView, const Locator&)>& take);
    // Reads what the network reported about datagrams sent from here; `take` sees each address
    // where nobody listens (ICMP port unreachable): the process that announced it is dead.
    void receive_errors(const std::function<void(const Locator&)>& take);
    void close();

    struct Outgoing {
        ByteView datagram;
        Locator to;
        const Interface* interface {
            nullptr
        };  // multicast: the one it leaves by; null: the routing table
    };
    // Sends all; what the kernel has no room for is dropped, and the protocol repeats it. The
    // number sent.
    std::size_t send(std::span<const Outgoing> datagrams);

  private:
    UdpSocket(boost::asio::io_context& context, UniqueFd fd, std::uint16_t port);
    static Result<UdpSocket> open(boost::asio::io_context& context,
                                  std::uint16_t port,
                                  bool shared);
    void arm();

    std::unique_ptr<boost::asio::posix::stream_descriptor> descriptor_;
    std::shared_ptr<std::function<void()>> ready_;
    std::uint16_t port_{0};
    std::size_t receive_buffer_{0};
};

}  // namespace durability::net
