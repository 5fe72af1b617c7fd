// The network of a robot as it comes and goes: no address at the start, one that is added, changed,
// taken away, an interface that is pulled out and made anew. The daemon is in one network, the
// stock peers in another one and beside it. It follows without a restart, and works again within
// ten seconds.
#include "harness.hpp"
#include "networks.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <thread>

namespace durability::interop {
namespace {

using test::Process;
using Clock = std::chrono::steady_clock;

// "Works again within 10 s after addresses or interfaces change."
constexpr auto promised = 10s;

constexpr const char* field_address = "10.9.0.2";
const std::string first_address = "10.9.0.1";
const std::string second_address = "10.9.0.7";

// Whether the machine of the daemon has a loopback to fall back to.
enum class Loopback {
    down,
    up
};

class Site {
  public:
    Site(std::string_view network, Loopback loopback)
        : world_(
              "  - topic: chatter\n"
              "    contract: { history: keep_all, cleanup_delay: infinite }\n",
              network),
          loopback_(loopback) {
        if (loopback == Loopback::up) home_.ip({"link", "set", "lo", "up"});
        world_.use_daemon_interfaces({});
        world_.start_daemon_with(home_.entry());
        world_.start_peers_with(field_.entry());
        field_.ip({"link", "set", "lo", "up"});
    }

    World& world() { return world_; }
    [[nodiscard]] Loopback loopback() const { return loopback_; }
    Process& daemon() { return world_.daemon(); }

    // A cable and, at its other end, all that peers need.
    void plug() {
        connect(home_, "robot", field_, "field");
        field_.ip({"address", "add", fmt::format("{}/24", field_address), "dev", "field"});
        field_.ip({"link", "set", "field", "up"});
        field_.ip({"route", "add", "224.0.0.0/4", "dev", "field"});
        home_.ip({"link", "set", "robot", "up"});
    }
    // Nothing gets through, and again; both ends keep their addresses.
    void cut() {
        seen_ = daemon().line_count();
        field_.ip({"link", "set", "field", "down"});
    }
    void mend() {
        field_.ip({"link", "set", "field", "up"});
        field_.ip({"route", "add", "224.0.0.0/4", "dev", "field"});
    }
    void unplug() {
        seen_ = daemon().line_count();
        home_.ip({"link", "delete", "robot"});
    }
    void add(const std::string& address) {
        seen_ = daemon().line_count();
        home_.ip({"address", "add", address + "/24", "dev", "robot"});
    }
    void take_away(const std::string& address) {
        seen_ = daemon().line_count();
        home_.ip({"address", "delete", address + "/24", "dev", "robot"});
    }
    // Where the daemon is, too.
    void start_peers_beside_the_daemon() { world_.start_peers_with(home_.entry()); }
    void start_peers_in_the_field() { world_.start_peers_with(field_.entry()); }

    // Whether the daemon says so from the latest change on.
    bool says(const std::string& text) {
        return daemon().wait_line(text, promised, seen_).has_value();
    }
    bool says_in_time(const std::string& text) {
        return daemon().wait_line(text, patience, seen_).has_value();
    }
    // It has seen that there is no network any more.
    bool is_cut_off() {
        return says(loopback_ == Loopback::up ? "uses=\"lo 127.0.0.1\"" : "event=NoNetwork");
    }
    std::size_t descriptors() {
        const std::filesystem::directory_iterator all(fmt::format("/proc/{}/fd", daemon().pid()));
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }

