#include "types/shape_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace durability::types {

namespace {

// Bounds of what a description may expand to; far above what people write.
constexpr unsigned max_depth = 64;
constexpr std::size_t max_nodes = 100'000;
constexpr std::size_t max_members = 200'000;

struct Primitive {
    TypeKind kind;
    Meaning meaning;
    std::uint8_t width;
};

constexpr auto primitives = std::to_array<Primitive>({
    {TypeKind::boolean, Meaning::boolean, 1},
    {TypeKind::byte, Meaning::octet, 1},
    {TypeKind::int8, Meaning::signed_integer, 1},
    {TypeKind::uint8, Meaning::octet, 1},
    {TypeKind::int16, Meaning::signed_integer, 2},
    {TypeKind::uint16, Meaning::unsigned_integer, 2},
    {TypeKind::int32, Meaning::signed_integer, 4},
    {TypeKind::uint32, Meaning::unsigned_integer, 4},
    {TypeKind::int64, Meaning::signed_integer, 8},
    {TypeKind::uint64, Meaning::unsigned_integer, 8},
    {TypeKind::float32, Meaning::floating, 4},
    {TypeKind::float64, Meaning::floating, 8},
    {TypeKind::float128, Meaning::floating, 16},
    {TypeKind::char8, Meaning::character, 1},
    {TypeKind::char16, Meaning::wide_character, 2},
});

std::uint8_t width_of_bits(std::uint32_t bits) {
    if (bits <= 8) return 1;
    if (bits <= 16) return 2;
    return bits <= 32 ? 4 : 8;
}

// The product of the dimensions; nothing when no payload could hold that many elements.
std::optional<std::uint32_t> element_count(const std::vector<std::uint32_t>& dimensions) {
    std::uint64_t product = 1;
    for (const std::uint32_t dimension : dimensions) {
        product *= dimension;
        if (product > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    }
    return dimensions.empty() ? std::nullopt : std::optional(static_cast<std::uint32_t>(product));
}

// Each described type becomes one node, however often it is referred to, so the shape is no larger
// than its descriptions.
class Builder {
  public:
    explicit Builder(const TypeLibrary& library) : library_(library) {}

    Result<Shape> build(const TypeId& id) {
        auto description = describe(id);
        if (!description) return tl::unexpected(description.error());
        if (auto resolved = resolve_aliases(*description); !resolved)
            return tl::unexpected(resolved.error());
        if (description->kind != TypeKind::structure)
            return fail(Errc::invalid_argument, "the type is no structure and has no key");
        auto members = members_of(*description, 0);
        if (!members) return tl::unexpected(members.error());
        drop_behind_last_key(*members, description->extensibility);
        auto root = add_structure(*description, *members, 0);
        if (!root) return tl::unexpected(root.error());
        shape_.root = *root;
        return std::move(shape_);
    }

  private:
    Result<TypeDescription> describe(const TypeId& id) const {
        const Buffer* object = library_.find(id);
        if (object == nullptr)
            return fail(Errc::not_found,
                        fmt::format("type description {} is not known", to_string(id)));
        auto description = decode_type_object(*object);
        if (!description)
            return fail(Errc::unsupported,
                        fmt::format("type description {} cannot be read", to_string(id)));
        return std::move(*description);
    }

    Status resolve_aliases(TypeDescription& description) const {
        for (unsigned depth = 0; description.kind == TypeKind::alias; ++depth) {
            if (!description.related.is_hash() || depth > max_depth)
                return fail(Errc::invalid_argument, "an alias stands for no structure");
            auto next = describe(description.related.id);
            if (!next) return tl::unexpected(next.error());
            description = std::move(*next);
        }
        return {};
    }

    // The members of the base types, then its own.
    Result<std::vector<MemberDescription>> members_of(const TypeDescription& structure,
                                                      unsigned depth) const {
        if (depth > max_depth) return fail(Errc::invalid_argument, "a base type is its own base");
        std::vector<MemberDescription> members;
        if (structure.related.kind != TypeKind::none) {
            if (!structure.related.is_hash())
                return fail(Errc::unsupported, "a base type that is no structure");
            auto base = describe(structure.related.id);
            if (!base) return tl::unexpected(base.error());
            if (auto resolved = resolve_aliases(*base); !resolved)
                return tl::unexpected(resolved.error());
            auto inherited = members_of(*base, depth + 1);
            if (!inherited) return inherited;
            members = std::move(*inherited);
        }
        members.insert(members.end(), structure.members.begin(), structure.members.end());
        return members;
    }

    // In a mutable type members have lengths, so that only those of the key matter.
    static void drop_behind_last_key(std::vector<MemberDescription>& members,
                                     Extensibility extensibility) {
        const auto is_key = [](const MemberDescription& member) { return member.is_key; };
        if (extensibility == Extensibility::mutable_members) {
            members.erase(std::remove_if(members.begin(), members.end(), std::not_fn(is_key)),
                          members.end());
        } else {
            const auto last = std::find_if(members.rbegin(), members.rend(), is_key);
            members.erase(last.base(), members.end());
        }
    }

    // A part that is used in two places may come to lie deeper than where it was first described.
    unsigned height_of(const ShapeNode& node) const {
        unsigned height = 0;
        const auto include = [&](NodeIndex part) { height = std::max(height, heights_[part] + 1); };
        const bool has_element = node.kind == NodeKind::sequence || node.kind == NodeKind::array ||
                                 node.kind == NodeKind::map || node.kind == NodeKind::choice;
        if (has_element) include(node.element);
        if (node.kind == NodeKind::map) include(node.map_key);
        for (const ShapeMember& member : node.members)
            include(member.node);
        return height;
    }

    Result<NodeIndex> add(ShapeNode node) {
        if (shape_.nodes.size() >= max_nodes)
            return fail(Errc::unsupported, "a type of more parts than we read");
        heights_.push_back(height_of(node));
        if (heights_.back() > max_depth)
            return fail(Errc::unsupported, "a type nested more deeply than we read");
        shape_.nodes.push_back(std::move(node));
        return static_cast<NodeIndex>(shape_.nodes.size() - 1);
    }

    Result<NodeIndex> add_primitive(Meaning meaning, std::uint8_t width) {
        ShapeNode node;
        node.meaning = meaning;
        node.width = width;
        return add(std::move(node));
    }

    Result<NodeIndex> add_reference(const TypeReference& reference, unsigned depth) {
        if (depth > max_depth)
            return fail(Errc::invalid_argument, "the type describes itself without end");
        switch (reference.kind) {
            case TypeKind::string8:
                return add_string(NodeKind::string, reference.bound);
            case TypeKind::string16:
                return add_string(NodeKind::wide_string, reference.bound);
            case TypeKind::sequence:
                return add_sequence(reference.parts.at(0), reference.bound, depth);
            case TypeKind::array:
                return add_array(reference.parts.at(0), reference.dimensions, depth);
            case TypeKind::map:
                return add_map(reference.parts.at(1), reference.parts.at(0), depth);
            case TypeKind::minimal_hash:
            case TypeKind::complete_hash:
                return add_described(reference.id, depth);
            case TypeKind::strongly_connected:
                return fail(Errc::unsupported,
                            "types that refer to each other (strongly connected components)");
            default:
                return add_plain(reference.kind);
        }
    }

    Result<NodeIndex> add_plain(TypeKind kind) {
        for (const Primitive& primitive : primitives)
            if (primitive.kind == kind) return add_primitive(primitive.meaning, primitive.width);
        return fail(Errc::unsupported,
                    fmt::format("a type of kind {:#04x}", static_cast<unsigned>(kind)));
    }

    Result<NodeIndex> add_string(NodeKind kind, std::uint32_t bound) {
        ShapeNode node;
        node.kind = kind;
        node.count = bound;
        return add(std::move(node));
    }

    Result<NodeIndex> add_collection(NodeKind kind,
                                     const TypeReference& element,
                                     std::uint32_t count,
                                     unsigned depth) {
        auto index = add_reference(element, depth + 1);
        if (!index) return index;
        ShapeNode node;
        node.kind = kind;
        node.element = *index;
        node.count = count;
        node.header = header_for(shape_[*index]);
        return add(std::move(node));
    }
    Result<NodeIndex> add_sequence(const TypeReference& element,
                                   std::uint32_t bound,
                                   unsigned depth) {
        return add_collection(NodeKind::sequence, element, bound, depth);
    }
    Result<NodeIndex> add_array(const TypeReference& element,
                                const std::vector<std::uint32_t>& dimensions,
                                unsigned depth) {
        const auto count = element_count(dimensions);
        if (!count) return fail(Errc::unsupported, "an array of more elements than we read");
        return add_collection(NodeKind::array, element, *count, depth);
    }
    Result<NodeIndex> add_map(const TypeReference& key,
                              const TypeReference& element,
                              unsigned depth) {
        auto key_index = add_reference(key, depth + 1);
        if (!key_index) return key_index;
        auto index = add_reference(element, depth + 1);
        if (!index) return index;
        ShapeNode node;
        node.kind = NodeKind::map;
        node.map_key = *key_index;
        node.element = *index;
        // One DHEADER for both.
        node.header = std::max(header_for(shape_[*key_index]), header_for(shape_[*index]));
        return add(std::move(node));
    }

    Result<NodeIndex> add_described(const TypeId& id, unsigned depth) {
        if (const auto known = known_.find(id); known != known_.end()) return known->second;
        auto description = describe(id);
        if (!description) return tl::unexpected(description.error());
        auto index = add_description(*description, depth);
        if (index) known_.emplace(id, *index);
        return index;
    }

    Result<NodeIndex> add_description(const TypeDescription& description, unsigned depth) {
        switch (description.kind) {
            case TypeKind::alias:
                return add_reference(description.related, depth + 1);
            case TypeKind::structure: {
                const auto members = members_of(description, 0);
                if (!members) return tl::unexpected(members.error());
                return add_structure(description, *members, depth);
            }
            case TypeKind::choice:
                return add_union(description, depth);
            case TypeKind::enumeration:
            case TypeKind::bitmask:
            case TypeKind::bitset:
                return add_enumerated(description);
            case TypeKind::sequence:
                return add_sequence(description.related, description.bound, depth);
            case TypeKind::array:
                return add_array(description.related, description.dimensions, depth);
            case TypeKind::map:
                return add_map(description.map_key, description.related, depth);
            default:
                return fail(Errc::unsupported,
                            fmt::format("a type description of kind {:#04x}",
                                        static_cast<unsigned>(description.kind)));
        }
    }

    Result<NodeIndex> add_enumerated(const TypeDescription& description) {
        if (description.bits > 64) return fail(Errc::unsupported, "a bitset of more than 64 bits");
        ShapeNode node;
        const bool is_enumeration = description.kind == TypeKind::enumeration;
        node.meaning = is_enumeration ? Meaning::enumeration : Meaning::flags;
        node.width = width_of_bits(description.bits);
        node.literals = description.literals;
        return add(std::move(node));
    }

    Result<NodeIndex> add_structure(const TypeDescription& description,
                                    const std::vector<MemberDescription>& members,
                                    unsigned depth) {
        ShapeNode node;
        node.kind = NodeKind::structure;
        node.extensibility = description.extensibility;
        if (auto added = add_members(members, depth, node); !added)
            return tl::unexpected(added.error());
        find_keys(node);
        return add(std::move(node));
    }

    Result<NodeIndex> add_union(const TypeDescription& description, unsigned depth) {
        ShapeNode node;
        node.kind = NodeKind::choice;
        node.extensibility = description.extensibility;
        auto discriminator = add_reference(description.related, depth + 1);
        if (!discriminator) return discriminator;
        if (shape_[*discriminator].kind != NodeKind::primitive)
            return fail(Errc::unsupported, "a union whose discriminator is no primitive");
        node.element = *discriminator;
        if (auto added = add_members(description.members, depth, node); !added)
            return tl::unexpected(added.error());
        return add(std::move(node));
    }

    Status add_members(const std::vector<MemberDescription>& members,
                       unsigned depth,
                       ShapeNode& node) {
        members_ += members.size();
        if (members_ > max_members)
            return fail(Errc::unsupported, "a type of more members than we read");
        for (const MemberDescription& member : members) {
            auto index = add_reference(member.type, depth + 1);
            if (!index) return tl::unexpected(index.error());
            node.members.push_back({*index,
                                    member.id,
                                    member.is_key,
                                    member.is_optional,
                                    member.is_default,
                                    member.labels,
                                    member.name});
        }
        return {};
    }

    const TypeLibrary& library_;
    Shape shape_;
    std::map<TypeId, NodeIndex> known_;
    std::vector<unsigned> heights_;  // of the nodes above what they consist of
    std::size_t members_{0};
};

}  // namespace

Result<Shape> shape_of_type(const TypeLibrary& library, const TypeId& type) {
    return Builder(library).build(type);
}

}  // namespace durability::types
