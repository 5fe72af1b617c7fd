#include "durabilityctl/source.hpp"

#include "durabilityctl/output.hpp"
#include "durabilityctl/store_at_rest.hpp"

#include "config/loader.hpp"
#include "durability/version.hpp"
#include "model/ros_names.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <sys/stat.h>

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

// Whether somebody holds the lease in one of the folders of the directory. Asking for it, however
// briefly, could keep a daemon from starting; so the kernel's list of locks is read instead.
bool is_in_use(const std::string& directory) {
    std::set<std::string> leases;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        struct stat lease {};
        if (::stat((entry.path() / "lease").c_str(), &lease) == 0)
            leases.insert(fmt::format(":{} ", lease.st_ino));
    }
    if (leases.empty()) return false;
    // "1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF"
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        if (line.find("FLOCK") == std::string::npos) continue;
        for (const std::string& lease : leases) {
            if (line.find(lease) != std::string::npos) return true;
        }
    }
    return false;
}

// These take the lease themselves, and say who has it.
bool takes_lease(const Arguments& arguments) {
    return arguments.command == "purge" || arguments.command == "compact" ||
           (arguments.command == "repair" && !arguments.dry_run);
}

constexpr const char* in_use_remark =
    "a daemon is using this store; the last moments may be missing";

bool has_topic(const std::vector<DomainStatus>& domains, std::string_view topic) {
    const auto is_it = [&](const auto& row) { return row.topic == topic; };
    return std::ranges::any_of(domains, [&](const DomainStatus& domain) {
        return std::ranges::any_of(domain.topics, is_it) ||
               std::ranges::any_of(domain.writers, is_it) ||
               std::ranges::any_of(domain.readers, is_it);
    });
}

// The topic that was typed, or that of DDS where a ROS name was typed.
std::string meant_topic(const std::vector<DomainStatus>& domains, const std::string& typed) {
    if (check_ros_topic(typed) || has_topic(domains, typed)) return typed;
    const std::string topic = dds_topic_of_ros(typed);
    if (!has_topic(domains, topic)) return typed;
    print_error(taken_for(typed, topic));
    return topic;
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
        const std::string topic = meant_topic(domains, arguments.words.front());
        const auto other = [&](const auto& row) { return row.topic != topic; };
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
    // Longer than the daemon takes to say that its disk does not answer.
    constexpr auto patience = std::chrono::seconds{40};
    const auto line = control::exchange(socket_path(arguments), request, patience);
    if (line) {
        auto reply = control::decode_reply(*line);
        if (reply && !reply->status.domains.empty()) filter(arguments, request.command, *reply);
        return reply;
    }
    Error error = line.error();
    if (error.code == Errc::unavailable) {
        error.detail += "; is durabilityd running? Name its socket with --socket";
        const Command* command = find_command(arguments.command);
        if (command != nullptr && takes(command->options, Takes::state_dir)) {
            error.detail += ", or name its store with --state-dir";
        }
    }
    if (error.code == Errc::permission) {
        error.detail += "; run it as root or as a member of the daemon's group";
    }
    return tl::unexpected(std::move(error));
}

Result<control::Reply> ask_again(const Arguments& arguments, const control::Request& request) {
    // Longer than the daemon waits for an event or, with a disk that does not answer, for its
    // store.
    constexpr auto patience = std::chrono::seconds{8};
    static const std::string path = socket_path(arguments);
    return control::ask(path, request, patience);
}

std::string store_directory(const Arguments& arguments) {
    std::string directory = arguments.state_dir;
    if (directory.empty()) {
        const auto reply = control::ask(socket_path(arguments), control::Request{});
        if (reply) {
            print_error(in_use_remark);
            directory = reply->status.store_directory;
        } else {
            directory = default_configuration().store.directory;
        }
    } else if (!takes_lease(arguments) && is_in_use(directory)) {
        print_error(in_use_remark);
    }
    while (directory.size() > 1 && directory.ends_with('/'))
        directory.pop_back();
    return directory;
}

Result<control::Reply> snapshot(const Arguments& arguments, control::Command command) {
    if (arguments.state_dir.empty()) return ask_daemon(arguments, control::Request{command, false});
    store::PosixFileSystem files;
    control::Reply reply;
    reply.status.version = version();
    reply.status.store_directory = store_directory(arguments);
    const auto folders = domain_folders(files, reply.status.store_directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    for (const DomainFolder& folder : *folders) {
        const auto store = StoreAtRest::open(files, folder);
        if (!store) return tl::unexpected(store.error());
        for (const std::string& remark : store->remarks())
            print_error(remark);
        reply.status.domains.push_back(store->status());
    }
    filter(arguments, command, reply);
    if (reply.data.empty()) reply.data = control::encode_data(command, reply.status);
    return reply;
}

}  // namespace durability::ctl
