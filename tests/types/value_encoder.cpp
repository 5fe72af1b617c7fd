// The payloads of XTypes 1.3, 7.4, written down a second time.
#include "types/type_model.hpp"

#include <algorithm>
#include <functional>

namespace durability::test {

namespace {

bool has_marked_key(const std::vector<Field>& fields) {
    return std::any_of(
        fields.begin(), fields.end(), [](const Field& field) { return field.is_key; });
}

bool is_primitive(const Type& type) {
    if (type.kind == Kind::alias) return is_primitive(*type.element);
    return type.kind == Kind::primitive;
}

class Encoder {
  public:
    explicit Encoder(const Encoding& encoding)
        : encoding_(encoding), alignment_(encoding.is_version_2() ? 4 : 8) {}

    Buffer take() { return std::move(bytes_); }

    void value(const Type& type, const Value& value) {
        switch (type.kind) {
            case Kind::alias:
                return this->value(*type.element, value);
            case Kind::primitive:
            case Kind::enumeration:
            case Kind::bitmask:
                return number(value.number, type.width);
            case Kind::string:
                return string(value.text);
            case Kind::wide_string:
                return wide_string(value.wide);
            case Kind::sequence:
                return collection(type, value, true);
            case Kind::array:
                return collection(type, value, false);
            case Kind::map:
                return pairs(type, value);
            case Kind::structure:
                return structure(type, value);
            case Kind::choice:
                return choice(type, value);
        }
    }

    // Only the members of the key, without any header, inside collections either.
    void key(const Type& type, const Value& value) {
        is_plain_ = true;
        key_members(type, value);
    }

  private:
    void key_members(const Type& type, const Value& value) {
        if (type.kind == Kind::alias) return key_members(*type.element, value);
        if (type.kind != Kind::structure) return this->value(type, value);
        const auto fields = all_fields(type);
        const bool is_marked = has_marked_key(fields);
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (fields[i].is_key || !is_marked) key_members(*fields[i].type, value.parts[i]);
    }

    bool flip() { return encoding_.random != nullptr && ((*encoding_.random)() & 1U) != 0; }
    std::uint32_t dice(std::uint32_t sides) {
        return encoding_.random == nullptr
                   ? 0
                   : static_cast<std::uint32_t>((*encoding_.random)() % sides);
    }

    void align(std::size_t width) {
        while ((bytes_.size() - origin_) % std::min(width, alignment_) != 0)
            bytes_.push_back(0);
    }
    void number(std::uint64_t value, std::size_t width) {
        align(width);
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t shift = encoding_.order() == std::endian::little ? i : width - 1 - i;
            bytes_.push_back(shift < 8 ? static_cast<std::uint8_t>(value >> 8 * shift) : 0);
        }
    }
    void string(const std::string& text) {
        number(text.size() + 1, 4);
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        bytes_.push_back(0);
    }
    void wide_string(const std::u16string& text) {
        number(2 * text.size(), 4);
        for (const char16_t unit : text)
            number(unit, 2);
    }
    // Returns the place of a number that is known later.
    std::size_t open() {
        number(0, 4);
        return bytes_.size();
    }
    void close(std::size_t begin, std::size_t size) {
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t shift = encoding_.order() == std::endian::little ? i : 3 - i;
            bytes_[begin - 4 + i] = static_cast<std::uint8_t>(size >> 8 * shift);
        }
    }
    void delimited(bool is_delimited, const std::function<void()>& write) {
        if (!is_delimited) return write();
        const std::size_t begin = open();
        write();
        close(begin, bytes_.size() - begin);
    }

    void collection(const Type& type, const Value& value, bool is_sequence) {
        delimited(encoding_.is_version_2() && !is_primitive(*type.element), [&] {
            if (is_sequence) number(value.parts.size(), 4);
            for (const Value& part : value.parts)
                this->value(*type.element, part);
        });
    }
    void pairs(const Type& type, const Value& value) {
        const bool is_plain = is_primitive(*type.element) && is_primitive(*type.map_key);
        delimited(encoding_.is_version_2() && !is_plain, [&] {
            number(value.parts.size() / 2, 4);
            for (std::size_t i = 0; i < value.parts.size(); ++i)
                this->value(i % 2 == 0 ? *type.map_key : *type.element, value.parts[i]);
        });
    }

    void structure(const Type& type, const Value& value) {
        const auto fields = all_fields(type);
        if (type.growth == Growth::mutable_members && !is_plain_) return tagged(fields, value);
        delimited(encoding_.is_version_2() && type.growth == Growth::appendable, [&] {
            for (std::size_t i = 0; i < fields.size(); ++i)
                member(fields[i], value.parts[i]);
            // A newer version has members we do not know.
            if (encoding_.is_version_2() && type.growth == Growth::appendable && flip())
                string("newer");
        });
    }
    void member(const Field& field, const Value& part) {
        if (!field.is_optional) return value(*field.type, part);
        if (encoding_.is_version_2()) {
            number(part.is_present ? 1 : 0, 1);
            if (part.is_present) value(*field.type, part);
        } else {
            parameter(field.id, [&] {
                if (part.is_present) value(*field.type, part);
            });
        }
    }

