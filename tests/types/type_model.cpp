#include "types/type_model.hpp"

#include "base/byte_writer.hpp"
#include "base/md5.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace durability::test {

using types::TypeId;
using types::TypeLibrary;

namespace {

TypePointer made(Type type) {
    return std::make_shared<const Type>(std::move(type));
}

TypePointer collection(Kind kind, TypePointer element) {
    Type type;
    type.kind = kind;
    type.element = std::move(element);
    return made(std::move(type));
}

}  // namespace

TypePointer primitive(std::uint8_t code, std::size_t width) {
    Type type;
    type.code = code;
    type.width = width;
    return made(std::move(type));
}

TypePointer text(std::uint32_t bound) {
    Type type;
    type.kind = Kind::string;
    type.bound = bound;
    return made(std::move(type));
}

TypePointer wide_text(std::uint32_t bound) {
    Type type;
    type.kind = Kind::wide_string;
    type.bound = bound;
    return made(std::move(type));
}

TypePointer sequence(TypePointer element, std::uint32_t bound) {
    Type type;
    type.kind = Kind::sequence;
    type.element = std::move(element);
    type.bound = bound;
    return made(std::move(type));
}

TypePointer array(TypePointer element, std::vector<std::uint32_t> dimensions) {
    Type type;
    type.kind = Kind::array;
    type.element = std::move(element);
    type.dimensions = std::move(dimensions);
    return made(std::move(type));
}

TypePointer map(TypePointer key, TypePointer element) {
    Type type;
    type.kind = Kind::map;
    type.map_key = std::move(key);
    type.element = std::move(element);
    return made(std::move(type));
}

TypePointer alias(TypePointer type) {
    return collection(Kind::alias, std::move(type));
}

TypePointer enumeration(std::size_t width,
                        std::vector<std::pair<std::string, std::int32_t>> literals) {
    Type type;
    type.kind = Kind::enumeration;
    type.width = width;
    type.literals = std::move(literals);
    return made(std::move(type));
}

TypePointer bitmask(std::size_t width) {
    Type type;
    type.kind = Kind::bitmask;
    type.width = width;
    return made(std::move(type));
}

TypePointer structure(Growth growth, std::vector<Field> fields, TypePointer base) {
    Type type;
    type.kind = Kind::structure;
    type.growth = growth;
    type.element = std::move(base);
    std::uint32_t id = 0;
    if (type.element)
        for (const Field& field : all_fields(*type.element))
            id = std::max(id, field.id + 1);
    for (Field& field : fields) {
        if (field.id == next_id) field.id = id;
        id = field.id + 1;
    }
    type.fields = std::move(fields);
    return made(std::move(type));
}

TypePointer choice(Growth growth, TypePointer discriminator, std::vector<Field> fields) {
    Type type;
    type.kind = Kind::choice;
    type.growth = growth;
    type.element = std::move(discriminator);
    for (std::uint32_t i = 0; i < fields.size(); ++i)
        fields[i].id = i + 1;
    type.fields = std::move(fields);
    return made(std::move(type));
}

std::vector<Field> all_fields(const Type& type) {
    std::vector<Field> fields;
    if (type.element) fields = all_fields(*type.element);
    fields.insert(fields.end(), type.fields.begin(), type.fields.end());
    return fields;
}

namespace {

// XTypes 1.3, annex B, written down a second time.
class ObjectEncoder {
  public:
    // Types that are used in several places are encoded once.
    using Known = std::map<const Type*, TypeId>;

    ObjectEncoder(TypeLibrary& library, Detail detail, Known& known)
        : library_(library),
          known_(known),
          is_complete_(detail == Detail::complete),
          writer_(bytes_) {}

    TypeId encode(const Type& type) {
        delimited([&] {
            writer_.u8(is_complete_ ? 0xf2 : 0xf1);
            writer_.u8(object_kind(type.kind));
            body(type);
        });
        const TypeId id = types::type_id_of(bytes_);
        library_.add(id, bytes_);
        return id;
    }

  private:
    static std::uint8_t object_kind(Kind kind) {
        switch (kind) {
            case Kind::alias:
                return 0x30;
            case Kind::enumeration:
                return 0x40;
            case Kind::bitmask:
                return 0x41;
            case Kind::choice:
                return 0x52;
            default:
                return 0x51;
        }
    }
    void u16(std::uint16_t value) {
        writer_.align(2);
        writer_.u16(value);
    }
    void u32(std::uint32_t value) {
        writer_.align(4);
        writer_.u32(value);
    }
    void string(const std::string& value) {
        u32(static_cast<std::uint32_t>(value.size() + 1));
        for (const char letter : value)
            writer_.u8(static_cast<std::uint8_t>(letter));
        writer_.u8(0);
    }
    void delimited(const std::function<void()>& write) {
        u32(0);
        const std::size_t begin = writer_.size();
        write();
        writer_.patch_u32(begin - 4, static_cast<std::uint32_t>(writer_.size() - begin));
    }
    template <class List, class Write>
    void sequence_of(const List& list, Write write) {
        delimited([&] {
            u32(static_cast<std::uint32_t>(list.size()));
            for (const auto& element : list)
                delimited([&] { write(element); });
        });
    }

