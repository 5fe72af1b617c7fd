#include "types/shape_builder.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace durability::types {

namespace {

struct Name {
    std::string_view text;
    NodeKind kind;
    Meaning meaning;
    std::uint8_t width;
};

constexpr auto names = std::to_array<Name>({
    {"bool", NodeKind::primitive, Meaning::boolean, 1},
    {"octet", NodeKind::primitive, Meaning::octet, 1},
    {"char", NodeKind::primitive, Meaning::character, 1},
    {"int8", NodeKind::primitive, Meaning::signed_integer, 1},
    {"int16", NodeKind::primitive, Meaning::signed_integer, 2},
    {"int32", NodeKind::primitive, Meaning::signed_integer, 4},
    {"int64", NodeKind::primitive, Meaning::signed_integer, 8},
    {"uint8", NodeKind::primitive, Meaning::octet, 1},
    {"uint16", NodeKind::primitive, Meaning::unsigned_integer, 2},
    {"uint32", NodeKind::primitive, Meaning::unsigned_integer, 4},
    {"uint64", NodeKind::primitive, Meaning::unsigned_integer, 8},
    {"float32", NodeKind::primitive, Meaning::floating, 4},
    {"float64", NodeKind::primitive, Meaning::floating, 8},
    {"string", NodeKind::string, Meaning::character, 1},
    {"wstring", NodeKind::wide_string, Meaning::wide_character, 2},
});

constexpr std::uint32_t max_bound = 1U << 20U;
constexpr std::size_t max_elements = 1000;
constexpr std::string_view skip_word = "skip ";

struct Element {
    ShapeNode node;
    std::uint32_t array_size{0};  // 0: no array
    bool is_key{true};
};

// The number between the brackets that `text` ends with, which are cut off; nothing when it does
// not end so.
std::optional<std::uint32_t> take_bound(std::string_view& text, char open, char close) {
    const std::size_t at = text.find(open);
    if (at == std::string_view::npos || text.back() != close) return std::nullopt;
    const std::string_view digits = text.substr(at + 1, text.size() - at - 2);
    std::uint32_t bound = 0;
    const auto* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, bound);
    if (error != std::errc{} || stop != end || bound == 0 || bound > max_bound) return std::nullopt;
    text = text.substr(0, at);
    return bound;
}

// "[skip ]<name>[<bound>][[size]]", such as "uint8[16]", "skip int64", "string<8>".
std::optional<Element> parse_element(std::string_view text) {
    Element element;
    if (text.substr(0, skip_word.size()) == skip_word) {
        element.is_key = false;
        text.remove_prefix(skip_word.size());
    }
    if (!text.empty() && text.back() == ']') {
        const auto size = take_bound(text, '[', ']');
        if (!size) return std::nullopt;
        element.array_size = *size;
    }
    if (!text.empty() && text.back() == '>') {
        const auto bound = take_bound(text, '<', '>');
        if (!bound) return std::nullopt;
        element.node.count = *bound;
    }
    for (const Name& name : names) {
        if (name.text != text) continue;
        if (element.node.count != 0 && name.kind == NodeKind::primitive) return std::nullopt;
        element.node.kind = name.kind;
        element.node.meaning = name.meaning;
        element.node.width = name.width;
        return element;
    }
    return std::nullopt;
}

NodeIndex add_element(Shape& shape, const Element& element) {
    shape.nodes.push_back(element.node);
    const auto index = static_cast<NodeIndex>(shape.nodes.size() - 1);
    if (element.array_size == 0) return index;
    ShapeNode array;
    array.kind = NodeKind::array;
    array.element = index;
    array.count = element.array_size;
    array.header = header_for(element.node);
    shape.nodes.push_back(std::move(array));
    return index + 1;
}

}  // namespace

Result<Shape> shape_of_layout(const std::vector<std::string>& layout) {
    if (layout.size() > max_elements)
        return fail(Errc::invalid_argument,
                    fmt::format("a key layout of more than {} elements", max_elements));
    Shape shape;
    shape.is_layout = true;
    ShapeNode root;
    root.kind = NodeKind::structure;
    std::size_t behind_last_key = 0;
    for (const std::string& text : layout) {
        const auto element = parse_element(text);
        if (!element)
            return fail(Errc::invalid_argument,
                        fmt::format("\"{}\" is no element of a key layout", text));
        ShapeMember member;
        member.node = add_element(shape, *element);
        member.id = static_cast<std::uint32_t>(root.members.size());
        member.is_key = element->is_key;
        root.members.push_back(std::move(member));
        if (element->is_key) behind_last_key = root.members.size();
    }
    root.members.resize(behind_last_key);
    find_keys(root);
    shape.nodes.push_back(std::move(root));
    shape.root = static_cast<NodeIndex>(shape.nodes.size() - 1);
    return shape;
}

}  // namespace durability::types
