#include "net/interfaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

namespace durability::net {
namespace {

std::uint32_t ipv4_of(const ::sockaddr* address) {
    ::sockaddr_in in{};
    std::copy_n(reinterpret_cast<const unsigned char*>(address),
                sizeof in,
                reinterpret_cast<unsigned char*>(&in));
    return ntohl(in.sin_addr.s_addr);
}

}  // namespace

std::string to_text(std::uint32_t address) {
    return fmt::format("{}.{}.{}.{}",
                       address >> 24U,
                       (address >> 16U) & 255U,
                       (address >> 8U) & 255U,
                       address & 255U);
}

Result<std::vector<Interface>> system_interfaces() {
    ::ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return fail(Errc::io, "list network interfaces", errno);
    const std::unique_ptr<::ifaddrs, decltype(&::freeifaddrs)> list(first, &::freeifaddrs);

    std::vector<Interface> result;
    for (const ::ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
        if ((entry->ifa_flags & IFF_UP) == 0U) continue;
        Interface interface;
        interface.name = entry->ifa_name;
        interface.index = static_cast<int>(::if_nametoindex(entry->ifa_name));
        interface.address = ipv4_of(entry->ifa_addr);
        if (entry->ifa_netmask != nullptr) interface.netmask = ipv4_of(entry->ifa_netmask);
        interface.loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0U;
        interface.multicast = (entry->ifa_flags & IFF_MULTICAST) != 0U;
        result.push_back(std::move(interface));
    }
    return result;
}

std::vector<Interface> select_interfaces(std::span<const Interface> available,
                                         std::span<const std::string> wanted) {
    std::vector<Interface> chosen;
    const auto copy_if = [&](auto predicate) {
        std::ranges::copy_if(available, std::back_inserter(chosen), predicate);
    };
    if (!wanted.empty()) {
        copy_if([&](const Interface& interface) {
            return std::ranges::any_of(wanted, [&](const std::string& text) {
                return text == interface.name || text == to_text(interface.address);
            });
        });
        return chosen;
    }
    copy_if([](const Interface& interface) { return interface.multicast && !interface.loopback; });
    if (chosen.empty()) copy_if([](const Interface& interface) { return interface.loopback; });
    return chosen;
}

Result<std::uint32_t> parse_ipv4(const std::string& text) {
    ::in_addr address{};
    if (::inet_pton(AF_INET, text.c_str(), &address) != 1) {
        return fail(Errc::invalid_argument, fmt::format("'{}' is not an IPv4 address", text));
    }
    return ntohl(address.s_addr);
}

}  // namespace durability::net
