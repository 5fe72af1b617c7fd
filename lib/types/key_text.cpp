#include "types/key_text.hpp"

#include "types/cdr_cursor.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace durability::types {

namespace {

// Keys of more parts than this are cut; the line is for a person.
constexpr std::size_t max_elements = 64;
constexpr std::size_t max_text = 256;

template <class T>
T number_of(const std::uint8_t* big_endian) {
    T value{};
    std::memcpy(&value, big_endian, sizeof value);
    return std::endian::native == std::endian::big ? value : boost::endian::endian_reverse(value);
}

std::uint64_t unsigned_of(const std::uint8_t* octets, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
        value = value << 8U | octets[i];
    return value;
}

std::int64_t signed_of(const std::uint8_t* octets, std::size_t width) {
    std::uint64_t value = (octets[0] & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < width; ++i)
        value = value << 8U | octets[i];
    return static_cast<std::int64_t>(value);
}

std::string floating_text(const std::uint8_t* octets, std::size_t width) {
    if (width == 4)
        return fmt::format("{}", std::bit_cast<float>(number_of<std::uint32_t>(octets)));
    if (width == 8)
        return fmt::format("{}", std::bit_cast<double>(number_of<std::uint64_t>(octets)));
    return to_hex(ByteView(octets, width));
}

std::string literal_text(const ShapeNode& node, const std::uint8_t* octets) {
    const std::int64_t value = signed_of(octets, node.width);
    for (const LiteralDescription& literal : node.literals)
        if (literal.value == value && !literal.name.empty()) return printable(literal.name);
    return fmt::format("{}", value);
}

std::string quoted(std::string_view text) {
    return fmt::format("\"{}\"", printable(text, max_text));
}

std::string primitive_text(const ShapeNode& node, const std::uint8_t* octets) {
    switch (node.meaning) {
        case Meaning::boolean:
            return *octets == 0 ? "false" : "true";
        case Meaning::character:
            return fmt::format("'{}'", printable({reinterpret_cast<const char*>(octets), 1}));
        case Meaning::wide_character:
            return fmt::format("{:#06x}", unsigned_of(octets, node.width));
        case Meaning::octet:
        case Meaning::unsigned_integer:
            return fmt::format("{}", unsigned_of(octets, node.width));
        case Meaning::signed_integer:
            return fmt::format("{}", signed_of(octets, node.width));
        case Meaning::floating:
            return floating_text(octets, node.width);
        case Meaning::enumeration:
            return literal_text(node, octets);
        case Meaning::flags:
            return fmt::format("{:#x}", unsigned_of(octets, node.width));
    }
    return {};
}

void append_utf8(std::string& text, std::uint32_t point) {
    const auto put = [&](std::uint32_t octet) { text.push_back(static_cast<char>(octet)); };
    const auto put_rest = [&](unsigned shift) { put(0x80U | (point >> shift & 0x3fU)); };
    if (point < 0x80) return put(point);
    if (point < 0x800) {
        put(0xc0U | point >> 6U);
    } else if (point < 0x10000) {
        put(0xe0U | point >> 12U);
        put_rest(6);
    } else {
        put(0xf0U | point >> 18U);
        put_rest(12);
        put_rest(6);
    }
    put_rest(0);
}

// From UTF-16; a half of a pair becomes U+FFFD.
std::string utf8_of(const std::uint8_t* units, std::size_t count) {
    const auto unit = [&](std::size_t i) -> std::uint32_t {
        return i < count ? number_of<std::uint16_t>(units + 2 * i) : 0U;
    };
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t point = unit(i);
        const std::uint32_t next = unit(i + 1);
        if ((point & 0xfc00U) == 0xd800U && (next & 0xfc00U) == 0xdc00U) {
            point = 0x10000U + ((point & 0x3ffU) << 10U) + (next & 0x3ffU);
            ++i;
        } else if ((point & 0xf800U) == 0xd800U) {
            point = 0xfffd;
        }
        append_utf8(text, point);
    }
    return text;
}

