#include "runtime/domain_sockets.hpp"

#include "wire/locator.hpp"

#include <fmt/format.h>

#include <charconv>
#include <tuple>

namespace durability::runtime {
namespace {

// Participants of one domain on one host; the ports of the next domain begin after 120
// (RTPS 2.5, 9.6.1).
constexpr std::uint32_t max_index = 119;
// Fast DDS tries as many for a peer that is given without a port, Cyclone DDS up to ten (fact
// sheet 1.1).
constexpr std::uint32_t peer_indexes = 10;
// Candidates of `port_base: auto`.
constexpr std::uint32_t first_base = 7'400;
constexpr std::uint32_t last_base = 60'000;
constexpr std::uint32_t base_step = 1'000;

Result<std::unique_ptr<net::UdpSocket>> bind_unicast(boost::asio::io_context& context,
                                                     std::uint16_t port) {
    auto socket = net::UdpSocket::unicast(context, port);
    if (!socket) return tl::unexpected(socket.error());
    return std::make_unique<net::UdpSocket>(std::move(*socket));
}

Result<SideSockets> bind_pair(boost::asio::io_context& context,
                              std::uint16_t metatraffic,
                              std::uint16_t user) {
    SideSockets pair;
    auto first = bind_unicast(context, metatraffic);
    if (!first) return tl::unexpected(first.error());
    auto second = bind_unicast(context, user);
    if (!second) return tl::unexpected(second.error());
    pair.metatraffic = std::move(*first);
    pair.user = std::move(*second);
    return pair;
}

Result<SideSockets> bind_free_index(boost::asio::io_context& context,
                                    const wire::PortMapping& ports,
                                    std::uint32_t domain) {
    for (std::uint32_t index = 0; index <= max_index; ++index) {
        const auto metatraffic = ports.unicast_metatraffic(domain, index);
        const auto user = ports.unicast_user(domain, index);
        if (!metatraffic || !user) break;
        auto pair = bind_pair(context, *metatraffic, *user);
        if (pair || pair.error().code != Errc::unavailable) return pair;
    }
    return fail(Errc::unavailable,
                fmt::format("domain {}: no participant index with two free UDP ports from {} on",
                            domain,
                            ports.unicast_metatraffic(domain, 0).value_or(0)));
}

Result<std::array<SideSockets, service::side_count>> bind_sides(
    boost::asio::io_context& context,
    const wire::PortMapping& ports,
    std::uint32_t domain,
    const std::array<std::optional<service::ParticipantIdentity>, service::side_count>& stored) {
    std::array<SideSockets, service::side_count> sides;
    // Stored ports first for both, so that neither takes the other's.
    for (std::size_t side = 0; side < sides.size(); ++side) {
        if (!stored[side]) continue;
        auto pair = bind_pair(context, stored[side]->metatraffic_port, stored[side]->user_port);
        if (pair) sides[side] = std::move(*pair);
    }
    for (SideSockets& side : sides) {
        if (side.metatraffic) continue;
        auto pair = bind_free_index(context, ports, domain);
        if (!pair) return tl::unexpected(pair.error());
        side = std::move(*pair);
    }
    return sides;
}

// The first base whose whole set of unicast ports for our two participants is free.
Result<std::uint16_t> choose_base(boost::asio::io_context& context, std::uint32_t domain) {
    for (std::uint32_t base = first_base; base <= last_base; base += base_step) {
        wire::PortMapping ports;
        ports.port_base = static_cast<std::uint16_t>(base);
        // Held together until the set is complete: one free at a time proves nothing.
        std::vector<SideSockets> held;
        for (std::uint32_t index = 0; index < service::side_count; ++index) {
            const auto metatraffic = ports.unicast_metatraffic(domain, index);
            const auto user = ports.unicast_user(domain, index);
            if (!metatraffic || !user) break;
            auto pair = bind_pair(context, *metatraffic, *user);
            if (!pair) break;
            held.push_back(std::move(*pair));
        }
        if (held.size() == service::side_count) return ports.port_base;
    }
    return fail(Errc::unavailable, fmt::format("domain {}: no port base with free ports", domain));
}

}  // namespace

std::vector<Locator> DomainSockets::metatraffic_locators(service::Side side) const {
    std::vector<Locator> locators;
    for (const net::Interface& interface : interfaces) {
        locators.push_back(Locator::udp_v4(
            interface.address, sides[static_cast<std::size_t>(side)].metatraffic->port()));
    }
    return locators;
}

std::vector<Locator> DomainSockets::user_locators(service::Side side) const {
    std::vector<Locator> locators;
    for (const net::Interface& interface : interfaces) {
        locators.push_back(
            Locator::udp_v4(interface.address, sides[static_cast<std::size_t>(side)].user->port()));
    }
    return locators;
}

void DomainSockets::use(std::vector<net::Interface> chosen) {
    if (multicast) {
        // A membership goes with the interface's index, and there may be few: those of interfaces
        // that were removed are given back as well.
        for (const net::Interface& interface : interfaces)
            multicast->leave(wire::spdp_multicast_address, interface);
        // An interface without multicast (a plain loopback) leaves unicast peers to find each
        // other.
        for (const net::Interface& interface : chosen)
            std::ignore = multicast->join(wire::spdp_multicast_address, interface);
    }
    interfaces = std::move(chosen);
}

bool DomainSockets::has_ports_of(service::Side side,
                                 const service::ParticipantIdentity& identity) const {
    const SideSockets& own = sides[static_cast<std::size_t>(side)];
    return own.metatraffic->port() == identity.metatraffic_port &&
           own.user->port() == identity.user_port;
}

Result<DomainSockets> open_sockets(
    boost::asio::io_context& context,
    const Config::Network& network,
    std::uint32_t domain,
    const std::array<std::optional<service::ParticipantIdentity>, service::side_count>& stored) {
    DomainSockets sockets;
    auto available = net::system_interfaces();
    if (!available) return tl::unexpected(available.error());
    sockets.interfaces = net::select_interfaces(*available, network.interfaces);
    wire::PortMapping ports;
    if (network.port_base) {
        ports.port_base = *network.port_base;
    } else {
        auto base = choose_base(context, domain);
        if (!base) return tl::unexpected(base.error());
        ports.port_base = *base;
    }
    sockets.port_base = ports.port_base;

    auto sides = bind_sides(context, ports, domain, stored);
    if (!sides) return tl::unexpected(sides.error());
    sockets.sides = std::move(*sides);

    if (!network.multicast) return sockets;
    const auto port = ports.multicast_metatraffic(domain);
    if (!port)
        return fail(Errc::unavailable, fmt::format("domain {} has no multicast port", domain));
    auto multicast = net::UdpSocket::multicast(context, *port);
    if (!multicast) return tl::unexpected(multicast.error());
    sockets.multicast = std::make_unique<net::UdpSocket>(std::move(*multicast));
    sockets.use(sockets.interfaces);
    return sockets;
}

Result<std::vector<Locator>> announce_locators(const Config::Network& network,
                                               std::uint32_t domain,
                                               std::uint16_t port_base) {
    wire::PortMapping ports;
    ports.port_base = port_base;
    std::vector<Locator> locators;
    if (network.multicast) {
        if (const auto port = ports.multicast_metatraffic(domain)) {
            locators.push_back(Locator::udp_v4(wire::spdp_multicast_address, *port));
        }
    }
    for (const std::string& peer : network.peers) {
        const std::size_t colon = peer.rfind(':');
        auto address = net::parse_ipv4(peer.substr(0, colon));
        if (!address) return tl::unexpected(address.error());
        if (colon != std::string::npos) {
            std::uint16_t port = 0;
            const char* end = peer.data() + peer.size();
            const auto parsed = std::from_chars(peer.data() + colon + 1, end, port);
            if (parsed.ec != std::errc{} || parsed.ptr != end || port == 0) {
                return fail(Errc::invalid_argument,
                            fmt::format("'{}' is not ADDRESS or ADDRESS:PORT", peer));
            }
            locators.push_back(Locator::udp_v4(*address, port));
            continue;
        }
        for (std::uint32_t index = 0; index < peer_indexes; ++index) {
            if (const auto port = ports.unicast_metatraffic(domain, index)) {
                locators.push_back(Locator::udp_v4(*address, *port));
            }
        }
    }
    return locators;
}

}  // namespace durability::runtime
