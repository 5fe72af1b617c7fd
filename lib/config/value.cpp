// Scalars of the configuration, both ways: text into a slot with a complaint that helps, slot into
// text.
#include "base/text.hpp"
#include "config/schema.hpp"
#include "model/ros_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>

namespace durability::config {
namespace {

using std::chrono::nanoseconds;
using Value = std::variant<bool, std::uint64_t, nanoseconds, std::string>;
using Parsed = std::variant<Value, Complaint>;

std::string shown(std::string_view text) {
    return "'" + printable(text, 60) + "'";
}

bool has_control_character(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return octet < 0x20 || octet == 0x7f;
    });
}

// Nothing but decimal digits, and a number that fits.
std::optional<std::uint64_t> digits(std::string_view text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

// Why a word that was meant as a number is none, where that can be guessed.
std::string number_hint(const Scalar& scalar) {
    const std::string_view text = scalar.text;
    if (scalar.quoted) return "a number is written without quotes";
    if (text.starts_with('-')) return "it cannot be negative";
    if (text.find('_') != std::string_view::npos) return "write it without '_'";
    if (text.starts_with("0x") || text.starts_with("0o")) return "write it in decimal";
    if (text.find_first_of("eE.") != std::string_view::npos)
        return "write all digits of a whole number";
    return {};
}

// "010" is eight to YAML 1.1 and ten to its readers, so it is neither here.
std::optional<Complaint> leading_zero(std::string_view text) {
    const std::size_t significant = text.find_first_not_of('0');
    if (text.size() < 2 || significant == 0) return std::nullopt;
    const auto decimal = significant == std::string_view::npos ? "0" : text.substr(significant);
    return Complaint{shown(text) + " has a leading zero", fmt::format("write {}", decimal)};
}

Parsed parse_number(const Option& option, const Scalar& scalar) {
    if (option.type == Type::count && scalar.text == "unlimited") return Value{unlimited};
    const auto value = scalar.quoted ? std::nullopt : digits(scalar.text);
    if (!value) {
        return Complaint{fmt::format("{} is not {}", shown(scalar.text), describe_expected(option)),
                         number_hint(scalar)};
    }
    if (auto complaint = leading_zero(scalar.text)) return *complaint;
    return Value{*value};
}

Parsed parse_flag(const Scalar& scalar) {
    const std::string_view text = scalar.text;
    if (!scalar.quoted && (text == "true" || text == "yes")) return Value{true};
    if (!scalar.quoted && (text == "false" || text == "no")) return Value{false};
    std::string hint;
    if (scalar.quoted) hint = "without quotes";
    if (text == "on" || text == "y" || text == "On" || text == "True") hint = "write true";
    if (text == "off" || text == "n" || text == "Off" || text == "False") hint = "write false";
    return Complaint{shown(text) + " is not true or false", hint};
}

Parsed parse_duration_value(const Option& option, const Scalar& scalar) {
    if (const auto duration = parse_duration(scalar.text)) return Value{*duration};
    std::string hint;
    if (digits(scalar.text)) hint = fmt::format("it needs a unit, such as {}s", scalar.text);
    return Complaint{fmt::format("{} is not {}", shown(scalar.text), describe_expected(option)),
                     hint};
}

Parsed parse_size_value(const Option& option, const Scalar& scalar) {
    if (const auto size = parse_size(scalar.text)) return Value{*size};
    return Complaint{fmt::format("{} is not {}", shown(scalar.text), describe_expected(option)),
                     {}};
}

Parsed parse_choice(const Option& option, const Scalar& scalar) {
    const auto& names = option.choices;
    const auto found = std::find(names.begin(), names.end(), scalar.text);
    if (found != names.end()) return Value{static_cast<std::uint64_t>(found - names.begin())};
    std::string hint;
    if (const auto near = closest_match(scalar.text, names))
        hint = fmt::format("did you mean '{}'?", *near);
    return Complaint{fmt::format("{} is not {}", shown(scalar.text), describe_expected(option)),
                     hint};
}

// Four numbers below 256 between dots.
bool is_ipv4(std::string_view text) {
    for (int part = 0; part < 4; ++part) {
        const auto dot = part < 3 ? text.find('.') : text.size();
        if (dot == std::string_view::npos) return false;
        const auto octet = digits(text.substr(0, dot));
        if (!octet || *octet > 255 || (dot > 1 && text.front() == '0')) return false;
        text.remove_prefix(std::min(text.size(), dot + 1));
    }
    return text.empty();
}

bool is_peer(std::string_view text) {
    const auto colon = text.find(':');
    if (!is_ipv4(text.substr(0, colon))) return false;
    if (colon == std::string_view::npos) return true;
    const auto port = digits(text.substr(colon + 1));
    return port && *port >= 1 && *port <= 65'535;
}

// IFNAMSIZ is 16 with the terminating zero. The kernel allows more characters than these; names
// that use them would need quoting in YAML and shells, and have not been seen.
bool is_interface(std::string_view text) {
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+@";
    return !text.empty() && text.size() < 16 &&
           text.find_first_not_of(allowed) == std::string_view::npos;
}

std::optional<Complaint> check_text(Type type, std::string_view text) {
    const bool blank = text.find(' ') != std::string_view::npos;
    if (has_control_character(text))
        return Complaint{shown(text) + " contains a control character", {}};
    const bool is_pattern = type == Type::pattern || type == Type::name_pattern ||
                            type == Type::ros_topic || type == Type::ros_type;
    if (is_pattern && text.size() > 4'096) {
        return Complaint{"the pattern is longer than 4096 bytes", {}};
    }
    if (type == Type::pattern && (text.empty() || blank)) {
        return Complaint{shown(text) + " is not a name or pattern",
                         "names have no blanks and are not empty"};
    }
    if (type == Type::optional_path && !text.starts_with('/')) {
        return Complaint{shown(text) + " is not an absolute path or none", "begin it with '/'"};
    }
    if (type == Type::ros_topic || type == Type::ros_type) {
        const auto problem = type == Type::ros_topic ? check_ros_topic(text) : check_ros_type(text);
        if (problem) return Complaint{shown(text) + ": " + problem->message, problem->hint};
    }
    if (type == Type::absolute_path && !text.starts_with('/')) {
        return Complaint{shown(text) + " is not an absolute path", "begin it with '/'"};
    }
    if (type == Type::socket_path && text.empty())
        return Complaint{"the path of the socket is empty", {}};
    if (type == Type::interface_list && !is_interface(text)) {
        return Complaint{shown(text) + " is not an interface name or IPv4 address", {}};
    }
    if (type == Type::peer_list && !is_peer(text)) {
        return Complaint{shown(text) + " is not an IPv4 address with or without a port",
                         "examples: 192.0.2.7, \"192.0.2.7:7410\""};
    }
    return std::nullopt;
}

Parsed parse_port(const Option& option, const Scalar& scalar) {
    if (scalar.text == "auto") return Value{std::uint64_t{0}};
    const auto port = scalar.quoted ? std::nullopt : digits(scalar.text);
    if (port && *port >= option.range.min && *port <= option.range.max) return Value{*port};
    return Complaint{fmt::format("{} is not {}", shown(scalar.text), describe_expected(option)),
                     number_hint(scalar)};
}

Parsed parse(const Option& option, const Scalar& scalar) {
    switch (option.type) {
        case Type::flag:
            return parse_flag(scalar);
        case Type::number:
        case Type::count:
        case Type::domain_list:
        case Type::cpu_list:
            return parse_number(option, scalar);
        case Type::duration:
            return parse_duration_value(option, scalar);
        case Type::size:
            return parse_size_value(option, scalar);
        case Type::choice:
            return parse_choice(option, scalar);
        case Type::port_or_auto:
            return parse_port(option, scalar);
        case Type::pattern:
        case Type::name_pattern:
        case Type::ros_topic:
        case Type::ros_type:
        case Type::absolute_path:
        case Type::socket_path:
        case Type::optional_path:
        case Type::interface_list:
        case Type::peer_list:
        case Type::key_layout:
            break;
    }
    if (option.type == Type::optional_path && scalar.text == "none") return Value{std::string()};
    if (auto complaint = check_text(option.type, scalar.text)) return *complaint;
    return Value{scalar.text};
}

std::string format_number(Type type, std::uint64_t value) {
    if (value == unlimited) return "unlimited";
    return type == Type::size ? format_size(value) : std::to_string(value);
}

std::string format_bound(Type type, std::uint64_t value) {
    if (type != Type::duration) return format_number(type, value);
    return format_duration(Duration(static_cast<Duration::rep>(value)));
}

std::optional<Complaint> check_range(const Option& option, const Value& value) {
    std::uint64_t number = 0;
    if (const auto* count = std::get_if<std::uint64_t>(&value)) {
        if (option.type == Type::choice || option.type == Type::port_or_auto) return std::nullopt;
        number = *count;
    } else if (const auto* duration = std::get_if<nanoseconds>(&value)) {
        number = static_cast<std::uint64_t>(duration->count());
    } else {
        return std::nullopt;
    }
    const auto [min, max] = option.range;
    if (number < min) {
        return Complaint{fmt::format("{} is too small", format_bound(option.type, number)),
                         fmt::format("at least {}", format_bound(option.type, min))};
    }
    if (number > max) {
        return Complaint{fmt::format("{} is too large", format_bound(option.type, number)),
                         fmt::format("at most {}", format_bound(option.type, max))};
    }
    return std::nullopt;
}

// Puts a checked value where it belongs. The kind of slot follows from the row, so a mismatch is a
// mistake in the schema table, which the tests of the table would find.
struct Store {
    const Option& option;
    const Value& value;

    void operator()(std::monostate) const {}
    void operator()(std::vector<std::string>* list) const {
        list->push_back(std::get<std::string>(value));
    }
    void operator()(std::vector<std::uint32_t>* list) const {
        list->push_back(static_cast<std::uint32_t>(std::get<std::uint64_t>(value)));
    }
    void operator()(std::optional<std::uint16_t>* port) const {
        const auto number = std::get<std::uint64_t>(value);
        *port = number == 0 ? std::nullopt : std::optional(static_cast<std::uint16_t>(number));
    }
    template <class T>
    void operator()(std::optional<T>* slot) const {
        T inner{};
        (*this)(&inner);
        *slot = inner;
    }
    template <class T>
    void operator()(T* slot) const {
        if constexpr (std::is_enum_v<T>) {
            *slot = static_cast<T>(std::get<std::uint64_t>(value));
        } else {
            *slot = std::get<T>(value);
        }
    }
};

struct Format {
    const Option& option;

    std::string operator()(std::monostate) const { return std::string(option.choices.front()); }
    std::string operator()(const bool* slot) const { return *slot ? "true" : "false"; }
    std::string operator()(const std::uint64_t* slot) const {
        return format_number(option.type, *slot);
    }
    std::string operator()(const nanoseconds* slot) const { return format_duration(*slot); }
    // Escaped as YAML's double quotes read it; paths stay bare where YAML leaves them alone.
    std::string operator()(const std::string* slot) const {
        constexpr std::string_view plain =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@";
        if (option.type == Type::optional_path && slot->empty()) return "none";
        const bool is_path = option.type == Type::absolute_path ||
                             option.type == Type::socket_path || option.type == Type::optional_path;
        const bool bare = is_path && slot->find_first_not_of(plain) == std::string::npos;
        return bare ? *slot : '"' + printable(*slot, 4'096) + '"';
    }
    std::string operator()(const std::vector<std::string>* slot) const {
        if (option.type == Type::key_layout && slot->empty()) return "auto";
        // A port's colon would make a flow mapping of a bare address, brackets a list.
        return option.type != Type::interface_list && !slot->empty()
                   ? fmt::format("[\"{}\"]", fmt::join(*slot, "\", \""))
                   : fmt::format("[{}]", fmt::join(*slot, ", "));
    }
    std::string operator()(const std::vector<std::uint32_t>* slot) const {
        return fmt::format("[{}]", fmt::join(*slot, ", "));
    }
    std::string operator()(const std::optional<std::uint16_t>* slot) const {
        return *slot ? std::to_string(**slot) : "auto";
    }
    template <class T>
    std::string operator()(const std::optional<T>* slot) const {
        return *slot ? (*this)(&**slot) : std::string();
    }
    template <class T>
    std::string operator()(const T* slot) const {
        static_assert(std::is_enum_v<T>);
        return std::string(option.choices[static_cast<std::size_t>(*slot)]);
    }
};

}  // namespace

bool is_list(Type type) {
    return type == Type::domain_list || type == Type::cpu_list || type == Type::interface_list ||
           type == Type::peer_list || type == Type::key_layout;
}

std::string describe_expected(const Option& option) {
    switch (option.type) {
        case Type::flag:
            return "true or false";
        case Type::number:
            return "a number";
        case Type::count:
            return "a number or unlimited";
        case Type::duration:
            return "a duration; examples: 250ms, 10s, 5min, 2h, 7d, infinite";
        case Type::size:
            return "a size; examples: 64KiB, 1MiB, 2GiB, unlimited";
        case Type::choice:
            return fmt::format("one of: {}", fmt::join(option.choices, ", "));
        case Type::pattern:
        case Type::name_pattern:
            return "a name or a pattern";
        case Type::ros_topic:
            return "a ROS topic name such as /tf_static";
        case Type::ros_type:
            return "a ROS type name such as tf2_msgs/msg/TFMessage";
        case Type::absolute_path:
            return "an absolute path";
        case Type::socket_path:
            return "a path";
        case Type::optional_path:
            return "an absolute path or none";
        case Type::port_or_auto:
            return "a port number or auto";
        case Type::domain_list:
            return "a domain number";
        case Type::cpu_list:
            return "the number of a processor";
        case Type::interface_list:
            return "an interface name or address";
        case Type::peer_list:
            return "an address with or without a port";
        case Type::key_layout:
            return "auto or a list of members";
    }
    return {};
}

std::optional<Complaint> assign(const Option& option, Slot slot, const Scalar& scalar) {
    const Parsed parsed = parse(option, scalar);
    if (const auto* complaint = std::get_if<Complaint>(&parsed)) return *complaint;
    const Value& value = std::get<Value>(parsed);
    if (auto complaint = check_range(option, value)) return complaint;
    std::visit(Store{option, value}, slot);
    return std::nullopt;
}

void clear(Slot slot) {
    if (auto* const* texts = std::get_if<std::vector<std::string>*>(&slot)) (*texts)->clear();
    if (auto* const* numbers = std::get_if<std::vector<std::uint32_t>*>(&slot)) (*numbers)->clear();
}

std::string format_value(const Option& option, Slot slot) {
    return std::visit(Format{option}, slot);
}

}  // namespace durability::config
