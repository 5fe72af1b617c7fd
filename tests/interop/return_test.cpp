// The daemon comes back and something is different: it was away for too long, its ports or its
// identity are gone, the configuration or the peers have changed (semantics.md, section 7a).
#include "harness.hpp"

#include "base/unique_fd.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace durability::interop {
namespace {

using test::Process;

constexpr std::string_view short_lease = "network_lease: 3s\n";

// What World::configure() wrote is in force.
void reload(World& world) {
    const std::size_t from = world.daemon().line_count();
    world.daemon().kill(SIGHUP);
    const auto reloaded = world.daemon().wait_line("event=ConfigReloaded", patience, from);
    INFO(world.daemon().output());
    REQUIRE(reloaded.has_value());
}

std::unique_ptr<Process> start_writer(const World& world,
                                      Vendor vendor,
                                      const std::string& topic,
                                      std::uint32_t index,
                                      std::uint32_t count) {
    return world.publisher(vendor,
                           {"--topic",
                            topic,
                            "--type",
                            "keyed",
                            "--durability",
                            "transient_local",
                            "--durability-service",
                            "keep_all",
                            "--cleanup-delay",
                            "infinite",
                            "--keys",
                            "3",
                            "--first-key",
                            std::to_string(index * 8),
                            "--start-seq",
                            std::to_string(index * 1000 + 1),
                            "--count",
                            std::to_string(count),
                            "--timeout",
                            "60"});
}

std::unique_ptr<Process> start_reader(const World& world,
                                      Vendor vendor,
                                      const std::string& topic,
                                      std::uint64_t expected,
                                      bool stays) {
    Words options{"--topic", topic, "--type", "keyed", "--durability", "transient_local"};
    options.insert(options.end(), {"--expect", std::to_string(expected), "--settle", "1"});
    options.insert(options.end(), {"--timeout", stays ? "200" : "45"});
    if (stays) options.emplace_back("--stay");
    return world.subscriber(vendor, options);
}

void await_samples(Process& reader, std::uint32_t number) {
    INFO(reader.output());
    REQUIRE(reader.wait_line(fmt::format(" seq={} ", number), patience).has_value());
}

// A living writer of either vendor with one staying reader of either vendor each; `before` samples
// were written and are the daemon's.
class Neighbours {
  public:
    Neighbours(const World& world, std::uint32_t before) : world_(world), written_(before) {
        for (const Vendor vendor : both_vendors) {
            const std::string topic = topic_of(vendor);
            writers_.push_back(start_writer(world, vendor, topic, 0, before));
            REQUIRE(not_acknowledged(*writers_.back()) == "");
            for (const Vendor reader : both_vendors)
                readers_.push_back(start_reader(world, reader, topic, before, true));
        }
        for (const auto& reader : readers_) {
            INFO(reader->output());
            REQUIRE(reader->wait_line("COMPLETE", patience).has_value());
        }
    }

    [[nodiscard]] static std::string topic_of(Vendor vendor) {
        return fmt::format("latched_{}", name(vendor));
    }

    void write(std::uint32_t count) {
        for (const auto& writer : writers_)
            writer->write_line(fmt::format("write {}", count));
        written_ += count;
        for (const auto& reader : readers_)
            await_samples(*reader, written_);
    }

    // Until no writer sees the daemon any more.
    void await_loss() {
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            INFO(writers_[i]->output());
            REQUIRE(writers_[i]->wait_line("MATCHED 2", patience, lines_before_[i]).has_value());
        }
    }
    // What follows is said after this.
    void mark() {
        lines_before_.clear();
        for (const auto& writer : writers_)
            lines_before_.push_back(writer->line_count());
    }

    void expect_acknowledgements() {
        for (const auto& writer : writers_) {
            const std::size_t from = writer->line_count();
            writer->write_line("wait_acks");
            INFO(writer->output());
            REQUIRE(writer->wait_line(fmt::format("ACKED {}", written_), patience, from));
        }
    }

    void lose_writers(Fate fate) {
        for (const auto& writer : writers_)
            meet(*writer, fate);
    }

    void expect_late_readers_have_everything_once() const {
        for (const Vendor vendor : both_vendors) {
            for (const Vendor reader : both_vendors) {
                INFO(name(vendor) << " to late " << name(reader));
                const auto late = start_reader(world_, reader, topic_of(vendor), written_, false);
                CHECK(flaws(*late, written_) == "");
            }
        }
    }

    void expect_those_who_stayed_have_everything_once() {
        for (const auto& reader : readers_) {
            reader->write_line("exit");
            CHECK(flaws(*reader, written_) == "");
        }
        readers_.clear();
    }

  private:
    const World& world_;
    std::uint32_t written_;
    std::vector<std::size_t> lines_before_;
    std::vector<std::unique_ptr<Process>> writers_;
    std::vector<std::unique_ptr<Process>> readers_;
};

TEST_CASE("back after its lease, the daemon is met anew and nothing is lost or repeated",
          "[restart]") {
    World world(serve_latched, short_lease);
    world.start_daemon();
    Neighbours neighbours(world, 20);
    neighbours.mark();
    world.kill_daemon();
    neighbours.write(10);
    neighbours.await_loss();
    neighbours.write(10);
    world.start_daemon();
    neighbours.expect_acknowledgements();
    neighbours.write(1);
    neighbours.expect_late_readers_have_everything_once();
    neighbours.expect_those_who_stayed_have_everything_once();
    world.stop_daemon();
}

