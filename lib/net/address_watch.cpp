#include "net/address_watch.hpp"

#include "base/unique_fd.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

namespace durability::net {
namespace {

// An interface that comes up says so many times within milliseconds.
constexpr auto quiet_time = std::chrono::milliseconds{200};

}  // namespace

Result<std::unique_ptr<AddressWatch>> AddressWatch::open(boost::asio::io_context& context,
                                                         std::function<void()> changed) {
    UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (!fd) return fail(Errc::io, "open a netlink socket", errno);
    ::sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR;
    // The kernel's interface takes sockaddr*; the cast is the documented way.
    if (::bind(fd.get(), reinterpret_cast<const ::sockaddr*>(&address), sizeof address) != 0)
        return fail(Errc::io, "subscribe to changes of network addresses", errno);
    return std::unique_ptr<AddressWatch>(
        new AddressWatch(context, fd.release(), std::move(changed)));
}

AddressWatch::AddressWatch(boost::asio::io_context& context, int fd, std::function<void()> changed)
    : descriptor_(context, fd), timer_(context), changed_(std::move(changed)) {
    arm();
}

AddressWatch::~AddressWatch() {
    close();
}

void AddressWatch::close() {
    *alive_ = false;
    timer_.cancel();
    boost::system::error_code ignored;  // the descriptor is gone either way
    descriptor_.close(ignored);
}

void AddressWatch::arm() {
    descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this, alive = alive_](const boost::system::error_code& error) {
                               if (error || !*alive) return;
                               drain();
                               look_again();
                               arm();
                           });
}

// What the messages say is not looked at: with ENOBUFS some are missing, and the list of interfaces
// has to be read in any case.
void AddressWatch::drain() {
    const int handle = descriptor_.native_handle();
    std::array<char, 8'192> ignored{};
    while (::recv(handle, ignored.data(), ignored.size(), MSG_DONTWAIT) > 0 || errno == ENOBUFS ||
           errno == EINTR) {
        errno = 0;
    }
}

void AddressWatch::look_again() {
    if (std::exchange(due_, true)) return;
    timer_.expires_after(quiet_time);
    timer_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
        if (error || !*alive) return;
        due_ = false;
        changed_();
    });
}

}  // namespace durability::net
