#include "daemon/options.hpp"

#include "durability/version.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>

namespace durability::daemon {
namespace {

namespace po = boost::program_options;
using Texts = std::vector<std::string>;

po::options_description described() {
    po::options_description options("Options", 100, 60);
    // clang-format off
    options.add_options()
        ("config,c", po::value<std::string>()->value_name("FILE"),
         "configuration file (default: /etc/durabilityd/durabilityd.yaml when it exists, else built-in defaults)")
        ("state-dir", po::value<std::string>()->value_name("DIR"),
         "store of disk topics (overrides store.directory)")
        ("runtime-dir", po::value<std::string>()->value_name("DIR"),
         "store of memory topics and control socket (overrides store.runtime_directory)")
        ("domain,d", po::value<Texts>()->value_name("N")->composing(),
         "DDS domain, repeatable (overrides domains)")
        ("interface,i", po::value<Texts>()->value_name("NAME")->composing(),
         "interface by name or address, repeatable (overrides network.interfaces)")
        ("peer", po::value<Texts>()->value_name("ADDR[:PORT]")->composing(),
         "address to announce to by unicast, repeatable (adds to network.peers)")
        ("check-config", po::bool_switch(),
         "read and check the configuration, print it with the origin of each value, start nothing")
        ("quiet", po::bool_switch(),
         "with --check-config: print problems only")
        ("log-level", po::value<std::string>()->value_name("LEVEL"),
         "error, warning, info, debug or trace (overrides log.level)")
        ("help,h", po::bool_switch(), "print this help")
        ("version,V", po::bool_switch(), "print the version");
    // clang-format on
    return options;
}

// Relative to where the user stands; the configuration itself knows absolute paths only.
std::string absolute(const std::string& path) {
    if (path.empty()) return path;
    std::error_code error;
    const auto full = std::filesystem::absolute(path, error).lexically_normal();
    if (error) return path;
    // "var/" and "var" are one directory and must be seen to be one.
    return full.has_filename() || !full.has_relative_path() ? full.string()
                                                            : full.parent_path().string();
}

void add_path(const po::variables_map& map, const char* name, const char* path, Options& options) {
    if (map.count(name) == 0) return;
    options.settings.push_back(
        {path, {absolute(map[name].as<std::string>())}, false, fmt::format("--{}", name)});
}

void add_list(const po::variables_map& map,
              const char* name,
              const char* path,
              bool append,
              Options& options) {
    if (map.count(name) == 0) return;
    options.settings.push_back({path, map[name].as<Texts>(), append, fmt::format("--{}", name)});
}

Options collect(const po::variables_map& map) {
    Options options;
    if (map.count("config") > 0) options.config_file = map["config"].as<std::string>();
    options.check_config = map["check-config"].as<bool>();
    options.quiet = map["quiet"].as<bool>();
    options.help = map["help"].as<bool>();
    options.version = map["version"].as<bool>();
    add_path(map, "state-dir", "store.directory", options);
    add_path(map, "runtime-dir", "store.runtime_directory", options);
    add_list(map, "domain", "domains", false, options);
    add_list(map, "interface", "network.interfaces", false, options);
    add_list(map, "peer", "network.peers", true, options);
    if (map.count("log-level") > 0) {
        options.settings.push_back(
            {"log.level", {map["log-level"].as<std::string>()}, false, "--log-level"});
    }
    return options;
}

}  // namespace

tl::expected<Options, std::string> parse_options(int argc, const char* const* argv) {
    try {
        using po::command_line_style::allow_guessing;
        using po::command_line_style::unix_style;
        const po::options_description options = described();
        // Without positional options declared, the library accepts stray words in silence.
        const po::positional_options_description none;
        po::variables_map map;
        po::store(po::command_line_parser(argc, argv)
                      .options(options)
                      .positional(none)
                      .style(unix_style & ~allow_guessing)
                      .run(),
                  map);
        po::notify(map);
        Options parsed = collect(map);
        if (map.count("config") > 0 && parsed.config_file.empty())
            return tl::unexpected(std::string("--config names no file"));
        if (parsed.quiet && !parsed.check_config)
            return tl::unexpected(std::string("--quiet goes with --check-config only"));
        return parsed;
    } catch (const po::too_many_positional_options_error&) {
        return tl::unexpected(std::string("the command line has a word that belongs to no option"));
    } catch (const po::error& error) {
        return tl::unexpected(std::string(error.what()));
    }
}

config::Sources sources_of(const Options& options) {
    namespace fs = std::filesystem;
    config::Sources sources;
    sources.settings = options.settings;
    sources.file = options.config_file;
    std::error_code error;
    // A default file that exists and cannot be read is a problem, not a reason for the defaults.
    if (sources.file.empty() &&
        fs::symlink_status(default_config_file, error).type() != fs::file_type::not_found) {
        sources.file = default_config_file;
    }
    const fs::path beside =
        sources.file.empty() ? fs::path(default_config_file) : fs::path(sources.file);
    sources.conf_d = (beside.parent_path() / "conf.d").string();
    return sources;
}

std::string help_text() {
    return fmt::format(
        "Usage: durabilityd [options]\n\n"
        "Keeps what DDS writers publish for readers that come late: after the writer has ended, "
        "and after\n"
        "this daemon or the machine was restarted. Stays in the foreground.\n\n"
        "{}\nManual: durabilityd(8), durabilityd.yaml(5).\n",
        fmt::streamed(described()));
}

std::string version_text() {
    return fmt::format("durabilityd {}\nstore format {}\nreal-time thread settings: {}\n",
                       version(),
                       store_format_version,
                       has_realtime() ? "built in (DURABILITYD_RT)" : "not built in");
}

}  // namespace durability::daemon