// Reads the serialized key, which was made by a plan of the same shape.
class KeyText {
  public:
    KeyText(const Shape& shape, ByteView key)
        : shape_(shape), cursor_(key, std::endian::big, CdrVersion::xcdr1) {}

    std::string text() {
        add_structure(shape_[shape_.root], std::string(), false);
        return cursor_.ok() ? std::move(text_) : "(no key of the type)";
    }

  private:
    void add(NodeIndex index, const std::string& name, bool is_whole) {
        if (!cursor_.step()) return;
        const ShapeNode& node = shape_[index];
        if (node.kind == NodeKind::structure) return add_structure(node, name, is_whole);
        if (!text_.empty() && text_.back() != '[' && text_.back() != '{') text_ += ", ";
        if (!name.empty()) text_ += name + '=';
        add_value(node);
    }

    void add_structure(const ShapeNode& node, const std::string& prefix, bool is_whole) {
        const auto add_member = [&](const ShapeMember& member) {
            const bool is_nested = !prefix.empty() && !member.name.empty();
            add(member.node,
                is_nested ? prefix + '.' + printable(member.name) : printable(member.name),
                is_whole);
        };
        if (is_whole) {
            for (const ShapeMember& member : node.members)
                add_member(member);
        } else {
            for (const std::uint32_t i : node.keys)
                add_member(node.members[i]);
        }
    }

    void add_value(const ShapeNode& node) {
        switch (node.kind) {
            case NodeKind::primitive:
                return add_primitive(node);
            case NodeKind::string:
                return add_text(1);
            case NodeKind::wide_string:
                return add_text(2);
            case NodeKind::sequence:
                return add_elements(node, cursor_.u32());
            case NodeKind::array:
                return add_elements(node, node.count);
            case NodeKind::structure:
            case NodeKind::choice:
            case NodeKind::map:
                return cursor_.set_failed();
        }
    }

    void add_primitive(const ShapeNode& node) {
        cursor_.align(node.width);
        const std::uint8_t* octets = cursor_.take(node.width);
        if (octets != nullptr) text_ += primitive_text(node, octets);
    }

    void add_text(std::size_t width) {
        const std::uint32_t length = cursor_.u32();
        const std::uint8_t* octets = cursor_.take(length);
        if (octets == nullptr || length == 0) return text_ += "\"\"", void();
        text_ +=
            quoted(width == 2 ? utf8_of(octets, length / 2)
                              : std::string(reinterpret_cast<const char*>(octets), length - 1));
    }

    void add_elements(const ShapeNode& node, std::uint32_t count) {
        const ShapeNode& element = shape_[node.element];
        if (element.kind == NodeKind::primitive && element.meaning == Meaning::octet) {
            const std::uint8_t* octets = cursor_.take(count);
            if (octets == nullptr) return;
            const std::size_t shown = std::min<std::size_t>(count, max_text);
            text_ += to_hex(ByteView(octets, shown));
            if (shown < count) text_ += "...";
            return;
        }
        text_ += '[';
        for (std::uint32_t i = 0; i < count && cursor_.ok(); ++i)
            add_element(node.element, element, i);
        text_ += ']';
    }

    void add_element(NodeIndex index, const ShapeNode& element, std::uint32_t number) {
        const std::size_t length = text_.size();
        if (element.kind == NodeKind::structure) {
            if (number != 0) text_ += ", ";
            text_ += '{';
            add_structure(element, std::string(), true);
            text_ += '}';
        } else {
            add(index, std::string(), true);
        }
        if (number == max_elements) text_.replace(length, std::string::npos, ", ...");
        if (number > max_elements) text_.resize(length);
    }

    const Shape& shape_;
    CdrCursor cursor_;
    std::string text_;
};

}  // namespace

std::string describe_key(const Shape& shape, ByteView serialized_key) {
    return KeyText(shape, serialized_key).text();
}

}  // namespace durability::types
