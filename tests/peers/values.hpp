// What the members of a generated type hold: a pure function of instance, number of the sample and
// place of the member, so that one set of code writes and checks every type of keys.idl, whatever
// the language mapping of a vendor makes of it.
//
// A layout (layouts.hpp) calls a visitor for each member in the order of declaration. `Fields` is
// the vendor's: put(member, value) and holds(member, value) for each kind of member there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace peer {

// One member's value. Key values differ between any two instances below 256.
class MemberValue {
  public:
    static MemberValue of_key(std::uint32_t instance, std::uint32_t member);
    static MemberValue of_data(std::uint32_t instance, std::uint32_t seq, std::uint32_t member);

    // The value of one element of an array or a sequence, or of one member of a structure.
    [[nodiscard]] MemberValue element(std::size_t index) const;
    template <class Number>
    [[nodiscard]] Number number() const {
        if constexpr (std::is_enum_v<Number>) {
            return static_cast<Number>(bits_ % 3);  // every enumeration here has three values
        } else if constexpr (std::is_same_v<Number, bool>) {
            return (bits_ & 1U) != 0;
        } else if constexpr (std::is_floating_point_v<Number>) {
            return static_cast<Number>(static_cast<std::int32_t>(bits_));
        } else if constexpr (sizeof(Number) == 8) {
            return static_cast<Number>(bits_ + 0x1122334400000000U);
        } else {
            return static_cast<Number>(bits_);
        }
    }
    // Of a key: short in even instances, longer than a key hash in odd ones.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string short_text() const;  // at most 8 characters
    [[nodiscard]] std::size_t length() const { return bits_ % 4; }
    [[nodiscard]] bool present() const { return (bits_ & 4U) != 0; }

  private:
    MemberValue(std::uint64_t bits, bool key) : bits_(bits), key_(key) {}

    std::uint64_t bits_;
    bool key_;
};

// Members that every vendor maps alike.
struct NumberFields {
    template <class Number>
    requires(std::is_arithmetic_v<Number> ||
             std::is_enum_v<Number>) static void put(Number& field, const MemberValue& value) {
        field = value.number<Number>();
    }
    template <class Number>
    requires(std::is_arithmetic_v<Number> ||
             std::is_enum_v<Number>) static bool holds(const Number& field,
                                                       const MemberValue& value) {
        return field == value.number<Number>();
    }
};

template <class Fields>
class Filler {
  public:
    Filler(std::uint32_t instance, std::uint32_t seq) : instance_(instance), seq_(seq) {}

    template <class Field>
    void key(Field& field) {
        Fields::put(field, MemberValue::of_key(instance_, next_++));
    }
    template <class Field>
    void short_key(Field& field) {
        Fields::put_short(field, MemberValue::of_key(instance_, next_++));
    }
    template <class Field>
    void data(Field& field) {
        Fields::put(field, MemberValue::of_data(instance_, seq_, next_++));
    }
    template <class Field>
    void optional(Field& field) {
        const auto value = MemberValue::of_data(instance_, seq_, next_++);
        field = nullptr;
        if (value.present()) Fields::put(field, value);
    }
    void seq(std::uint32_t& field) const { field = seq_; }

  private:
    std::uint32_t instance_;
    std::uint32_t seq_;
    std::uint32_t next_{0};
};

// Compares a sample with what a Filler of the same arguments makes.
template <class Fields>
class Matcher {
  public:
    Matcher(std::uint32_t instance, std::uint32_t seq) : instance_(instance), seq_(seq) {}

    template <class Field>
    void key(const Field& field) {
        key_ = Fields::holds(field, MemberValue::of_key(instance_, next_++)) && key_;
    }
    template <class Field>
    void short_key(const Field& field) {
        key_ = Fields::holds_short(field, MemberValue::of_key(instance_, next_++)) && key_;
    }
    template <class Field>
    void data(const Field& field) {
        data_ = Fields::holds(field, MemberValue::of_data(instance_, seq_, next_++)) && data_;
    }
    template <class Field>
    void optional(const Field& field) {
        const auto value = MemberValue::of_data(instance_, seq_, next_++);
        const bool right =
            field == nullptr ? !value.present() : value.present() && Fields::holds(field, value);
        data_ = right && data_;
    }
    void seq(const std::uint32_t& field) { data_ = field == seq_ && data_; }

    [[nodiscard]] bool key_matches() const { return key_; }
    [[nodiscard]] bool matches() const { return key_ && data_; }

  private:
    std::uint32_t instance_;
    std::uint32_t seq_;
    std::uint32_t next_{0};
    bool key_{true};
    bool data_{true};
};

// Picks the number of a sample out of its members.
class SeqGetter {
  public:
    template <class Field>
    void key(const Field& /*field*/) {}
    template <class Field>
    void short_key(const Field& /*field*/) {}
    template <class Field>
    void data(const Field& /*field*/) {}
    template <class Field>
    void optional(const Field& /*field*/) {}
    void seq(const std::uint32_t& field) { value_ = field; }
    [[nodiscard]] std::uint32_t value() const { return value_; }

  private:
    std::uint32_t value_{0};
};

inline constexpr std::uint32_t most_instances = 256;
inline constexpr std::uint32_t unknown_instance = 0xffffffffU;

// The instance whose key `has_key_of(instance)` recognises. There are few enough to try them all.
template <class HasKeyOf>
std::uint32_t find_instance(HasKeyOf has_key_of) {
    for (std::uint32_t instance = 0; instance < most_instances; ++instance) {
        if (has_key_of(instance)) return instance;
    }
    return unknown_instance;
}

}  // namespace peer
