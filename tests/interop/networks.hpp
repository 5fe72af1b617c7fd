// Networks of a scenario's own, joined by a cable that can be pulled: Linux network namespaces and
// a veth pair. They go with the processes that hold them, so an interrupted test leaves nothing.
#pragma once

#include "support/process.hpp"

#include <string>
#include <vector>

namespace durability::interop {

// A network with nothing in it but a loopback that is down. Throws std::runtime_error with the
// reason when there is none to be had.
class Network {
  public:
    Network();

    // What makes a command run in it; the command takes the place of it, process and all.
    [[nodiscard]] std::vector<std::string> entry() const;
    [[nodiscard]] std::string holder() const { return std::to_string(process_.pid()); }

    // Runs `ip` with these words in it. Throws std::runtime_error with what it said on failure.
    void ip(std::vector<std::string> words) const;

  private:
    test::Process process_;
};

// A cable between two networks, that makes the interface `near` in one and `far` in the other.
// Interfaces come without address, and down.
void connect(const Network& one,
             const std::string& near,
             const Network& other,
             const std::string& far);

// Why networks cannot be made and connected here; empty when they can.
std::string no_networks();

}  // namespace durability::interop
