// What the key of a shape consists of, and how long it can become.
#include "types/shape_builder.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace durability::types {

namespace {

// Which members of a structure count: those of its key, or, inside a collection, all.
enum class Scope : std::uint8_t {
    keys,
    all
};

// Enough for every key that could fit a key hash.
constexpr unsigned max_steps = 10'000;

class KeyMeasure {
  public:
    KeyMeasure(const Shape& shape, CdrVersion version) : shape_(shape), version_(version) {}

    // Whether all of the key can be read.
    Status check(NodeIndex index, Scope scope) {
        if (!checked_.insert({index, scope}).second) return {};
        const ShapeNode& node = shape_[index];
        switch (node.kind) {
            case NodeKind::primitive:
            case NodeKind::string:
            case NodeKind::wide_string:
                return {};
            case NodeKind::sequence:
            case NodeKind::array:
                return check(node.element, Scope::all);
            case NodeKind::choice:
                return fail(Errc::unsupported, "a union in the key");
            case NodeKind::map:
                return fail(Errc::unsupported, "a map in the key");
            case NodeKind::structure:
                return check_structure(node, scope);
        }
        return {};
    }

    // Where the largest value ends that begins at `at`, `unlimited_key` at most.
    std::size_t measure(NodeIndex index, Scope scope, std::size_t at) {
        if (at >= unlimited_key || ++steps_ > max_steps) return unlimited_key;
        const ShapeNode& node = shape_[index];
        switch (node.kind) {
            case NodeKind::primitive:
                return limited(aligned(at, node.width) + node.width);
            case NodeKind::string:
                return node.count == 0 ? unlimited_key
                                       : limited(length_end(at) + node.count + std::size_t{1});
            case NodeKind::wide_string:
                return node.count == 0 ? unlimited_key
                                       : limited(length_end(at) + 2 * std::size_t{node.count});
            case NodeKind::sequence:
                return node.count == 0 ? unlimited_key : measure_elements(node, at);
            case NodeKind::array:
                return measure_elements(node, at);
            case NodeKind::structure:
                return measure_structure(node, scope, at);
            case NodeKind::choice:
            case NodeKind::map:
                return unlimited_key;
        }
        return unlimited_key;
    }

  private:
    static std::size_t limited(std::size_t at) { return std::min(at, unlimited_key); }
    std::size_t aligned(std::size_t at, std::size_t width) const {
        const std::size_t alignment = std::min(width, max_alignment(version_));
        return (at + alignment - 1) / alignment * alignment;
    }
    std::size_t length_end(std::size_t at) const { return aligned(at, 4) + 4; }

    Status check_structure(const ShapeNode& node, Scope scope) {
        for (std::uint32_t i = 0; i < node.members.size(); ++i) {
            const bool counts =
                scope == Scope::all || std::binary_search(node.keys.begin(), node.keys.end(), i);
            if (!counts) continue;
            if (node.members[i].is_optional)
                return fail(Errc::unsupported, "an optional member in the key");
            if (auto checked = check(node.members[i].node, scope); !checked) return checked;
        }
        return {};
    }
    std::size_t measure_structure(const ShapeNode& node, Scope scope, std::size_t at) {
        if (scope == Scope::keys) {
            for (const std::uint32_t i : node.keys)
                at = measure(node.members[i].node, scope, at);
        } else {
            for (const ShapeMember& member : node.members)
                at = measure(member.node, scope, at);
        }
        return at;
    }
    std::size_t measure_elements(const ShapeNode& node, std::size_t at) {
        const bool has_header =
            version_ == CdrVersion::xcdr2 && node.header != CollectionHeader::absent;
        if (has_header) at = length_end(at);
        if (node.kind == NodeKind::sequence) at = length_end(at);
        for (std::uint32_t i = 0; i < node.count && at < unlimited_key; ++i)
            at = measure(node.element, Scope::all, at);
        return limited(at);
    }

    const Shape& shape_;
    CdrVersion version_;
    std::set<std::pair<NodeIndex, Scope>> checked_;
    unsigned steps_{0};
};

}  // namespace

Result<std::size_t> maximum_key_size(const Shape& shape, CdrVersion version) {
    const ShapeNode& root = shape[shape.root];
    if (std::none_of(root.members.begin(), root.members.end(), [](const ShapeMember& member) {
            return member.is_key;
        }))
        return fail(Errc::invalid_argument, "the type has no key");
    KeyMeasure measure(shape, version);
    if (auto checked = measure.check(shape.root, Scope::keys); !checked)
        return tl::unexpected(checked.error());
    return measure.measure(shape.root, Scope::keys, 0);
}

}  // namespace durability::types
