// The ports and sockets of one domain: two unicast ports for each of the two participants, one
// multicast socket for both. Loop thread.
#pragma once

#include "durability/config.hpp"
#include "durability/error.hpp"
#include "model/locator.hpp"
#include "net/interfaces.hpp"
#include "net/udp_socket.hpp"
#include "service/identity.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace durability::runtime {

struct SideSockets {
    std::unique_ptr<net::UdpSocket> metatraffic;
    std::unique_ptr<net::UdpSocket> user;
};

struct DomainSockets {
    std::array<SideSockets, service::side_count> sides;
    std::unique_ptr<net::UdpSocket> multicast;  // null where multicast is off
    std::vector<net::Interface> interfaces;     // those in use; none while there is no network
    std::uint16_t port_base{0};

    // These instead of those in use.
    void use(std::vector<net::Interface> chosen);
    [[nodiscard]] std::vector<Locator> metatraffic_locators(service::Side side) const;
    [[nodiscard]] std::vector<Locator> user_locators(service::Side side) const;
    [[nodiscard]] bool has_ports_of(service::Side side,
                                    const service::ParticipantIdentity& identity) const;
};

// Binds what the domain needs. `stored` are the identities of an earlier run: their ports are taken
// again if they are free, since peers do not learn new ones (fact sheet 12.3). Else the first
// participant index whose two ports are free. That no interface is up, or none of those that are
// wanted, is no error: one may come (cases R11.1). Errors: unavailable (port named), io.
[[nodiscard]] Result<DomainSockets> open_sockets(
    boost::asio::io_context& context,
    const Config::Network& network,
    std::uint32_t domain,
    const std::array<std::optional<service::ParticipantIdentity>, service::side_count>& stored);

// Where to announce: the multicast group, and the configured peers ("address" or "address:port";
// without a port the first participant indexes are tried). Errors: invalid_argument.
[[nodiscard]] Result<std::vector<Locator>> announce_locators(const Config::Network& network,
                                                             std::uint32_t domain,
                                                             std::uint16_t port_base);

}  // namespace durability::runtime