    // Complete objects get annotations in some places, so that they have to be passed over.
    void type_detail(const Type& type) {
        if (!is_complete_) return;
        writer_.u8(1);
        delimited([&] { writer_.u8(0); });
        writer_.u8(0);
        string(type.name.empty() ? "module::Type" : type.name);
    }
    void member_detail(const std::string& name) {
        if (is_complete_) {
            string(name);
            writer_.u8(1);
            delimited([&] { writer_.u32(0); });
            writer_.u8(0);
        } else {
            const auto digest =
                md5({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()});
            writer_.bytes({digest.data(), 4});
        }
    }
    std::uint16_t growth_flag(Growth growth) const {
        return static_cast<std::uint16_t>(1U << static_cast<unsigned>(growth));
    }

    void body(const Type& type) {
        switch (type.kind) {
            case Kind::structure:
                return structure_body(type);
            case Kind::choice:
                return union_body(type);
            case Kind::enumeration:
                return enumeration_body(type);
            case Kind::bitmask:
                return delimited([&] { bitmask_body(type); });
            case Kind::alias:
                return alias_body(type);
            default:
                return;
        }
    }
    void structure_body(const Type& type) {
        u16(growth_flag(type.growth));
        delimited([&] {
            if (type.element) {
                identifier(*type.element);
            } else {
                writer_.u8(0);
            }
            type_detail(type);
        });
        sequence_of(type.fields, [&](const Field& field) {
            u32(field.id);
            u16(static_cast<std::uint16_t>(1U | (field.is_optional ? 8U : 0U) |
                                           (field.is_key ? 0x30U : 0U)));
            identifier(*field.type);
            member_detail(field.name);
        });
    }
    void union_body(const Type& type) {
        u16(growth_flag(type.growth));
        delimited([&] { type_detail(type); });
        delimited([&] {
            u16(1);
            identifier(*type.element);
            if (is_complete_) u16(0);  // no annotations
        });
        sequence_of(type.fields, [&](const Field& field) {
            u32(field.id);
            u16(field.is_default ? 0x41 : 1);
            identifier(*field.type);
            u32(static_cast<std::uint32_t>(field.labels.size()));
            for (const std::int32_t label : field.labels)
                u32(static_cast<std::uint32_t>(label));
            member_detail(field.name);
        });
    }
    void enumerated_header(const Type& type) {
        u16(0);
        delimited([&] {
            u16(static_cast<std::uint16_t>(8 * type.width));
            type_detail(type);
        });
    }
    void enumeration_body(const Type& type) {
        enumerated_header(type);
        sequence_of(type.literals, [&](const auto& literal) {
            delimited([&] {
                u32(static_cast<std::uint32_t>(literal.second));
                u16(0);
            });
            member_detail(literal.first);
        });
    }
    void bitmask_body(const Type& type) {
        enumerated_header(type);
        sequence_of(std::vector<int>{0, 3}, [&](int position) {
            u16(static_cast<std::uint16_t>(position));
            u16(0);
            member_detail("bit");
        });
    }
    void alias_body(const Type& type) {
        u16(0);
        delimited([&] { type_detail(type); });
        delimited([&] {
            u16(0);
            identifier(*type.element);
        });
    }

    void identifier(const Type& type) {
        switch (type.kind) {
            case Kind::primitive:
                return writer_.u8(type.code);
            case Kind::string:
                return bounded(0x70, type.bound);
            case Kind::wide_string:
                return bounded(0x72, type.bound);
            case Kind::sequence:
                return sequence_identifier(type);
            case Kind::array:
                return array_identifier(type);
            case Kind::map:
                return map_identifier(type);
            default:
                return hash(type);
        }
    }
    void bounded(std::uint8_t small, std::uint32_t bound) {
        const bool is_small = bound < 256;
        writer_.u8(is_small ? small : small + 1);
        if (is_small) return writer_.u8(static_cast<std::uint8_t>(bound));
        u32(bound);
    }
    void collection_header() {
        writer_.u8(0xf3);
        u16(0);
    }
    void sequence_identifier(const Type& type) {
        const bool is_small = type.bound < 256;
        writer_.u8(is_small ? 0x80 : 0x81);
        collection_header();
        if (is_small) {
            writer_.u8(static_cast<std::uint8_t>(type.bound));
        } else {
            u32(type.bound);
        }
        identifier(*type.element);
    }
    void array_identifier(const Type& type) {
        const auto& dimensions = type.dimensions;
        const bool is_small =
            std::all_of(dimensions.begin(), dimensions.end(), [](auto size) { return size < 256; });
        writer_.u8(is_small ? 0x90 : 0x91);
        collection_header();
        u32(static_cast<std::uint32_t>(dimensions.size()));
        for (const std::uint32_t size : dimensions) {
            if (is_small) {
                writer_.u8(static_cast<std::uint8_t>(size));
            } else {
                u32(size);
            }
        }
        identifier(*type.element);
    }
    void map_identifier(const Type& type) {
        writer_.u8(0xa0);
        collection_header();
        writer_.u8(0);
        identifier(*type.element);
        u16(0);
        identifier(*type.map_key);
    }
    void hash(const Type& type) {
        const Detail detail = is_complete_ ? Detail::complete : Detail::minimal;
        if (!known_.contains(&type))
            known_[&type] = ObjectEncoder(library_, detail, known_).encode(type);
        const TypeId& id = known_[&type];
        writer_.u8(static_cast<std::uint8_t>(id.kind));
        writer_.bytes(id.hash);
    }

    TypeLibrary& library_;
    Known& known_;
    bool is_complete_;
    Buffer bytes_;
    ByteWriter writer_;
};

}  // namespace

TypeId describe_in(TypeLibrary& library, const TypePointer& type, Detail detail) {
    ObjectEncoder::Known known;
    return ObjectEncoder(library, detail, known).encode(*type);
}

}  // namespace durability::test
