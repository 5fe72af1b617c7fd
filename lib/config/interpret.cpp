#include "config/interpret.hpp"

#include "types/key_plan.hpp"

#include "base/text.hpp"
#include "model/ros_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace durability::config {
namespace {

// What the documentation of the product knows and this version does not do: refused, never ignored.
struct Unsupported {
    std::string_view path;
    std::string_view message;
};
constexpr std::array unsupported{
    // Where they are built in they are options like any other.
    Unsupported{"threads",
                "feature missing: real-time thread settings need a build with the CMake option "
                "DURABILITYD_RT"},
};

// Every sample's topic is compared with every rule once, and every rule with every other at start.
constexpr std::size_t most_rules = 5'000;

std::string_view kind_name(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::null:
            return "nothing";
        case Node::Kind::scalar:
            return "a single value";
        case Node::Kind::list:
            return "a list";
        case Node::Kind::map:
            return "a group of options";
    }
    return "?";
}

// "store" + "sync" -> "store.sync"
std::string join(std::string_view section, std::string_view name) {
    return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

// Walks one document. `schema` is the path as the table has it ("topics[].contract"), `shown` as
// the reader of the file counts ("topics[2].contract").
class Interpreter {
  public:
    Interpreter(const Document& document, Loaded& loaded, std::vector<Problem>& problems)
        : document_(document), loaded_(loaded), problems_(problems) {}

    void section(const Node& node,
                 const std::string& schema,
                 const std::string& shown,
                 Target target);
    void root(Contents contents);

  private:
    void entry(const Node& key,
               const Node& value,
               const std::string& schema,
               const std::string& shown,
               Target target);
    void unknown(const Node& key, const std::string& schema, const std::string& shown);
    void value(const Option& option, const Node& node, const std::string& shown, Target target);
    void list(const Option& option, const Node& node, const std::string& shown, Slot slot);
    void check_layout(const TopicRule& rule, const Node& node, const std::string& shown);
    void rules(const Node& node);
    void names(const Node& node, const std::string& shown, TopicRule& rule);
    [[nodiscard]] Origin origin(const Node& node) const {
        return Origin{document_.file, node.line, node.column, document_.line(node.line)};
    }
    void report(const Node& node, std::string path, std::string message, std::string hint = {}) {
        problems_.push_back(
            document_.problem(node, std::move(path), std::move(message), std::move(hint)));
    }
    void complain(const Node& node, const std::string& path, Complaint complaint) {
        report(node, path, std::move(complaint.message), std::move(complaint.hint));
    }

    const Document& document_;
    Loaded& loaded_;
    std::vector<Problem>& problems_;
};

void Interpreter::root(Contents contents) {
    const Node& node = document_.root;
    const Target target{&loaded_.config, nullptr};
    if (contents == Contents::everything) return section(node, "", "", target);
    if (node.kind != Node::Kind::map) return section(node, "", "", target);
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        if (node.keys[i].scalar.text == "topics") {
            rules(node.items[i]);
        } else {
            report(node.keys[i],
                   "",
                   fmt::format("'{}' cannot be set here", printable(node.keys[i].scalar.text, 60)),
                   "files in conf.d hold topic rules only, under topics:");
        }
    }
}

void Interpreter::section(const Node& node,
                          const std::string& schema,
                          const std::string& shown,
                          Target target) {
    // A section whose options are all commented out is empty, not wrong.
    if (node.kind == Node::Kind::null) return;
    if (node.kind != Node::Kind::map) {
        report(node,
               shown,
               fmt::format("expected a group of options, found {}", kind_name(node.kind)));
        return;
    }
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        entry(node.keys[i], node.items[i], schema, shown, target);
    }
}

void Interpreter::entry(const Node& key,
                        const Node& value_node,
                        const std::string& schema,
                        const std::string& shown,
                        Target target) {
    const std::string& name = key.scalar.text;
    const std::string path = join(schema, name);
    const std::string shown_path = join(shown, name);
    if (path == "topics") return rules(value_node);
    if (const Option* option = find_option(path))
        return value(*option, value_node, shown_path, target);
    if (is_section(path)) return section(value_node, path, shown_path, target);
    for (const auto& [refused, message] : unsupported) {
        if (path != refused) continue;
        const bool empty = value_node.kind == Node::Kind::null ||
                           (value_node.kind == Node::Kind::map && value_node.keys.empty());
        if (!empty) report(key, shown_path, std::string(message));
        return;
    }
    unknown(key, schema, shown);
}

void Interpreter::unknown(const Node& key, const std::string& schema, const std::string& shown) {
    const std::string& name = key.scalar.text;
    std::string hint;
    if (const auto near = closest_match(name, names_below(schema))) {
        hint = fmt::format("did you mean '{}'?", *near);
    } else {
        // Right name, wrong place: worth saying when only one place has it.
        std::vector<std::string_view> elsewhere;
        for (const Option& option : options()) {
            if (option.path.ends_with("." + name)) elsewhere.push_back(option.path);
        }
        if (elsewhere.size() == 1) hint = fmt::format("there is {}", elsewhere.front());
    }
    report(key, shown, fmt::format("unknown option '{}'", printable(name, 60)), hint);
}

