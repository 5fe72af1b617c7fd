#include "support/netns.hpp"

#include "base/unique_fd.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace durability::test {
namespace {

// sysexits' "permission denied", as the daemon itself uses it.
constexpr int exit_not_permitted = 77;

[[noreturn]] void give_up(const std::string& what) {
    fmt::print(stderr,
               "private network: {}: {}\n"
               "This test needs root, or user namespaces for ordinary users.\n",
               what,
               std::strerror(errno));
    std::exit(exit_not_permitted);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
}

void write_file(const char* path, const std::string& text) {
    const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
    if (!file) give_up(path);
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        give_up(path);
    }
}

void unshare_network() {
    const uid_t user = ::getuid();
    const gid_t group = ::getgid();
    if (user == 0 && ::unshare(CLONE_NEWNET) == 0) return;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) give_up("unshare");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", fmt::format("0 {} 1", user));
    write_file("/proc/self/gid_map", fmt::format("0 {} 1", group));
}

ifreq loopback() {
    ifreq request{};
    std::memcpy(request.ifr_name, "lo", 3);
    return request;
}

void bring_loopback_up(int socket) {
    ifreq request = loopback();
    if (::ioctl(socket, SIOCGIFFLAGS, &request) != 0) give_up("flags of lo");
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_MULTICAST);
    if (::ioctl(socket, SIOCSIFFLAGS, &request) != 0) give_up("set lo up");
}

void set_address(sockaddr& out, const char* text) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, text, &address.sin_addr);
    std::memcpy(&out, &address, sizeof address);
}

void add_multicast_route(int socket) {
    rtentry route{};
    std::string device = "lo";
    set_address(route.rt_dst, "224.0.0.0");
    set_address(route.rt_genmask, "240.0.0.0");
    route.rt_dev = device.data();
    route.rt_flags = RTF_UP;
    if (::ioctl(socket, SIOCADDRT, &route) != 0 && errno != EEXIST) give_up("multicast route");
}

// The proof that nothing can leave: no interface but a multicasting loopback is up.
void check_isolation(int socket) {
    const std::unique_ptr<struct if_nameindex, decltype(&::if_freenameindex)> names(
        ::if_nameindex(), &::if_freenameindex);
    if (names == nullptr) give_up("list interfaces");
    for (const auto* entry = names.get(); entry->if_index != 0; ++entry) {
        ifreq request{};
        std::strncpy(request.ifr_name, entry->if_name, IFNAMSIZ - 1);
        if (::ioctl(socket, SIOCGIFFLAGS, &request) != 0) give_up(entry->if_name);
        const int flags = request.ifr_flags;
        const bool up = (flags & IFF_UP) != 0;
        const bool right = (flags & IFF_LOOPBACK) != 0 && (flags & IFF_MULTICAST) != 0;
        if (!up || right) continue;
        errno = EEXIST;
        give_up(fmt::format("interface {} is up", entry->if_name));
    }
}

}  // namespace

void enter_private_network() {
    unshare_network();
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) give_up("socket");
    bring_loopback_up(socket.get());
    add_multicast_route(socket.get());
    check_isolation(socket.get());
}

}  // namespace durability::test
