#include "types/type_reference.hpp"

#include <algorithm>

namespace durability::types {

namespace {

// Plain collections nest; IDL that does so more often than this was not written by a person.
constexpr unsigned max_nesting = 16;

TypeReference read_nested(TypeCursor& in, unsigned depth);

TypeReference read_string(TypeCursor& in, TypeKind kind, bool is_small) {
    TypeReference reference;
    reference.kind = kind;
    reference.bound = is_small ? in.u8() : in.u32();
    return reference;
}

// The equivalence kind and the flags of the elements say nothing about their layout.
void skip_collection_header(TypeCursor& in) {
    in.u8();
    in.u16();
}

TypeReference read_sequence(TypeCursor& in, bool is_small, unsigned depth) {
    TypeReference reference;
    reference.kind = TypeKind::sequence;
    skip_collection_header(in);
    reference.bound = is_small ? in.u8() : in.u32();
    reference.parts.push_back(read_nested(in, depth + 1));
    return reference;
}

TypeReference read_array(TypeCursor& in, bool is_small, unsigned depth) {
    TypeReference reference;
    reference.kind = TypeKind::array;
    skip_collection_header(in);
    for (std::uint32_t left = in.count(); left > 0 && in.ok(); --left)
        reference.dimensions.push_back(is_small ? in.u8() : in.u32());
    reference.parts.push_back(read_nested(in, depth + 1));
    return reference;
}

TypeReference read_map(TypeCursor& in, bool is_small, unsigned depth) {
    TypeReference reference;
    reference.kind = TypeKind::map;
    skip_collection_header(in);
    reference.bound = is_small ? in.u8() : in.u32();
    reference.parts.push_back(read_nested(in, depth + 1));
    in.u16();
    reference.parts.push_back(read_nested(in, depth + 1));
    return reference;
}

TypeReference read_hash(TypeCursor& in, TypeKind kind) {
    TypeReference reference;
    reference.kind = kind;
    reference.id.kind = static_cast<TypeIdKind>(kind);
    const ByteView hash = in.take(reference.id.hash.size());
    std::copy(hash.begin(), hash.end(), reference.id.hash.begin());
    return reference;
}

TypeReference read_plain(TypeCursor& in, TypeKind kind) {
    TypeReference reference;
    reference.kind = kind;
    if (kind == TypeKind::strongly_connected) {
        in.skip_delimited();
    } else if (kind > TypeKind::char16) {
        in.set_failed();
    }
    return reference;
}

TypeReference read_nested(TypeCursor& in, unsigned depth) {
    if (depth > max_nesting) in.set_failed();
    const auto kind = static_cast<TypeKind>(in.u8());
    if (!in.ok()) return {};
    switch (kind) {
        case TypeKind::string8_small:
            return read_string(in, TypeKind::string8, true);
        case TypeKind::string8_large:
            return read_string(in, TypeKind::string8, false);
        case TypeKind::string16_small:
            return read_string(in, TypeKind::string16, true);
        case TypeKind::string16_large:
            return read_string(in, TypeKind::string16, false);
        case TypeKind::sequence_small:
            return read_sequence(in, true, depth);
        case TypeKind::sequence_large:
            return read_sequence(in, false, depth);
        case TypeKind::array_small:
            return read_array(in, true, depth);
        case TypeKind::array_large:
            return read_array(in, false, depth);
        case TypeKind::map_small:
            return read_map(in, true, depth);
        case TypeKind::map_large:
            return read_map(in, false, depth);
        case TypeKind::minimal_hash:
        case TypeKind::complete_hash:
            return read_hash(in, kind);
        default:
            return read_plain(in, kind);  // any octet may stand here
    }
}

}  // namespace

TypeReference read_type_reference(TypeCursor& in) {
    return read_nested(in, 0);
}

void append_ids(const TypeReference& reference, std::vector<TypeId>& ids) {
    if (reference.is_hash()) ids.push_back(reference.id);
    for (const TypeReference& part : reference.parts)
        append_ids(part, ids);
}

}  // namespace durability::types