void Interpreter::value(const Option& option,
                        const Node& node,
                        const std::string& shown,
                        Target target) {
    const Slot slot = option.slot(target);
    const bool is_auto = option.type == Type::key_layout && node.kind == Node::Kind::scalar &&
                         node.scalar.text == "auto";
    if (is_auto) {
        clear(slot);
    } else if (is_list(option.type)) {
        list(option, node, shown, slot);
        if (option.type == Type::key_layout) check_layout(*target.rule, node, shown);
    } else if (node.kind == Node::Kind::null) {
        report(node, shown, "has no value", fmt::format("expected {}", describe_expected(option)));
        return;
    } else if (node.kind != Node::Kind::scalar) {
        report(
            node,
            shown,
            fmt::format("expected {}, found {}", describe_expected(option), kind_name(node.kind)));
        return;
    } else if (auto complaint = assign(option, slot, node.scalar)) {
        return complain(node, shown, *std::move(complaint));
    }
    loaded_.origins.insert_or_assign(shown, origin(node));
}

void Interpreter::list(const Option& option,
                       const Node& node,
                       const std::string& shown,
                       Slot slot) {
    if (node.kind == Node::Kind::scalar || node.kind == Node::Kind::map) {
        report(node,
               shown,
               fmt::format("expected a list, found {}", kind_name(node.kind)),
               node.kind == Node::Kind::scalar
                   ? fmt::format("write [{}]", printable(node.scalar.text, 60))
                   : "");
        return;
    }
    clear(slot);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const Node& item = node.items[i];
        const std::string path = fmt::format("{}[{}]", shown, i);
        if (item.kind != Node::Kind::scalar) {
            report(item,
                   path,
                   fmt::format(
                       "expected {}, found {}", describe_expected(option), kind_name(item.kind)));
        } else if (auto complaint = assign(option, slot, item.scalar)) {
            complain(item, path, *std::move(complaint));
        }
    }
}

// What one member is is known only in its place among the others.
void Interpreter::check_layout(const TopicRule& rule, const Node& node, const std::string& shown) {
    if (node.kind != Node::Kind::list) return;
    if (rule.key.empty()) {
        report(node, shown, "names no member of the key", "auto means that none need be named");
    } else if (const auto plan = types::KeyPlan::from_layout(rule.key); !plan) {
        report(
            node,
            shown,
            plan.error().detail,
            "members are bool, octet, char, int8 to int64, uint8 to uint64, float32, float64, "
            "string, wstring, arrays such as \"uint8[16]\"; \"skip int32\" is one beside the key");
    }
}

void Interpreter::rules(const Node& node) {
    if (node.kind == Node::Kind::null) return;
    if (node.kind != Node::Kind::list) {
        report(node,
               "topics",
               fmt::format("expected a list of rules, found {}", kind_name(node.kind)),
               "each rule begins with '- '");
        return;
    }
    for (const Node& item : node.items) {
        if (loaded_.config.topics.size() >= most_rules) {
            return report(item,
                          "topics",
                          fmt::format("more than {} rules", most_rules),
                          "patterns can say the same in fewer");
        }
        const std::string shown = fmt::format("topics[{}]", loaded_.config.topics.size());
        if (item.kind != Node::Kind::map) {
            report(item, shown, fmt::format("expected a rule, found {}", kind_name(item.kind)));
            continue;
        }
        TopicRule rule;
        rule.origin = origin(item).text();
        section(item, "topics[]", shown, Target{&loaded_.config, &rule});
        names(item, shown, rule);
        loaded_.origins.insert_or_assign(shown, origin(item));
        loaded_.config.topics.push_back(std::move(rule));
    }
}

// One rule has one topic and one type, each written as DDS or as ROS 2 has it; what matches is the
// DDS name.
void Interpreter::names(const Node& node, const std::string& shown, TopicRule& rule) {
    const auto key = [&](std::string_view name) -> const Node* {
        const auto found = std::find_if(node.keys.begin(), node.keys.end(), [&](const Node& one) {
            return one.scalar.text == name;
        });
        return found == node.keys.end() ? nullptr : &*found;
    };
    const auto once = [&](std::string_view dds, std::string_view ros) {
        const Node* first = key(dds);
        const Node* second = key(ros);
        if (first == nullptr || second == nullptr) return;
        const bool swapped = second->line < first->line ||
                             (second->line == first->line && second->column < first->column);
        if (swapped) std::swap(first, second);
        report(*second,
               shown,
               fmt::format("{} and {} are both given; the first is at {}:{}:{}",
                           first->scalar.text,
                           second->scalar.text,
                           document_.file,
                           first->line,
                           first->column),
               fmt::format("{} is {} in the way of ROS 2: keep one of them", ros, dds));
    };
    once("topic", "ros_topic");
    once("type", "ros_type");
    if (key("topic") == nullptr && key("ros_topic") == nullptr)
        report(node, shown, "the rule has no topic", "topic: \"*\" means every topic");
    if (rule.ros_topic) rule.topic = dds_topic_of_ros(*rule.ros_topic);
    if (rule.ros_type) rule.type = dds_type_of_ros(*rule.ros_type);
}

}  // namespace

void interpret(const Document& document,
               Contents contents,
               Loaded& loaded,
               std::vector<Problem>& problems) {
    Interpreter(document, loaded, problems).root(contents);
}

void apply_setting(const Setting& setting, Loaded& loaded, std::vector<Problem>& problems) {
    const Option* option = find_option(setting.path);
    if (option == nullptr) return;
    const Slot slot = option->slot(Target{&loaded.config, nullptr});
    if (!setting.append) clear(slot);
    for (const std::string& text : setting.values) {
        if (auto complaint = assign(*option, slot, Scalar{text, false})) {
            Problem problem;
            problem.file = command_line;
            problem.path = setting.name;
            problem.message = std::move(complaint->message);
            problem.hint = std::move(complaint->hint);
            problems.push_back(std::move(problem));
        }
    }
    loaded.origins.insert_or_assign(setting.path, Origin{std::string(command_line), 0, 0, {}});
}

}  // namespace durability::config
