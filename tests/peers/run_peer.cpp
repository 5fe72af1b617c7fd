#include "endpoint.hpp"

namespace peer {

int run_peer(int argc, char** argv, const Connect& connect) {
    const Options options = parse_options(argc, argv);
    switch (options.command) {
        case Command::publish:
            return publish(options, connect);
        case Command::subscribe:
            return subscribe(options, connect);
    }
    return exit_usage;
}

}  // namespace peer
