// Types and values as tests write them down, and two encoders that share nothing with lib/types:
// one for TypeObjects, one for payloads and keys.
#pragma once

#include "types/type_library.hpp"

#include "base/bytes.hpp"

#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace durability::test {

enum class Kind {
    primitive,
    string,
    wide_string,
    structure,
    choice,
    enumeration,
    bitmask,
    sequence,
    array,
    map,
    alias
};

enum class Growth {
    closed,
    appendable,
    mutable_members
};

struct Type;
using TypePointer = std::shared_ptr<const Type>;

struct Field {
    std::string name;
    std::uint32_t id{0};
    TypePointer type;
    bool is_key{false};
    bool is_optional{false};
    bool is_default{false};
    std::vector<std::int32_t> labels;
};

struct Type {
    Kind kind{Kind::primitive};
    std::uint8_t code{0x04};  // of a primitive, as in a TypeIdentifier
    std::size_t width{4};
    std::uint32_t bound{0};
    std::vector<std::uint32_t> dimensions;
    TypePointer element;  // also the discriminator, the base, the aliased type
    TypePointer map_key;
    std::vector<Field> fields;
    Growth growth{Growth::closed};
    std::vector<std::pair<std::string, std::int32_t>> literals;
    std::string name;
};

[[nodiscard]] TypePointer primitive(std::uint8_t code, std::size_t width);
[[nodiscard]] inline TypePointer octet() {
    return primitive(0x02, 1);
}
[[nodiscard]] inline TypePointer int16() {
    return primitive(0x03, 2);
}
[[nodiscard]] inline TypePointer int32() {
    return primitive(0x04, 4);
}
[[nodiscard]] inline TypePointer int64() {
    return primitive(0x05, 8);
}
[[nodiscard]] inline TypePointer float64() {
    return primitive(0x0a, 8);
}
[[nodiscard]] TypePointer text(std::uint32_t bound = 0);
[[nodiscard]] TypePointer wide_text(std::uint32_t bound = 0);
[[nodiscard]] TypePointer sequence(TypePointer element, std::uint32_t bound = 0);
[[nodiscard]] TypePointer array(TypePointer element, std::vector<std::uint32_t> dimensions);
[[nodiscard]] TypePointer map(TypePointer key, TypePointer element);
[[nodiscard]] TypePointer alias(TypePointer type);
[[nodiscard]] TypePointer enumeration(std::size_t width,
                                      std::vector<std::pair<std::string, std::int32_t>> literals);
[[nodiscard]] TypePointer bitmask(std::size_t width);
// Ids are given in the order of declaration, those of the base first, where a field has none (~0).
inline constexpr std::uint32_t next_id = ~0U;
[[nodiscard]] TypePointer structure(Growth growth,
                                    std::vector<Field> fields,
                                    TypePointer base = nullptr);
[[nodiscard]] TypePointer choice(Growth growth,
                                 TypePointer discriminator,
                                 std::vector<Field> fields);

[[nodiscard]] inline Field key(std::string name, TypePointer type, std::uint32_t id = next_id) {
    return {std::move(name), id, std::move(type), true, false, false, {}};
}
[[nodiscard]] inline Field plain(std::string name, TypePointer type, std::uint32_t id = next_id) {
    return {std::move(name), id, std::move(type), false, false, false, {}};
}
[[nodiscard]] inline Field optional(std::string name, TypePointer type) {
    return {std::move(name), next_id, std::move(type), false, true, false, {}};
}
[[nodiscard]] inline Field branch(std::string name,
                                  TypePointer type,
                                  std::vector<std::int32_t> labels,
                                  bool is_default = false) {
    return {std::move(name), next_id, std::move(type), false, false, is_default, std::move(labels)};
}

// The members of a structure, those of its base first.
[[nodiscard]] std::vector<Field> all_fields(const Type& type);

// The serialized TypeObject; what it refers to goes into the library, and so does the object.
enum class Detail {
    minimal,
    complete
};
[[nodiscard]] types::TypeId describe_in(types::TypeLibrary& library,
                                        const TypePointer& type,
                                        Detail detail = Detail::minimal);

struct Value {
    std::uint64_t number{0};  // of primitives, enumerations, bitmasks; the discriminator
    std::string text;
    std::u16string wide;
    std::vector<Value> parts;  // members (of the base first), elements, keys and elements of a map
    bool is_present{true};
};

// How a payload is written. Where an encoding leaves a choice, `random` decides, if there is one.
struct Encoding {
    std::uint16_t kind{0x0001};
    std::mt19937* random{nullptr};
    [[nodiscard]] bool is_version_2() const { return kind >= 6; }
    [[nodiscard]] std::endian order() const {
        return (kind & 1U) != 0 ? std::endian::little : std::endian::big;
    }
};

// A data payload with its encapsulation header.
[[nodiscard]] Buffer payload_of(const Type& type, const Value& value, const Encoding& encoding);
// The serialized key: big-endian XCDR1, in the order of declaration.
[[nodiscard]] Buffer key_of(const Type& type, const Value& value);
// The member a discriminator selects; null for none.
[[nodiscard]] const Field* selected_branch(const Type& type, std::uint64_t discriminator);
// The encapsulation kinds values of the type have, in both byte orders.
[[nodiscard]] std::vector<std::uint16_t> encapsulations_of(const Type& type);

}  // namespace durability::test
