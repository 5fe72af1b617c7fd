#include "daemon/check_config.hpp"

#include "base/text.hpp"
#include "config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

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
             std::size_t indent) {
        const std::string value = config::format_value(option, option.slot(target));
        if (value.empty()) return;  // an override that is not set
        const auto dot = path.rfind('.');
        const auto section =
            dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
        const std::size_t depth = open_section(section, indent);
        const auto name = dot == std::string_view::npos ? path : path.substr(dot + 1);
        out_ += line(indent + 2 * depth, name, value, loaded_.origin(full));
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
            row(option,
                path,
                fmt::format("topics[{}].{}", index, path),
                Target{&config_, &config_.topics[index]},
                4);
        }
        out_[start + 2] = '-';
    }

    const config::Loaded& loaded_;
    Config config_;
    std::string out_;
    std::string_view section_;
    bool topics_done_{false};
};

}  // namespace

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
