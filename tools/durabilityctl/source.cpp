#include "durabilityctl/source.hpp"

#include "config/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace durability::ctl {
namespace {

constexpr const char* default_config_file = "/etc/durabilityd/durabilityd.yaml";

// The configuration that a daemon without arguments would run with. When it cannot be read the
// built-in defaults serve as well: this is a tool's guess, and the daemon reports what is wrong
// with its file.
Config default_configuration() {
    config::Sources sources;
    std::error_code ignored;
    if (std::filesystem::exists(default_config_file, ignored)) sources.file = default_config_file;
    const auto loaded = config::load(sources);
    return loaded ? loaded->config : Config{};
}

// Rows of other domains and topics leave; the JSON is made anew from what remains.
void filter(const Arguments& arguments, control::Command command, control::Reply& reply) {
    if (arguments.domain < 0 && arguments.words.empty()) return;
    auto& domains = reply.status.domains;
    if (arguments.domain >= 0) {
        std::erase_if(
            domains, [&](const DomainStatus& domain) { return domain.domain != arguments.domain; });
    }
    if (!arguments.words.empty()) {
        const auto other = [&](const auto& row) { return row.topic != arguments.words.front(); };
        for (DomainStatus& domain : domains) {
            std::erase_if(domain.topics, other);
            std::erase_if(domain.writers, other);
            std::erase_if(domain.readers, other);
        }
    }
    reply.data = control::encode_data(command, reply.status);
}

}  // namespace

std::string socket_path(const Arguments& arguments) {
    if (!arguments.socket.empty()) return arguments.socket;
    const Config config = default_configuration();
    const std::string& socket = config.control.socket;
    return socket.starts_with('/') ? socket : config.store.runtime_directory + "/" + socket;
}

Result<control::Reply> ask_daemon(const Arguments& arguments, const control::Request& request) {
    auto reply = control::ask(socket_path(arguments), request);
    if (reply) {
        filter(arguments, request.command, *reply);
        return reply;
    }
    Error error = reply.error();
    if (error.code == Errc::unavailable) {
        error.detail += "; is durabilityd running? Name its socket with --socket";
        const Command* command = find_command(arguments.command);
        if (command != nullptr && takes(command->options, Takes::state_dir)) {
            error.detail += ", or read its store with --state-dir";
        }
    }
    if (error.code == Errc::permission) {
        error.detail += "; run it as root or as a member of the daemon's group";
    }
    return tl::unexpected(std::move(error));
}

Result<control::Reply> snapshot(const Arguments& arguments, control::Command command) {
    return ask_daemon(arguments, control::Request{command, false});
}

}  // namespace durability::ctl
