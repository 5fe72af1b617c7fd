#include "types/random_types.hpp"

namespace durability::test {

namespace {

constexpr unsigned max_depth = 3;

class TypeMaker {
  public:
    explicit TypeMaker(std::mt19937& random) : random_(random) {}

    TypePointer topic() {
        TypePointer base;
        if (dice(4) == 0) base = members(growth(), 1 + dice(2), Use::topic, 1, nullptr);
        // A derived type is extended as its base is.
        return members(base ? base->growth : growth(), 1 + dice(6), Use::topic, 1, base);
    }

  private:
    enum class Use {
        topic,   // some members are of the key
        key,     // all of it may have to be read
        passed,  // not of the key
    };

    std::uint32_t dice(std::uint32_t sides) {
        return static_cast<std::uint32_t>(random_() % sides);
    }
    Growth growth() { return static_cast<Growth>(dice(3)); }

    TypePointer leaf() {
        switch (dice(12)) {
            case 0:
                return octet();
            case 1:
                return primitive(0x01, 1);
            case 2:
                return int16();
            case 3:
                return int32();
            case 4:
                return int64();
            case 5:
                return float64();
            case 6:
                return text();
            case 7:
                return text(1 + dice(9));
            case 8:
                return wide_text(dice(4));
            case 9:
                return enumeration(std::size_t{1} << dice(3), {{"a", 0}, {"b", 1}});
            case 10:
                return bitmask(std::size_t{1} << dice(4));
            default:
                return primitive(0x0b, 16);
        }
    }

    TypePointer any(Use use, unsigned depth) {
        if (depth >= max_depth) return leaf();
        switch (dice(use == Use::key ? 9 : 12)) {
            case 0:
                return sequence(any(use, depth + 1), dice(3) == 0 ? 5 : 0);
            case 1:
                return array(any(use, depth + 1), {1 + dice(3)});
            case 2:
                return array(any(use, depth + 1), {1 + dice(2), 1 + dice(2)});
            case 3:
                return alias(any(use, depth + 1));
            case 4:
                return members(growth(), 1 + dice(4), use, depth + 1, nullptr);
            case 9:
                return map(leaf(), any(use, depth + 1));
            case 10:
                return union_of(depth);
            case 11:
                return members(growth(), dice(3), use, depth + 1, nullptr);
            default:
                return leaf();
        }
    }

    TypePointer union_of(unsigned depth) {
        std::vector<Field> branches;
        branches.push_back(branch("one", any(Use::passed, depth + 1), {0}));
        branches.push_back(branch("two", any(Use::passed, depth + 1), {1, -2}));
        if (dice(2) == 0) branches.push_back(branch("rest", leaf(), {}, true));
        const TypePointer discriminators[] = {octet(), int16(), int32(), int64()};
        return choice(growth(), discriminators[dice(4)], std::move(branches));
    }

    TypePointer members(
        Growth growth, std::uint32_t count, Use use, unsigned depth, const TypePointer& base) {
        std::vector<Field> fields;
        const std::uint32_t certain = dice(count + 1);
        for (std::uint32_t i = 0; i < count; ++i) {
            const bool is_key =
                use != Use::passed && (dice(3) == 0 || (use == Use::topic && i == certain % count));
            const bool is_read = use != Use::topic || is_key;
            const Use member_use = !is_read ? Use::passed : use == Use::passed ? use : Use::key;
            Field field{
                "m" + std::to_string(i), next_id, any(member_use, depth), is_key, false, false, {}};
            field.is_optional = member_use == Use::passed && dice(4) == 0;
            fields.push_back(std::move(field));
        }
        // Ids of their own; those of the base are below.
        std::uint32_t id = base ? 1000 : 0;
        for (Field& field : fields)
            field.id = id += 1 + dice(3);
        if (dice(3) == 0 && fields.size() > 1) std::swap(fields.front().id, fields.back().id);
        auto type = structure(growth, std::move(fields), base);
        return type;
    }

    std::mt19937& random_;
};

class ValueMaker {
  public:
    explicit ValueMaker(std::mt19937& random) : random_(random) {}

    Value of(const Type& type) {
        Value value;
        switch (type.kind) {
            case Kind::alias:
                return of(*type.element);
            case Kind::primitive:
            case Kind::enumeration:
            case Kind::bitmask:
                value.number = std::uint64_t{random_()} << 32U | random_();
                if (type.width < 8) value.number &= (std::uint64_t{1} << 8 * type.width) - 1;
                break;
            case Kind::string:
                value.text = letters(length(type.bound));
                break;
            case Kind::wide_string:
                value.wide.assign(length(type.bound), u'\u20ac');
                break;
            case Kind::sequence:
                fill(value, *type.element, length(type.bound));
                break;
            case Kind::array:
                fill(value, *type.element, count_of(type));
                break;
            case Kind::map:
                fill_map(value, type);
                break;
            case Kind::structure:
                fill_structure(value, type);
                break;
            case Kind::choice:
                fill_union(value, type);
                break;
        }
        return value;
    }

  private:
    std::size_t length(std::uint32_t bound) {
        return random_() % (bound == 0 ? 6 : std::min(bound, 5U) + 1);
    }
    std::string letters(std::size_t count) {
        std::string text;
        while (text.size() < count)
            text.push_back(static_cast<char>('a' + random_() % 26));
        return text;
    }
    static std::size_t count_of(const Type& type) {
        std::size_t count = 1;
        for (const std::uint32_t size : type.dimensions)
            count *= size;
        return count;
    }
    void fill(Value& value, const Type& element, std::size_t count) {
        while (value.parts.size() < count)
            value.parts.push_back(of(element));
    }
    void fill_map(Value& value, const Type& type) {
        for (std::size_t left = random_() % 3; left > 0; --left) {
            value.parts.push_back(of(*type.map_key));
            value.parts.push_back(of(*type.element));
        }
    }
    void fill_structure(Value& value, const Type& type) {
        for (const Field& field : all_fields(type)) {
            value.parts.push_back(of(*field.type));
            value.parts.back().is_present = !field.is_optional || (random_() & 1U) != 0;
        }
    }
    void fill_union(Value& value, const Type& type) {
        const std::uint8_t discriminators[] = {0, 1, 0xfe, 7};
        value.number = discriminators[random_() % 4];
        // -2, in the width of the discriminator.
        if (value.number == 0xfe && type.element->width > 1) value.number = ~std::uint64_t{1};
        const Field* selected = selected_branch(type, value.number);
        if (selected != nullptr) value.parts.push_back(of(*selected->type));
    }

    std::mt19937& random_;
};

}  // namespace

TypePointer random_topic_type(std::mt19937& random) {
    return TypeMaker(random).topic();
}

Value random_value(const Type& type, std::mt19937& random) {
    return ValueMaker(random).of(type);
}

}  // namespace durability::test
