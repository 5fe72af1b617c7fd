// A TypeObject (XTypes 1.3, 7.3.4): as much of a type's description as is needed to find and name
// the members of a value. Minimal and complete objects give the same; only complete ones have
// names.
#pragma once

#include "types/type_reference.hpp"

#include "base/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace durability::types {

enum class Extensibility : std::uint8_t {
    closed,  // "final" is taken
    appendable,
    mutable_members
};

// A member of a structure or union; a field of a bitset has only its name.
struct MemberDescription {
    std::uint32_t id{0};
    bool is_key{false};
    bool is_optional{false};
    bool is_default{false};  // of a union
    TypeReference type;
    std::vector<std::int32_t> labels;  // of a union
    std::string name;
};

struct LiteralDescription {
    std::int64_t value{0};  // of an enumeration its value, of a bitmask the position
    std::string name;
};

struct TypeDescription {
    TypeKind kind{TypeKind::none};
    Extensibility extensibility{Extensibility::appendable};
    // The base of a structure, the discriminator of a union, what an alias stands for, the element
    // of a collection.
    TypeReference related;
    TypeReference map_key;
    std::vector<MemberDescription> members;
    std::vector<LiteralDescription> literals;
    std::uint32_t bits{0};                  // an enumeration, bitmask or bitset is held in
    std::uint32_t bound{0};                 // of a sequence or map
    std::vector<std::uint32_t> dimensions;  // of an array
    std::string name;
};

// Reads a serialized TypeObject, its DHEADER included; nothing when it is not one. Thread-safe.
[[nodiscard]] std::optional<TypeDescription> decode_type_object(ByteView object);

// The hashed types it refers to, some perhaps more than once.
[[nodiscard]] std::vector<TypeId> references_of(const TypeDescription& description);

}  // namespace durability::types