  private:
    Network home_;
    Network field_;
    World world_;
    Loopback loopback_;
    std::size_t seen_{0};
};

Words chatter(const std::string& durability, const std::string& address) {
    return {"--topic",
            "chatter",
            "--durability",
            durability,
            "--history",
            "keep_all",
            "--address",
            address,
            "--timeout",
            "60"};
}

std::unique_ptr<Process> join(Site& site,
                              Vendor vendor,
                              std::uint64_t expect,
                              const std::string& from) {
    Words options = chatter("transient_local", from);
    options.insert(options.end(), {"--expect", std::to_string(expect), "--quiet"});
    return site.world().subscriber(vendor, options);
}

// Late readers in the field are given everything, and soon after the change.
void check_served(Site& site, std::uint64_t expect) {
    std::vector<std::unique_ptr<Process>> readers;
    for (const Vendor vendor : both_vendors)
        readers.push_back(join(site, vendor, expect, field_address));
    for (const auto& reader : readers) {
        const bool complete = reader->wait_line("COMPLETE ", patience).has_value();
        CAPTURE(reader->output());
        CHECK(complete);
        CHECK(flaws(*reader, expect) == "");
    }
}

// One that lives through everything, told over its input to write more.
std::unique_ptr<Process> start_writer(Site& site) {
    Words options = chatter("transient", field_address);
    options.insert(options.end(), {"--count", "20", "--durability-service", "keep_all"});
    return site.world().publisher(Vendor::cyclone, options);
}

void check_stored(Site& site, std::uint64_t total) {
    const std::string stored = fmt::format("\"retained_samples\":{}", total);
    const std::string told = run_tool_until(site.world(), {"topics", "--json"}, {stored});
    INFO(told);
    CHECK(told.find(stored) != std::string::npos);
}

// What a living peer writes is recorded again: it and the daemon have found each other.
void write_more(Site& site, Process& writer, std::uint64_t total) {
    const std::size_t seen = writer.line_count();
    writer.write_line("write 5");
    writer.write_line("wait_acks");
    CHECK(writer.wait_line("ACKED ", patience, seen).has_value());
    check_stored(site, total);
}

// A peer beside the daemon goes by the same address.
void check_local(Site& site, const std::string& address, std::uint64_t expect) {
    site.start_peers_beside_the_daemon();
    for (const Vendor vendor : both_vendors) {
        CAPTURE(name(vendor));
        CHECK(flaws(*join(site, vendor, expect, address), expect) == "");
    }
    site.start_peers_in_the_field();
}

bool comes_to(Site& site, std::size_t descriptors) {
    const auto deadline = Clock::now() + promised;
    while (Clock::now() < deadline) {
        if (site.descriptors() == descriptors) return true;
        std::this_thread::sleep_for(50ms);
    }
    return false;
}

bool comes_to_one_match(const Process& writer) {
    const auto deadline = Clock::now() + patience;
    while (Clock::now() < deadline) {
        std::string last;
        for (const std::string& line : writer.lines()) {
            if (line.starts_with("MATCHED ")) last = line;
        }
        if (last == "MATCHED 1") return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

// The writer has met a reader since line `seen`; it may have heard first that the old one has gone.
bool is_met_anew(const Process& writer, std::size_t seen) {
    const auto deadline = Clock::now() + patience;
    while (Clock::now() < deadline) {
        const auto lines = writer.lines();
        for (std::size_t i = seen; i < lines.size(); ++i) {
            if (lines[i] == "MATCHED 1" || lines[i] == "MATCHED 2") return true;
        }
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

// The address becomes another one: what peers know of the daemon is void, and they find it all the
// same. Then it goes, and comes back.
void check_addresses(Site& site, Process& writer) {
    // Late readers have gone; only the daemon is left.
    CHECK(comes_to_one_match(writer));
    const std::size_t seen = writer.line_count();
    site.take_away(first_address);
    site.add(second_address);
    CHECK(site.says("event=IdentityReplaced"));
    // A TRANSIENT writer of Cyclone DDS gives a reader nothing of what it wrote before they met.
    CHECK(is_met_anew(writer, seen));
    write_more(site, writer, 25);
    check_served(site, 25);

    site.take_away(second_address);
    CHECK(site.is_cut_off());
    site.add(second_address);
    CHECK(site.says("event=NetworkChanged"));
    write_more(site, writer, 30);
    check_served(site, 30);
}

// The way between the two is cut, for less and for more than the writer's lease.
void check_cuts(Site& site, Process& writer) {
    site.cut();
    std::size_t seen = writer.line_count();
    writer.write_line("write 5");
    CHECK(writer.wait_line("WRITTEN ", patience, seen).has_value());
    site.mend();
    check_stored(site, 35);
    check_served(site, 35);

    site.cut();
    CHECK(site.says_in_time("event=WriterRetired"));
    site.mend();
    write_more(site, writer, 40);
    check_served(site, 40);
}

// The interface goes, and another one of its name comes.
void check_interface(Site& site) {
    site.unplug();
    CHECK(site.is_cut_off());
    site.plug();
    site.add(second_address);
    CHECK(site.says("event=NetworkChanged"));
    check_served(site, 40);
}

// What all of it costs does not last.
void check_descriptors(Site& site, std::size_t before) {
    for (int round = 0; round < 5; ++round) {
        CAPTURE(round);
        const bool even = round % 2 == 0;
        site.take_away(even ? second_address : first_address);
        site.add(even ? first_address : second_address);
        REQUIRE(site.says("event=IdentityReplaced"));
    }
    check_served(site, 40);
    CAPTURE(before, site.descriptors());
    CHECK(comes_to(site, before));
}

void check_site(Site& site) {
    site.world().start_daemon();
    if (site.loopback() == Loopback::down) CHECK(site.is_cut_off());
    site.plug();
    site.add(first_address);
    CHECK(site.says("event=NetworkChanged"));
    const auto writer = start_writer(site);
    REQUIRE(not_acknowledged(*writer) == "");
    check_served(site, 20);
    // The way to an address of one's own machine is through its loopback.
    if (site.loopback() == Loopback::up) check_local(site, first_address, 20);
    const std::size_t descriptors = site.descriptors();

    check_addresses(site, *writer);
    check_cuts(site, *writer);
    meet(*writer, Fate::ended);
    check_interface(site);
    if (site.loopback() == Loopback::up) check_local(site, second_address, 40);
    check_descriptors(site, descriptors);
    site.world().stop_daemon();
}

bool can_run() {
    const std::string reason = no_networks();
    if (!reason.empty()) WARN("skipped, networks of its own cannot be had: " << reason);
    return reason.empty();
}

TEST_CASE("a daemon found by multicast follows addresses and interfaces that come and go",
          "[network]") {
    if (!can_run()) return;
    Site site("", Loopback::up);
    check_site(site);
}

TEST_CASE("a daemon that started without any interface is found by multicast once there is one",
          "[network]") {
    if (!can_run()) return;
    Site site("", Loopback::down);
    check_site(site);
}

TEST_CASE("a daemon found by unicast follows addresses and interfaces that come and go",
          "[network]") {
    if (!can_run()) return;
    Site site(fmt::format("network: {{ multicast: false, peers: [{}] }}\n", field_address),
              Loopback::down);
    check_site(site);
}

}  // namespace
}  // namespace durability::interop
