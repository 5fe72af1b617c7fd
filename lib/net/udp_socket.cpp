#include "net/udp_socket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace durability::net {
namespace {

// As much as a Fast DDS writer sends in one go before it waits; the kernel grants what rmem_max
// allows.
constexpr int wanted_receive_buffer = 4 * 1024 * 1024;
constexpr int wanted_send_buffer = 1024 * 1024;

::sockaddr_in to_sockaddr(const Locator& locator) {
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(locator.port));
    address.sin_addr.s_addr = htonl(locator.ipv4());
    return address;
}

// The kernel's interfaces take sockaddr*; the cast is the documented way.
const ::sockaddr* as_sockaddr(const ::sockaddr_in& address) {
    return reinterpret_cast<const ::sockaddr*>(&address);
}

bool set_option(int fd, int level, int option, int value) {
    return ::setsockopt(fd, level, option, &value, sizeof value) == 0;
}

}  // namespace

ReceiveBuffers::ReceiveBuffers() : memory_(new std::uint8_t[count * datagram]) {}

UdpSocket::UdpSocket(boost::asio::io_context& context, UniqueFd fd, std::uint16_t port)
    : port_(port) {
    int granted = 0;
    ::socklen_t length = sizeof granted;
    // Linux reports twice what a payload may use.
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &granted, &length) == 0) {
        receive_buffer_ = static_cast<std::size_t>(granted) / 2;
    }
    descriptor_ = std::make_unique<boost::asio::posix::stream_descriptor>(context, fd.release());
}

Result<UdpSocket> UdpSocket::open(boost::asio::io_context& context,
                                  std::uint16_t port,
                                  bool shared) {
    UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) return fail(Errc::io, "open a UDP socket", errno);
    if (shared) {
        if (!set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1))
            return fail(Errc::io, "share a multicast port", errno);
        // Only groups this very socket joined, on the interfaces it joined them on.
        set_option(fd.get(), IPPROTO_IP, IP_MULTICAST_ALL, 0);
    }
    // A dead process shows in milliseconds instead of a lease; read by receive_errors().
    set_option(fd.get(), IPPROTO_IP, IP_RECVERR, 1);
    // Both are wishes; what was granted is reported by receive_buffer().
    set_option(fd.get(), SOL_SOCKET, SO_RCVBUF, wanted_receive_buffer);
    set_option(fd.get(), SOL_SOCKET, SO_SNDBUF, wanted_send_buffer);

    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    if (::bind(fd.get(), as_sockaddr(address), sizeof address) != 0) {
        const int reason = errno;
        return fail(Errc::unavailable, fmt::format("bind UDP port {}", port), reason);
    }
    ::sockaddr_in bound{};
    ::socklen_t length = sizeof bound;
    if (::getsockname(fd.get(), reinterpret_cast<::sockaddr*>(&bound), &length) != 0) {
        return fail(Errc::io, "read the port of a UDP socket", errno);
    }
    return UdpSocket(context, std::move(fd), ntohs(bound.sin_port));
}

Result<UdpSocket> UdpSocket::unicast(boost::asio::io_context& context, std::uint16_t port) {
    return open(context, port, false);
}

Result<UdpSocket> UdpSocket::multicast(boost::asio::io_context& context, std::uint16_t port) {
    return open(context, port, true);
}

Status UdpSocket::join(std::uint32_t group, const Interface& interface) {
    ::ip_mreqn request{};
    request.imr_multiaddr.s_addr = htonl(group);
    request.imr_ifindex = interface.index;
    if (::setsockopt(descriptor_->native_handle(),
                     IPPROTO_IP,
                     IP_ADD_MEMBERSHIP,
                     &request,
                     sizeof request) != 0 &&
        errno != EADDRINUSE) {
        return fail(Errc::io, fmt::format("join the multicast group on {}", interface.name), errno);
    }
    return {};
}

void UdpSocket::leave(std::uint32_t group, const Interface& interface) {
    ::ip_mreqn request{};
    request.imr_multiaddr.s_addr = htonl(group);
    request.imr_ifindex = interface.index;
    // Where it was not a member nothing is left to do.
    std::ignore = ::setsockopt(
        descriptor_->native_handle(), IPPROTO_IP, IP_DROP_MEMBERSHIP, &request, sizeof request);
}

void UdpSocket::wait_readable(std::function<void()> ready) {
    ready_ = std::make_shared<std::function<void()>>(std::move(ready));
    arm();
}

void UdpSocket::arm() {
    // The handler may run after this object was moved or closed; it shares only the callback.
    auto ready = ready_;
    auto* descriptor = descriptor_.get();
    descriptor->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this, ready](const boost::system::error_code& error) {
                               if (error || !*ready) return;
                               (*ready)();
                               if (*ready && descriptor_) arm();
                           });
}

