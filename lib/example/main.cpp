// A program that keeps one latched topic for late readers by itself, without durabilityd:
//     durability_example CONFIGURATION TOPIC TYPE
// CONFIGURATION is a file as durabilityd.yaml(5) describes it; TOPIC and TYPE are the names on the
// wire, such as rt/map and nav_msgs::msg::dds_::OccupancyGrid_. Prints what the service reports,
// and ends when it is asked to (SIGINT, SIGTERM).
#include <durability/service.hpp>

#include <csignal>
#include <cstdio>
#include <utility>

namespace {

int complain(const durability::Error& error) {
    std::fprintf(stderr, "durability_example: %s\n", error.text().c_str());
    return durability::exit_status(error.code);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: durability_example CONFIGURATION TOPIC TYPE\n", stderr);
        return 64;
    }
    // Waited for below; blocked first, so that no thread is ended by them.
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGINT);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, nullptr);

    auto loaded = durability::load_config(argv[1]);
    if (!loaded) {
        for (const durability::ConfigProblem& problem : loaded.error())
            std::fputs(problem.text.c_str(), stderr);
        return durability::exit_status(durability::Errc::configuration);
    }
    durability::ServiceOptions options;
    options.config = std::move(loaded->config);
    options.on_event = [](const durability::Event& event) {
        std::puts(durability::to_line(event).c_str());
        std::fflush(stdout);
    };
    auto service = durability::DurabilityService::start(std::move(options));
    if (!service) return complain(service.error());

    durability::ServeOptions latched;
    latched.weakest = durability::ServeKind::transient_local;
    latched.contract.history = durability::ContractHistory::keep_all;
    const auto served = service->serve(argv[2], argv[3], durability::KeyedChoice::no, latched);
    if (!served) return complain(served.error());
    std::printf("serving %s\n", argv[2]);
    std::fflush(stdout);

    int signal = 0;
    sigwait(&end, &signal);
    service->shutdown();
    return 0;
}
