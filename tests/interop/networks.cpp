#include "networks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace durability::interop {
namespace {

using namespace std::chrono_literals;
using test::Launch;
using test::Process;

constexpr auto patience = 10s;

void run(std::vector<std::string> words) {
    const std::string program = words.front();
    words.erase(words.begin());
    Process process(Launch{program, words, {}});
    const auto ended = process.wait(patience);
    if (ended && ended->status == 0) return;
    throw std::runtime_error(
        fmt::format("{} {}: {}", program, fmt::join(words, " "), process.output()));
}

std::filesystem::path network_of(const std::string& process) {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/" + process + "/ns/net", error);
}

}  // namespace

// It says so when it is there, and stays until its input ends or we do.
Network::Network()
    : process_(Launch{"unshare", {"--net", "sh", "-c", "echo here; read -r _"}, {}}) {
    const bool here = process_.wait_line("here", patience).has_value();
    if (!here || network_of(holder()) == network_of("self"))
        throw std::runtime_error("unshare --net: " + process_.output());
}

std::vector<std::string> Network::entry() const {
    return {"nsenter", fmt::format("--net=/proc/{}/ns/net", holder())};
}

void Network::ip(std::vector<std::string> words) const {
    std::vector<std::string> all = entry();
    all.emplace_back("ip");
    all.insert(all.end(), words.begin(), words.end());
    run(std::move(all));
}

void connect(const Network& one,
             const std::string& near,
             const Network& other,
             const std::string& far) {
    run({"ip",
         "link",
         "add",
         near,
         "netns",
         one.holder(),
         "type",
         "veth",
         "peer",
         "name",
         far,
         "netns",
         other.holder()});
}

std::string no_networks() {
    try {
        const Network one;
        const Network other;
        connect(one, "near", other, "far");
        one.ip({"link", "show", "near"});
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

}  // namespace durability::interop