std::size_t UdpSocket::receive(ReceiveBuffers& buffers,
                               const std::function<void(ByteView, const Locator&)>& take) {
    std::array<::mmsghdr, ReceiveBuffers::count> messages{};
    std::array<::iovec, ReceiveBuffers::count> parts{};
    std::array<::sockaddr_in, ReceiveBuffers::count> sources{};
    for (std::size_t i = 0; i < messages.size(); ++i) {
        parts[i] = {buffers.at(i), ReceiveBuffers::datagram};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &sources[i];
        messages[i].msg_hdr.msg_namelen = sizeof sources[i];
    }
    const int received = ::recvmmsg(
        descriptor_->native_handle(), messages.data(), messages.size(), MSG_DONTWAIT, nullptr);
    if (received <= 0) return 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(received); ++i) {
        take(ByteView{buffers.at(i), messages[i].msg_len},
             Locator::udp_v4(ntohl(sources[i].sin_addr.s_addr), ntohs(sources[i].sin_port)));
    }
    return static_cast<std::size_t>(received);
}

void UdpSocket::receive_errors(const std::function<void(const Locator&)>& take) {
    // Bounded, as everything a network can cause; the rest comes with the next call.
    for (int i = 0; i < 64; ++i) {
        std::array<char, 1> ignored_payload{};
        alignas(::cmsghdr) std::array<char, 512> control{};
        ::sockaddr_in target{};
        ::iovec part{ignored_payload.data(), ignored_payload.size()};
        ::msghdr header{};
        header.msg_name = &target;
        header.msg_namelen = sizeof target;
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        if (::recvmsg(descriptor_->native_handle(), &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
            return;
        for (::cmsghdr* part_of = CMSG_FIRSTHDR(&header); part_of != nullptr;
             part_of = CMSG_NXTHDR(&header, part_of)) {
            if (part_of->cmsg_level != IPPROTO_IP || part_of->cmsg_type != IP_RECVERR) continue;
            ::sock_extended_err error{};
            std::memcpy(&error, CMSG_DATA(part_of), sizeof error);
            if (error.ee_origin == SO_EE_ORIGIN_ICMP && error.ee_errno == ECONNREFUSED) {
                take(Locator::udp_v4(ntohl(target.sin_addr.s_addr), ntohs(target.sin_port)));
            }
        }
    }
}

void UdpSocket::close() {
    if (ready_) *ready_ = nullptr;
    if (!descriptor_) return;
    boost::system::error_code ignored;  // the descriptor is gone either way
    descriptor_->close(ignored);
}

std::size_t UdpSocket::send(std::span<const Outgoing> datagrams) {
    constexpr std::size_t batch_size = 64;
    // CMSG alignment is met by the union's array of cmsghdr.
    union Control {
        ::cmsghdr align;
        std::array<char, CMSG_SPACE(sizeof(::in_pktinfo))> bytes;
    };
    std::size_t sent = 0;
    for (std::size_t first = 0; first < datagrams.size(); first += batch_size) {
        const auto batch = datagrams.subspan(first, std::min(batch_size, datagrams.size() - first));
        std::array<::mmsghdr, batch_size> messages{};
        std::array<::iovec, batch_size> parts{};
        std::array<::sockaddr_in, batch_size> targets{};
        std::array<Control, batch_size> controls{};
        for (std::size_t i = 0; i < batch.size(); ++i) {
            targets[i] = to_sockaddr(batch[i].to);
            // sendmsg does not write to it; the interface predates const.
            parts[i] = {const_cast<std::uint8_t*>(batch[i].datagram.data()),
                        batch[i].datagram.size()};
            ::msghdr& header = messages[i].msg_hdr;
            header.msg_iov = &parts[i];
            header.msg_iovlen = 1;
            header.msg_name = &targets[i];
            header.msg_namelen = sizeof targets[i];
            if (batch[i].interface == nullptr) continue;
            header.msg_control = controls[i].bytes.data();
            header.msg_controllen = controls[i].bytes.size();
            ::cmsghdr* control = CMSG_FIRSTHDR(&header);
            control->cmsg_level = IPPROTO_IP;
            control->cmsg_type = IP_PKTINFO;
            control->cmsg_len = CMSG_LEN(sizeof(::in_pktinfo));
            ::in_pktinfo info{};
            info.ipi_ifindex = batch[i].interface->index;
            info.ipi_spec_dst.s_addr = htonl(batch[i].interface->address);
            std::memcpy(CMSG_DATA(control), &info, sizeof info);
        }
        std::size_t done = 0;
        while (done < batch.size()) {
            const int count = ::sendmmsg(descriptor_->native_handle(),
                                         messages.data() + done,
                                         static_cast<unsigned>(batch.size() - done),
                                         MSG_DONTWAIT);
            // One that cannot be sent (no route, no room) must not hold up those behind it.
            done += count > 0 ? static_cast<std::size_t>(count) : 1;
            sent += count > 0 ? static_cast<std::size_t>(count) : 0;
        }
    }
    return sent;
}

}  // namespace durability::net
