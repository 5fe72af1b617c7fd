#include "daemon/check_config.hpp"

#include "base/text.hpp"
#include "config/schema.hpp"
#include "model/ros_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <linux/magic.h>
#include <sys/vfs.h>

namespace durability::daemon {
namespace {

using config::Option;
using config::Target;

constexpr std::size_t origin_column = 44;

// "name: value   # origin"
std::string line(std::size_t indent,
                 std::string_view name,
                 const std::string& value,
                 const std::string& origin) {
    std::string out = fmt::format("{:{}}{}: {}", "", indent, name, value);
    out.resize(std::max(out.size() + 2, origin_column), ' ');
    return out + "# " + printable(origin, 4'096) + "\n";
}

// The other of the two names that a rule's topic or type has.
std::string other_name(std::string_view path, const TopicRule& rule) {
    std::optional<std::string> ros;
    if (path == "topic") ros = ros_topic_of_dds(rule.topic);
    if (path == "type") ros = ros_type_of_dds(rule.type);
    if (ros) return "; in ROS " + *ros;
    if (path == "ros_topic") return "; in DDS " + rule.topic;
    if (path == "ros_type") return "; in DDS " + rule.type;
    return {};
}

// Prints the rows of the table in order, opening a section where one begins.
class Printer {
  public:
    explicit Printer(const config::Loaded& loaded) : loaded_(loaded), config_(loaded.config) {}

    std::string print() {
        for (const Option& option : config::options()) {
            const bool in_rule = option.path.starts_with("topics[]");
            if (in_rule && !topics_done_) print_topics();
            if (!in_rule)
                row(option, option.path, std::string(option.path), Target{&config_, nullptr}, 0);
        }
        return std::move(out_);
    }

  private:
    // `path` is printed from its last section on.
    void row(const Option& option,
             std::string_view path,
             const std::string& full,
             Target target,
             std::size_t indent,
             const std::string& remark = {}) {
        const std::string value = config::format_value(option, option.slot(target));
        if (value.empty()) return;  // an override that is not set
        const auto dot = path.rfind('.');
        const auto section =
            dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
        const std::size_t depth = open_section(section, indent);
        const auto name = dot == std::string_view::npos ? path : path.substr(dot + 1);
        out_ += line(indent + 2 * depth, name, value, loaded_.origin(full) + remark);
    }

    // Prints the names of the sections ("threads.loop") that the row before was not in; says how
    // many there are around the row.
    std::size_t open_section(std::string_view section, std::size_t indent) {
        std::size_t depth = 0;
        for (std::size_t begin = 0; begin < section.size(); ++depth) {
            const std::size_t end = std::min(section.find('.', begin), section.size());
            const std::string_view outer = section.substr(0, end);
            const bool is_open =
                section_ == outer || section_.starts_with(std::string(outer) + '.');
            if (!is_open) {
                out_ += fmt::format(
                    "{:{}}{}:\n", "", indent + 2 * depth, section.substr(begin, end - begin));
            }
            begin = end + 1;
        }
        section_ = section;
        return depth;
    }

    void print_topics() {
        topics_done_ = true;
        section_ = "";
        if (config_.topics.empty()) {
            out_ += line(0, "topics", "[]", "default");
            return;
        }
        out_ += "topics:\n";
        for (std::size_t i = 0; i < config_.topics.size(); ++i)
            print_rule(i);
        section_ = "";
    }

    void print_rule(std::size_t index) {
        const std::string_view prefix = "topics[].";
        const std::size_t start = out_.size();
        section_ = "";
        for (const Option& option : config::options()) {
            if (!option.path.starts_with(prefix)) continue;
            const auto path = option.path.substr(prefix.size());
            TopicRule& rule = config_.topics[index];
            // What was written as ROS 2 has it is printed so: the two together would be an error.
            if ((path == "topic" && rule.ros_topic) || (path == "type" && rule.ros_type)) continue;
            row(option,
                path,
                fmt::format("topics[{}].{}", index, path),
                Target{&config_, &rule},
                4,
                other_name(path, rule));
        }
        out_[start + 2] = '-';
    }

    const config::Loaded& loaded_;
    Config config_;
    std::string out_;
    std::string_view section_;
    bool topics_done_{false};
};

// The file system that a path lies on or would be made on.
bool on_tmpfs(std::filesystem::path path) {
    struct statfs facts {};
    while (::statfs(path.c_str(), &facts) != 0) {
        if (!path.has_relative_path()) return false;
        path = path.parent_path();
    }
    return facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC;
}

}  // namespace

std::vector<config::Problem> check_surroundings(const config::Loaded& loaded) {
    std::vector<config::Problem> problems;
    const std::string path = "store.directory";
    const std::string& directory = loaded.config.store.directory;
    if (!on_tmpfs(directory)) return problems;
    config::Problem& problem = problems.emplace_back();
    problem.file = "built-in default";
    if (const auto found = loaded.origins.find(path); found != loaded.origins.end()) {
        problem.file = found->second.file;
        problem.line = found->second.line;
        problem.column = found->second.column;
        problem.source = found->second.source;
    }
    problem.path = path;
    problem.message = fmt::format("'{}' lies in memory: a restart of the machine empties it",
                                  printable(directory));
    problem.hint = "PERSISTENT topics need a disk";
    problem.gravity = config::Gravity::warning;
    return problems;
}

std::string effective_configuration(const config::Loaded& loaded) {
    std::string out = "# files: ";
    if (loaded.files.empty()) out += "none, built-in defaults";
    for (const std::string& file : loaded.files) {
        if (&file != &loaded.files.front()) out += ", ";
        out += printable(file, 4'096);
    }
    return out + "\n" + Printer(loaded).print();
}

}  // namespace durability::daemon
