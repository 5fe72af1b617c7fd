// A TypeIdentifier (XTypes 1.3, 7.3.4.2): how one type names another. Small types are described in
// place, the others by their hash.
#pragma once

#include "types/type_cursor.hpp"
#include "types/type_id.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace durability::types {

// Discriminators of TypeIdentifier and TypeObject, as on the wire (XTypes 1.3, annex B).
enum class TypeKind : std::uint8_t {
    none = 0x00,
    boolean = 0x01,
    byte = 0x02,
    int16 = 0x03,
    int32 = 0x04,
    int64 = 0x05,
    uint16 = 0x06,
    uint32 = 0x07,
    uint64 = 0x08,
    float32 = 0x09,
    float64 = 0x0a,
    float128 = 0x0b,
    int8 = 0x0c,
    uint8 = 0x0d,
    char8 = 0x10,
    char16 = 0x11,
    string8 = 0x20,
    string16 = 0x21,
    alias = 0x30,
    enumeration = 0x40,
    bitmask = 0x41,
    annotation = 0x50,
    structure = 0x51,
    choice = 0x52,  // the word "union" is taken
    bitset = 0x53,
    sequence = 0x60,
    array = 0x61,
    map = 0x62,
    string8_small = 0x70,
    string8_large = 0x71,
    string16_small = 0x72,
    string16_large = 0x73,
    sequence_small = 0x80,
    sequence_large = 0x81,
    array_small = 0x90,
    array_large = 0x91,
    map_small = 0xa0,
    map_large = 0xa1,
    strongly_connected = 0xb0,
    minimal_hash = 0xf1,
    complete_hash = 0xf2,
};

// What is written in front of a reference is simplified while reading: `kind` is never one of the
// small or large kinds, but string8, string16, sequence, array or map with its bounds.
struct TypeReference {
    TypeKind kind{TypeKind::none};
    TypeId id;                              // of a hashed one
    std::uint32_t bound{0};                 // of a string, sequence or map; 0 is none
    std::vector<std::uint32_t> dimensions;  // of an array
    std::vector<TypeReference> parts;       // the element, then the key of a map

    [[nodiscard]] bool is_hash() const {
        return kind == TypeKind::minimal_hash || kind == TypeKind::complete_hash;
    }
};

// Fails the cursor at a kind it does not know: nobody can tell how long that is.
[[nodiscard]] TypeReference read_type_reference(TypeCursor& in);

// Appends the ids of all hashed references in it.
void append_ids(const TypeReference& reference, std::vector<TypeId>& ids);

}  // namespace durability::types
