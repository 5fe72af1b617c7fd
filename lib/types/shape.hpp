// A type, resolved: what a payload looks like, as a graph without cycles that is walked for each
// sample. Built once, from type descriptions or from a layout, then immutable.
#pragma once

#include "types/type_object.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace durability::types {

using NodeIndex = std::uint32_t;

enum class NodeKind : std::uint8_t {
    primitive,
    string,
    wide_string,
    structure,
    choice,  // a union
    sequence,
    array,
    map
};

// How a primitive is shown; for walking only its width counts.
enum class Meaning : std::uint8_t {
    boolean,
    octet,
    character,
    wide_character,
    signed_integer,
    unsigned_integer,
    floating,
    enumeration,
    flags
};

// XCDR2 puts a DHEADER in front of elements that are not primitive. Of enumerations implementations
// do not agree whether they are: Cyclone DDS writes one, Fast CDR 2 does not.
enum class CollectionHeader : std::uint8_t {
    absent,
    doubtful,
    present
};

struct ShapeMember {
    NodeIndex node{0};
    std::uint32_t id{0};
    bool is_key{false};
    bool is_optional{false};
    bool is_default{false};            // of a union
    std::vector<std::int32_t> labels;  // of a union
    std::string name;
};

struct ShapeNode {
    NodeKind kind{NodeKind::primitive};
    Meaning meaning{Meaning::octet};
    std::uint8_t width{1};  // of a primitive
    Extensibility extensibility{Extensibility::closed};
    CollectionHeader header{CollectionHeader::absent};
    NodeIndex element{0};    // of a collection; the discriminator of a union
    NodeIndex map_key{0};    // of a map
    std::uint32_t count{0};  // elements of an array; bound of a string or sequence, 0 for none
    // Of a structure or union; those of base types come first.
    std::vector<ShapeMember> members;
    // Of a structure, the positions of the members that make up its key: those marked, else all.
    // In the order of declaration, and in that of their ids.
    std::vector<std::uint32_t> keys;
    std::vector<std::uint32_t> keys_by_id;
    bool is_ordered_by_id{true};  // the two are the same
    std::vector<LiteralDescription> literals;
};

struct Shape {
    std::vector<ShapeNode> nodes;
    NodeIndex root{0};
    // A layout does not say whether the type is final or appendable.
    bool is_layout{false};

    [[nodiscard]] const ShapeNode& operator[](NodeIndex index) const { return nodes[index]; }
};

// Fills `keys` and `keys_by_id` of a structure whose members are complete.
void find_keys(ShapeNode& structure);

// Whether every structure and union in it is final.
[[nodiscard]] bool is_closed(const Shape& shape);

// The header a collection of such elements has.
[[nodiscard]] CollectionHeader header_for(const ShapeNode& element);

}  // namespace durability::types