// Everything from the first unicast port of the domain on that nobody uses.
std::vector<UniqueFd> occupy_ports(std::uint32_t domain) {
    std::vector<UniqueFd> taken;
    const std::uint32_t first = 7400 + 250 * domain + 10;
    for (std::uint32_t port = first; port < first + 20; ++port) {
        UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_ANY);
        if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            taken.push_back(std::move(socket));
    }
    return taken;
}

TEST_CASE("back on other ports, the daemon is another participant and nobody is the worse for it",
          "[restart]") {
    World world(serve_latched, short_lease);
    world.start_daemon();
    Neighbours neighbours(world, 20);
    world.kill_daemon();
    const auto taken = occupy_ports(world.domain());
    REQUIRE(taken.size() >= 4);
    neighbours.write(10);
    world.start_daemon();
    CHECK(world.daemon().wait_line("event=IdentityReplaced", 0ms).has_value());
    // Held up by the participant that does not return, until its lease is over.
    neighbours.expect_acknowledgements();
    neighbours.write(1);
    neighbours.expect_late_readers_have_everything_once();
    neighbours.expect_those_who_stayed_have_everything_once();
    world.stop_daemon();
}

std::filesystem::path records_of(const World& world) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(world.state_directory())) {
        if (entry.path().filename() == "records.log") return entry.path();
    }
    throw std::runtime_error("no records below " + world.state_directory().string());
}

TEST_CASE("with its identity cut off or overwritten the daemon starts under a new one",
          "[restart]") {
    for (const bool cut : {true, false}) {
        INFO((cut ? "cut" : "overwritten"));
        World world(serve_latched, short_lease);
        world.start_daemon();
        Neighbours neighbours(world, 20);
        world.stop_daemon();
        const auto file = records_of(world);
        if (cut) {
            std::filesystem::resize_file(file, 7);
        } else {
            std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
            for (std::uintmax_t i = 0; i < std::filesystem::file_size(file); ++i)
                stream.put(static_cast<char>(i * 37 + 11));
        }
        neighbours.write(10);
        world.start_daemon();
        neighbours.expect_acknowledgements();
        neighbours.expect_late_readers_have_everything_once();
        neighbours.lose_writers(Fate::killed);
        neighbours.expect_late_readers_have_everything_once();
        world.stop_daemon();
    }
}

TEST_CASE("a topic that is not served any more holds up nobody", "[restart]") {
    // By the next start, and by a reload.
    const bool reloads = GENERATE(false, true);
    INFO((reloads ? "reload" : "restart"));
    World world(serve_latched);
    world.start_daemon();
    Neighbours neighbours(world, 20);
    const auto other = start_writer(world, Vendor::cyclone, "latched_other", 0, 5);
    REQUIRE(not_acknowledged(*other) == "");
    meet(*other, Fate::ended);
    if (!reloads) world.stop_daemon();
    world.configure(
        "  - { topic: latched_other, serve: transient_local,\n"
        "      contract: { history: keep_all, cleanup_delay: infinite } }\n",
        "");
    if (reloads) reload(world);
    neighbours.write(10);
    if (!reloads) world.start_daemon();
    neighbours.expect_acknowledgements();
    for (const Vendor vendor : both_vendors)
        CHECK(flaws(*start_reader(world, vendor, "latched_other", 5, false), 5) == "");
    // What it had of the others it keeps, and serves again with the rule.
    if (!reloads) world.stop_daemon();
    world.configure(serve_latched, "");
    if (reloads) {
        reload(world);
    } else {
        world.start_daemon();
    }
    neighbours.write(1);
    neighbours.expect_acknowledgements();
    neighbours.expect_those_who_stayed_have_everything_once();
    neighbours.lose_writers(Fate::killed);
    neighbours.expect_late_readers_have_everything_once();
    world.stop_daemon();
}

TEST_CASE("writers and readers that were exchanged meanwhile are told apart", "[restart]") {
    World world(serve_latched);
    world.start_daemon();
    for (const Vendor vendor : both_vendors) {
        INFO("writers of " << name(vendor));
        const std::string topic = fmt::format("latched_exchanged_{}", name(vendor));
        auto writer = start_writer(world, vendor, topic, 0, 20);
        REQUIRE(not_acknowledged(*writer) == "");
        std::vector<std::unique_ptr<Process>> readers;
        for (const Vendor reader : both_vendors) {
            readers.push_back(start_reader(world, reader, topic, 20, true));
            REQUIRE(readers.back()->wait_line("COMPLETE", patience).has_value());
        }
        world.kill_daemon();
        meet(*writer, Fate::killed);
        for (auto& reader : readers)
            reader.reset();
        // Others in their places: a writer that goes on with the numbers, readers that are new.
        const auto next = start_writer(world, vendor, topic, 1, 0);
        for (const Vendor reader : both_vendors)
            readers.push_back(start_reader(world, reader, topic, 30, true));
        next->write_line("write 10");
        world.start_daemon();
        for (std::size_t i = 2; i < readers.size(); ++i) {
            INFO(readers[i]->output());
            REQUIRE(readers[i]->wait_line("COMPLETE", patience).has_value());
        }
        REQUIRE(next->write_line("wait_acks"));
        REQUIRE(next->wait_line("ACKED 10", patience));
        for (const Vendor reader : both_vendors) {
            INFO("late " << name(reader));
            CHECK(flaws(*start_reader(world, reader, topic, 30, false), 30) == "");
        }
        for (std::size_t i = 2; i < readers.size(); ++i) {
            readers[i]->write_line("exit");
            CHECK(flaws(*readers[i], 30) == "");
        }
    }
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
