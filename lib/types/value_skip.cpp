#include "types/value_skip.hpp"

#include "types/member_header.hpp"

#include <algorithm>

namespace durability::types {

namespace {

void skip_octets(CdrCursor& cursor, std::size_t count) {
    (void)cursor.take(count);
}

void skip_delimited(CdrCursor& cursor) {
    skip_octets(cursor, cursor.u32());
}

void skip_parameters(CdrCursor& cursor) {
    while (const auto header = read_parameter_header(cursor))
        skip_octets(cursor, header->size);
}

void skip_values(const Shape& shape, NodeIndex element, std::uint32_t count, CdrCursor& cursor) {
    const ShapeNode& node = shape[element];
    if (count == 0) return;
    if (node.kind == NodeKind::primitive) {
        cursor.align(node.width);
        return skip_octets(cursor, std::size_t{count} * node.width);
    }
    for (std::uint32_t left = count; left > 0 && cursor.ok(); --left)
        skip_value(shape, element, cursor);
}

void skip_collection(const Shape& shape, const ShapeNode& node, CdrCursor& cursor) {
    if (has_delimiter(node, shape[node.element], cursor)) return skip_delimited(cursor);
    const std::uint32_t count = node.kind == NodeKind::array ? node.count : cursor.u32();
    skip_values(shape, node.element, count, cursor);
}

void skip_map(const Shape& shape, const ShapeNode& node, CdrCursor& cursor) {
    if (cursor.is_version_2() && node.header != CollectionHeader::absent)
        return skip_delimited(cursor);
    for (std::uint32_t left = cursor.u32(); left > 0 && cursor.ok(); --left) {
        skip_value(shape, node.map_key, cursor);
        skip_value(shape, node.element, cursor);
    }
}

// XCDR2 delimits what may grow; XCDR1 writes mutable ones as a parameter list. True when passed.
bool skip_as_a_whole(const ShapeNode& node, CdrCursor& cursor) {
    if (cursor.is_version_2() && node.extensibility != Extensibility::closed) {
        skip_delimited(cursor);
        return true;
    }
    if (node.extensibility != Extensibility::mutable_members) return false;
    skip_parameters(cursor);
    return true;
}

void skip_structure(const Shape& shape, const ShapeNode& node, CdrCursor& cursor) {
    if (skip_as_a_whole(node, cursor)) return;
    for (const ShapeMember& member : node.members) {
        if (!cursor.ok()) return;
        skip_member(shape, member, cursor);
    }
}

// The discriminator's octets, unsigned.
std::uint64_t read_discriminator(const ShapeNode& node, CdrCursor& cursor) {
    cursor.align(node.width);
    const std::uint8_t* octets = cursor.take(node.width);
    std::uint64_t value = 0;
    if (octets == nullptr) return value;
    for (std::size_t i = 0; i < node.width; ++i) {
        const bool is_big = cursor.order() == std::endian::big;
        value = value << 8U | octets[is_big ? i : node.width - 1U - i];
    }
    return value;
}

const ShapeMember* selected_member(const ShapeNode& node,
                                   std::uint64_t discriminator,
                                   std::uint8_t width) {
    // Compared in the width of the discriminator: labels are signed, whatever it is.
    const std::uint64_t mask =
        width >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8U * width) - 1;
    const ShapeMember* otherwise = nullptr;
    for (const ShapeMember& member : node.members) {
        for (const std::int32_t label : member.labels)
            if ((static_cast<std::uint64_t>(std::int64_t{label}) & mask) == discriminator)
                return &member;
        if (member.is_default) otherwise = &member;
    }
    return otherwise;
}

void skip_union(const Shape& shape, const ShapeNode& node, CdrCursor& cursor) {
    if (skip_as_a_whole(node, cursor)) return;
    const ShapeNode& discriminator = shape[node.element];
    const std::uint64_t value = read_discriminator(discriminator, cursor);
    const ShapeMember* member = selected_member(node, value, discriminator.width);
    if (member != nullptr) skip_value(shape, member->node, cursor);
}

}  // namespace

bool has_delimiter(const ShapeNode& collection, const ShapeNode& element, const CdrCursor& cursor) {
    if (!cursor.is_version_2()) return false;
    if (collection.header != CollectionHeader::doubtful)
        return collection.header == CollectionHeader::present;
    CdrCursor ahead = cursor;
    const std::size_t size = ahead.u32();
    if (!ahead.ok() || size > ahead.remaining()) return false;
    if (collection.kind == NodeKind::array)
        return size == std::size_t{collection.count} * element.width;
    const std::size_t count = ahead.u32();
    return ahead.ok() && size == 4 + count * element.width;
}

void skip_member(const Shape& shape, const ShapeMember& member, CdrCursor& cursor) {
    if (!member.is_optional) return skip_value(shape, member.node, cursor);
    if (cursor.is_version_2()) {
        if (cursor.u8() != 0) skip_value(shape, member.node, cursor);
    } else if (const auto header = read_parameter_header(cursor)) {
        skip_octets(cursor, header->size);
    }
}

void skip_value(const Shape& shape, NodeIndex index, CdrCursor& cursor) {
    if (!cursor.step()) return;
    const ShapeNode& node = shape[index];
    switch (node.kind) {
        case NodeKind::primitive:
            cursor.align(node.width);
            return skip_octets(cursor, node.width);
        case NodeKind::string:
        case NodeKind::wide_string:
            return skip_octets(cursor, cursor.u32());
        case NodeKind::sequence:
        case NodeKind::array:
            return skip_collection(shape, node, cursor);
        case NodeKind::map:
            return skip_map(shape, node, cursor);
        case NodeKind::structure:
            return skip_structure(shape, node, cursor);
        case NodeKind::choice:
            return skip_union(shape, node, cursor);
    }
}

}  // namespace durability::types
