#include "types/type_object.hpp"

#include <algorithm>

namespace durability::types {

namespace {

// Flags of members and types (XTypes 1.3, annex B).
constexpr unsigned flag_optional = 1U << 3U;
constexpr unsigned flag_key = 1U << 5U;
constexpr unsigned flag_default = 1U << 6U;
constexpr unsigned flag_final = 1U << 0U;
constexpr unsigned flag_mutable = 1U << 2U;

constexpr std::uint32_t enumeration_bits = 32;

// Follows annex B of XTypes 1.3 type by type: which of them have a DHEADER, and in which order
// their members stand.
class ObjectReader {
  public:
    explicit ObjectReader(ByteView object) : in_(object) {}

    std::optional<TypeDescription> read() {
        in_.delimited([this] { read_object(); });
        if (!in_.ok()) return std::nullopt;
        return std::move(type_);
    }

  private:
    void read_object() {
        const std::uint8_t equivalence = in_.u8();
        is_complete_ = equivalence == static_cast<std::uint8_t>(TypeIdKind::complete);
        if (!is_complete_ && equivalence != static_cast<std::uint8_t>(TypeIdKind::minimal))
            in_.set_failed();
        type_.kind = static_cast<TypeKind>(in_.u8());
        if (in_.ok()) read_kind();
    }

    void read_kind() {
        switch (type_.kind) {
            case TypeKind::alias:
                return read_alias();
            case TypeKind::structure:
                return read_structure();
            case TypeKind::choice:
                return read_union();
            case TypeKind::enumeration:
                return read_enumeration();
            case TypeKind::sequence:
                return read_sequence();
            case TypeKind::map:
                return read_map();
            case TypeKind::array:
                // The complete form alone is appendable.
                return is_complete_ ? in_.delimited([this] { read_array(); }) : read_array();
            case TypeKind::bitmask:
                return in_.delimited([this] { read_bitmask(); });
            case TypeKind::bitset:
                return in_.delimited([this] { read_bitset(); });
            case TypeKind::annotation:
                return;  // no value is ever of this type
            default:
                in_.set_failed();  // any octet may stand here
        }
    }

    void read_extensibility() {
        const unsigned flags = in_.u16();
        if ((flags & flag_final) != 0) {
            type_.extensibility = Extensibility::closed;
        } else if ((flags & flag_mutable) != 0) {
            type_.extensibility = Extensibility::mutable_members;
        }
    }

    void read_structure() {
        read_extensibility();
        in_.delimited([this] {
            type_.related = read_type_reference(in_);
            read_type_detail();
        });
        in_.sequence([this] { in_.delimited([this] { read_structure_member(); }); });
    }
    void read_structure_member() {
        MemberDescription member;
        member.id = in_.u32();
        const unsigned flags = in_.u16();
        member.is_key = (flags & flag_key) != 0;
        member.is_optional = (flags & flag_optional) != 0;
        member.type = read_type_reference(in_);
        member.name = read_member_name();
        type_.members.push_back(std::move(member));
    }

    void read_union() {
        read_extensibility();
        in_.delimited([this] { read_type_detail(); });
        in_.delimited([this] {
            in_.u16();
            type_.related = read_type_reference(in_);
        });
        in_.sequence([this] { in_.delimited([this] { read_union_member(); }); });
    }
    void read_union_member() {
        MemberDescription member;
        member.id = in_.u32();
        member.is_default = (in_.u16() & flag_default) != 0;
        member.type = read_type_reference(in_);
        for (std::uint32_t left = in_.count(); left > 0 && in_.ok(); --left)
            member.labels.push_back(static_cast<std::int32_t>(in_.u32()));
        member.name = read_member_name();
        type_.members.push_back(std::move(member));
    }

    void read_alias() {
        in_.u16();
        in_.delimited([this] {
            if (is_complete_) read_type_detail();
        });
        in_.delimited([this] {
            in_.u16();
            type_.related = read_type_reference(in_);
        });
    }

    void read_enumeration() {
        in_.u16();
        read_bit_bound(enumeration_bits);
        in_.sequence([this] {
            in_.delimited([this] {
                LiteralDescription literal;
                in_.delimited([&] { literal.value = static_cast<std::int32_t>(in_.u32()); });
                literal.name = read_member_name();
                type_.literals.push_back(std::move(literal));
            });
        });
    }
    void read_bitmask() {
        in_.u16();
        read_bit_bound(enumeration_bits);
        in_.sequence([this] {
            in_.delimited([this] {
                LiteralDescription literal;
                literal.value = in_.u16();
                in_.u16();
                literal.name = read_member_name();
                type_.literals.push_back(std::move(literal));
            });
        });
    }
    // Held in the smallest integer that has all its fields.
    void read_bitset() {
        in_.u16();
        in_.delimited([this] {
            if (is_complete_) read_type_detail();
        });
        in_.sequence([this] {
            in_.delimited([this] {
                const std::uint32_t position = in_.u16();
                in_.u16();
                type_.bits = std::max(type_.bits, position + in_.u8());
                in_.u8();
            });
        });
    }
    void read_bit_bound(std::uint32_t otherwise) {
        in_.delimited([&] {
            type_.bits = in_.u16();
            if (type_.bits == 0) type_.bits = otherwise;
            if (is_complete_) read_type_detail();
        });
    }

    void read_sequence() {
        in_.u16();
        read_collection_header();
        type_.related = read_element();
    }
    void read_map() {
        in_.u16();
        read_collection_header();
        type_.map_key = read_element();
        type_.related = read_element();
    }
    void read_array() {
        in_.u16();
        in_.delimited([this] {
            for (std::uint32_t left = in_.count(); left > 0 && in_.ok(); --left)
                type_.dimensions.push_back(in_.u32());
            if (is_complete_) read_type_detail();
        });
        type_.related = read_element();
    }
    void read_collection_header() {
        in_.delimited([this] { type_.bound = in_.u32(); });
    }
    TypeReference read_element() {
        TypeReference element;
        in_.delimited([&] {
            in_.u16();
            element = read_type_reference(in_);
        });
        return element;
    }

    // The name stands behind annotations; in minimal objects there is none of either.
    void read_type_detail() {
        if (!is_complete_) return;
        in_.optional([this] { in_.skip_delimited(); });
        in_.optional([this] { in_.skip_delimited(); });
        type_.name = in_.string();
    }
    // The rest of a member, annotations or the hash of the name, is not read.
    std::string read_member_name() { return is_complete_ ? in_.string() : std::string(); }

    TypeCursor in_;
    TypeDescription type_;
    bool is_complete_{false};
};

}  // namespace

std::optional<TypeDescription> decode_type_object(ByteView object) {
    return ObjectReader(object).read();
}

std::vector<TypeId> references_of(const TypeDescription& description) {
    std::vector<TypeId> ids;
    append_ids(description.related, ids);
    append_ids(description.map_key, ids);
    for (const MemberDescription& member : description.members)
        append_ids(member.type, ids);
    return ids;
}

}  // namespace durability::types