    // Members with a header each, in any order, and some nobody knows.
    void tagged(const std::vector<Field>& fields, const Value& value) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (value.parts[i].is_present) order.push_back(i);
        if (encoding_.random != nullptr)
            std::shuffle(order.begin(), order.end(), *encoding_.random);
        delimited(encoding_.is_version_2(), [&] {
            for (const std::size_t i : order) {
                if (flip()) tagged_member(0x5000 + dice(100), text_type(), text_value());
                tagged_member(fields[i].id, *fields[i].type, value.parts[i]);
            }
        });
        if (!encoding_.is_version_2()) sentinel();
    }
    static const Type& text_type() {
        static const TypePointer type = text();
        return *type;
    }
    static Value text_value() {
        Value value;
        value.text = "unknown";
        return value;
    }
    void tagged_member(std::uint32_t id, const Type& type, const Value& part) {
        if (!encoding_.is_version_2()) return parameter(id, [&] { value(type, part); });
        const std::uint32_t must_understand = flip() ? 0x80000000U : 0U;
        const std::uint32_t code = length_code(type, part);
        number(must_understand | code << 28U | id, 4);
        if (code != 4) return value(type, part);
        delimited(true, [&] { value(type, part); });
    }
    // One that the value allows: its own first number counts octets, or elements of 4 or 8.
    std::uint32_t length_code(const Type& type, const Value& part) {
        if (type.kind == Kind::alias) return length_code(*type.element, part);
        if (type.kind == Kind::string && flip()) return 5;
        if (type.kind == Kind::sequence && is_primitive(*type.element) && !part.parts.empty()) {
            const std::size_t width = plain_width(*type.element);
            if (width == 1) return 5;
            if (width == 4) return 6;
            if (width == 8) return 7;
        }
        const bool has_header = (type.kind == Kind::sequence || type.kind == Kind::array) &&
                                !is_primitive(*type.element);
        if (has_header && flip()) return 5;
        const bool is_number = type.kind == Kind::primitive || type.kind == Kind::enumeration ||
                               type.kind == Kind::bitmask;
        if (!is_number || flip()) return 4;
        return type.width == 1   ? 0
               : type.width == 2 ? 1
               : type.width == 4 ? 2
               : type.width == 8 ? 3
                                 : 4;
    }
    static std::size_t plain_width(const Type& type) {
        return type.kind == Kind::alias ? plain_width(*type.element) : type.width;
    }

    // XCDR1: the value is aligned as if it began at 0.
    void parameter(std::uint32_t id, const std::function<void()>& write) {
        Encoder inner(encoding_);
        write_into(inner, write);
        const std::size_t size = inner.bytes_.size();
        align(4);
        if (id >= 0x3f00 || size > 0xffff || flip()) {
            number(0x7f01, 2);
            number(8, 2);
            number(id, 4);
            number(size, 4);
        } else {
            number(id, 2);
            number(size, 2);
        }
        bytes_.insert(bytes_.end(), inner.bytes_.begin(), inner.bytes_.end());
    }
    void write_into(Encoder& inner, const std::function<void()>& write) {
        std::swap(bytes_, inner.bytes_);
        const std::size_t origin = std::exchange(origin_, 0);
        write();
        origin_ = origin;
        std::swap(bytes_, inner.bytes_);
    }
    void sentinel() {
        align(4);
        number(0x3f02, 2);
        number(0, 2);
    }

    void choice(const Type& type, const Value& value) {
        const Field* selected = branch_of(type, value.number);
        if (type.growth == Growth::mutable_members) return tagged_choice(type, value, selected);
        delimited(encoding_.is_version_2() && type.growth == Growth::appendable, [&] {
            number(value.number, plain_width(*type.element));
            if (selected != nullptr) this->value(*selected->type, value.parts.at(0));
        });
    }
    void tagged_choice(const Type& type, const Value& value, const Field* selected) {
        Value discriminator;
        discriminator.number = value.number;
        delimited(encoding_.is_version_2(), [&] {
            tagged_member(0, *type.element, discriminator);
            if (selected != nullptr)
                tagged_member(selected->id, *selected->type, value.parts.at(0));
        });
        if (!encoding_.is_version_2()) sentinel();
    }

  public:
    static const Field* branch_of(const Type& type, std::uint64_t discriminator) {
        const Field* otherwise = nullptr;
        for (const Field& field : type.fields) {
            for (const std::int32_t label : field.labels)
                if (static_cast<std::uint8_t>(label) == static_cast<std::uint8_t>(discriminator))
                    return &field;
            if (field.is_default) otherwise = &field;
        }
        return otherwise;
    }

  private:
    Encoding encoding_;
    std::size_t alignment_;
    std::size_t origin_{0};
    bool is_plain_{false};
    Buffer bytes_;
};

}  // namespace

Buffer payload_of(const Type& type, const Value& value, const Encoding& encoding) {
    Encoder encoder(encoding);
    encoder.value(type, value);
    const Buffer body = encoder.take();
    Buffer payload(4 + body.size());
    payload[0] = static_cast<std::uint8_t>(encoding.kind >> 8);
    payload[1] = static_cast<std::uint8_t>(encoding.kind);
    std::copy(body.begin(), body.end(), payload.begin() + 4);
    return payload;
}

Buffer key_of(const Type& type, const Value& value) {
    Encoder encoder({0x0000, nullptr});
    encoder.key(type, value);
    return encoder.take();
}

std::vector<std::uint16_t> encapsulations_of(const Type& type) {
    switch (type.growth) {
        case Growth::closed:
            return {0x0000, 0x0001, 0x0006, 0x0007};
        case Growth::appendable:
            return {0x0000, 0x0001, 0x0008, 0x0009};
        case Growth::mutable_members:
            return {0x0002, 0x0003, 0x000a, 0x000b};
    }
    return {};
}

const Field* selected_branch(const Type& type, std::uint64_t discriminator) {
    return Encoder::branch_of(type, discriminator);
}

}  // namespace durability::test
