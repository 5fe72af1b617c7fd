// The members of each type of keys.idl in the order of declaration, told to a visitor: key (with
// short_key for a bounded string), data, optional, seq.
#pragma once

#include <string_view>

namespace peer {

struct IntKeyLayout {
    static constexpr std::string_view name = "IntKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.key(sample.id);
        visitor.seq(sample.seq);
        visitor.data(sample.text);
    }
};

struct LongKeyLayout {
    static constexpr std::string_view name = "LongKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.key(sample.a);
        visitor.key(sample.b);
        visitor.key(sample.c);
        visitor.seq(sample.seq);
        visitor.data(sample.text);
    }
};

struct PairKeyLayout {
    static constexpr std::string_view name = "PairKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.key(sample.a);
        visitor.key(sample.b);
        visitor.seq(sample.seq);
    }
};

struct StringKeyLayout {
    static constexpr std::string_view name = "StringKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.key(sample.name);
        visitor.seq(sample.seq);
        visitor.data(sample.value);
    }
};

struct BoundedKeyLayout {
    static constexpr std::string_view name = "BoundedKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.short_key(sample.name);
        visitor.seq(sample.seq);
    }
};

struct MiddleKeyLayout {
    static constexpr std::string_view name = "MiddleKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.data(sample.text);
        visitor.data(sample.numbers);
        visitor.data(sample.colors);
        visitor.key(sample.id);
        visitor.seq(sample.seq);
        visitor.data(sample.blob);
    }
};

struct NestedKeyLayout {
    static constexpr std::string_view name = "NestedKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.data(sample.header.frame);
        visitor.data(sample.header.stamp);
        visitor.data(sample.location.blob);
        visitor.data(sample.location.place.floor);
        visitor.key(sample.location.place.room);
        visitor.data(sample.location.place.comment);
        visitor.key(sample.location.place.wing);
        visitor.data(sample.location.height);
        visitor.seq(sample.seq);
    }
};

struct EnumKeyLayout {
    static constexpr std::string_view name = "EnumKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.key(sample.color);
        visitor.key(sample.flag);
        visitor.key(sample.n);
        visitor.seq(sample.seq);
        visitor.data(sample.text);
    }
};

struct OptionalKeyLayout {
    static constexpr std::string_view name = "OptionalKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.optional(sample.hint);
        visitor.optional(sample.note);
        visitor.key(sample.id);
        visitor.seq(sample.seq);
    }
};

struct AppendableKeyLayout {
    static constexpr std::string_view name = "AppendableKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.data(sample.tag);
        visitor.data(sample.tags);
        visitor.key(sample.id);
        visitor.key(sample.part);
        visitor.seq(sample.seq);
    }
};

// The newer version: its additional member stays unset, because writers of the older one have none.
struct AppendableKey2Layout {
    static constexpr std::string_view name = "AppendableKey2";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        AppendableKeyLayout::visit(visitor, sample);
    }
};

struct MutableKeyLayout {
    static constexpr std::string_view name = "MutableKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.data(sample.text);
        visitor.optional(sample.hint);
        visitor.seq(sample.seq);
        visitor.key(sample.number);
        visitor.key(sample.part);
    }
};

struct WholeKeyLayout {
    static constexpr std::string_view name = "WholeKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.data(sample.text);
        visitor.key(sample.point.x);
        visitor.key(sample.point.y);
        visitor.seq(sample.seq);
    }
};

struct IdKeyLayout {
    static constexpr std::string_view name = "IdKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.key(sample.first);
        visitor.key(sample.second);
        visitor.seq(sample.seq);
    }
};

struct AppendableNestedKeyLayout {
    static constexpr std::string_view name = "AppendableNestedKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        visitor.data(sample.text);
        visitor.data(sample.place.comment);
        visitor.key(sample.place.room);
        visitor.data(sample.place.floor);
        visitor.key(sample.place.wing);
        visitor.seq(sample.seq);
    }
};

struct MutableNestedKeyLayout {
    static constexpr std::string_view name = "MutableNestedKey";
    template <class Visitor, class Sample>
    static void visit(Visitor& visitor, Sample& sample) {
        AppendableNestedKeyLayout::visit(visitor, sample);
    }
};

}  // namespace peer
