#include "cyclone_types.hpp"

#include "cyclone_endpoints.hpp"
#include "keys.h"
#include "layouts.hpp"
#include "output.hpp"
#include "peers.h"
#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace peer {
namespace {

// peers_Unkeyed or peers_Keyed, which differ in nothing but their name and the key.
template <class Type>
struct PayloadAccess {
    using Sample = Type;

    static void fill(Sample& sample,
                     std::uint32_t id,
                     std::uint32_t seq,
                     std::span<const std::uint8_t> payload) {
        sample.id = id;
        sample.seq = seq;
        sample.payload._length = static_cast<std::uint32_t>(payload.size());
        sample.payload._maximum = sample.payload._length;
        // The C mapping has no const; Cyclone does not write through it.
        sample.payload._buffer = const_cast<std::uint8_t*>(payload.data());  // NOLINT
    }
    static void release(Sample& /*sample*/) {}
    static void read(const Sample& sample, Received& received) {
        received.id = sample.id;
        if (!received.valid) return;
        received.seq = sample.seq;
        received.payload =
            std::span<const std::uint8_t>(sample.payload._buffer, sample.payload._length);
    }
};

template <class Field>
concept CSequence = requires(Field field) {
    field._buffer;
    field._length;
};

template <class Element>
Element* allocate(std::size_t count) {
    return static_cast<Element*>(dds_alloc(count * sizeof(Element)));  // zeroed
}

struct CycloneFields : NumberFields {
    using NumberFields::holds;
    using NumberFields::put;

    static void put(char*& field, const MemberValue& value) {
        field = dds_string_dup(value.text().c_str());
    }
    static bool holds(const char* field, const MemberValue& value) {
        return field != nullptr && field == value.text();
    }
    template <std::size_t size>
    static void put_short(char (&field)[size], const MemberValue& value) {
        const std::string text = value.short_text();
        std::memcpy(field, text.c_str(), std::min(size, text.size() + 1));
    }
    template <std::size_t size>
    static bool holds_short(const char (&field)[size], const MemberValue& value) {
        return field == value.short_text();
    }
    static void put(peers_Tag& field, const MemberValue& value) {
        put(field.label, value.element(0));
        put(field.stamp, value.element(1));
    }
    static bool holds(const peers_Tag& field, const MemberValue& value) {
        return holds(field.label, value.element(0)) && holds(field.stamp, value.element(1));
    }
    template <class Element, std::size_t size>
    static void put(Element (&field)[size], const MemberValue& value) {
        for (std::size_t i = 0; i < size; ++i)
            put(field[i], value.element(i));
    }
    template <class Element, std::size_t size>
    static bool holds(const Element (&field)[size], const MemberValue& value) {
        bool right = true;
        for (std::size_t i = 0; i < size; ++i)
            right = holds(field[i], value.element(i)) && right;
        return right;
    }
    template <CSequence Sequence>
    static void put(Sequence& field, const MemberValue& value) {
        field._length = static_cast<std::uint32_t>(value.length());
        field._maximum = field._length;
        field._release = field._length > 0;
        if (field._length == 0) return;
        field._buffer = allocate<std::remove_pointer_t<decltype(field._buffer)>>(field._length);
        for (std::size_t i = 0; i < field._length; ++i)
            put(field._buffer[i], value.element(i));
    }
    template <CSequence Sequence>
    static bool holds(const Sequence& field, const MemberValue& value) {
        bool right = field._length == value.length();
        for (std::size_t i = 0; right && i < field._length; ++i)
            right = holds(field._buffer[i], value.element(i));
        return right;
    }
    // Optional members that are no strings.
    static void put(std::int32_t*& field, const MemberValue& value) {
        field = allocate<std::int32_t>(1);
        put(*field, value);
    }
    static bool holds(const std::int32_t* field, const MemberValue& value) {
        return holds(*field, value);
    }
};

template <class Layout, class Type, const dds_topic_descriptor_t* descriptor>
struct KeyAccess {
    using Sample = Type;

    static void fill(Sample& sample,
                     std::uint32_t id,
                     std::uint32_t seq,
                     std::span<const std::uint8_t> /*payload*/) {
        Filler<CycloneFields> filler(id, seq);
        Layout::visit(filler, sample);
    }
    static void release(Sample& sample) { dds_sample_free(&sample, descriptor, DDS_FREE_CONTENTS); }
    static void read(const Sample& sample, Received& received) {
        SeqGetter getter;
        if (received.valid) Layout::visit(getter, sample);
        received.seq = getter.value();
        received.id = find_instance([&](std::uint32_t instance) {
            return matcher(sample, instance, received.seq).key_matches();
        });
        // Without valid data there is nothing but the key.
        if (received.valid) received.right = matcher(sample, received.id, received.seq).matches();
    }

  private:
    static Matcher<CycloneFields> matcher(const Sample& sample,
                                          std::uint32_t instance,
                                          std::uint32_t seq) {
        Matcher<CycloneFields> made(instance, seq);
        Layout::visit(made, sample);
        return made;
    }
};

template <class Access>
CycloneType type(std::string_view name, const dds_topic_descriptor_t& descriptor) {
    return {name,
            &descriptor,
            descriptor.m_typename,
            [](dds_entity_t writer) -> std::unique_ptr<Writer> {
                return std::make_unique<CycloneWriter<Access>>(writer);
            },
            [](dds_entity_t reader) -> std::unique_ptr<Reader> {
                return std::make_unique<CycloneReader<Access>>(reader);
            }};
}

template <class Layout, class Type, const dds_topic_descriptor_t* descriptor>
CycloneType key_type() {
    return type<KeyAccess<Layout, Type, descriptor>>(Layout::name, *descriptor);
}

CycloneType newer_type() {
    auto made = key_type<AppendableKey2Layout, newer_AppendableKey, &newer_AppendableKey_desc>();
    made.type_name = peers_AppendableKey_desc.m_typename;
    return made;
}

// The newer version under a name of its own: it matches writers of the older one only if its
// description can be had.
CycloneType renamed_type() {
    auto made = newer_type();
    made.name = "AppendableKey3";
    made.type_name = newer_AppendableKey_desc.m_typename;
    return made;
}

const std::array types{
    type<PayloadAccess<peers_Unkeyed>>("unkeyed", peers_Unkeyed_desc),
    type<PayloadAccess<peers_Keyed>>("keyed", peers_Keyed_desc),
    key_type<IntKeyLayout, peers_IntKey, &peers_IntKey_desc>(),
    key_type<LongKeyLayout, peers_LongKey, &peers_LongKey_desc>(),
    key_type<PairKeyLayout, peers_PairKey, &peers_PairKey_desc>(),
    key_type<StringKeyLayout, peers_StringKey, &peers_StringKey_desc>(),
    key_type<BoundedKeyLayout, peers_BoundedKey, &peers_BoundedKey_desc>(),
    key_type<MiddleKeyLayout, peers_MiddleKey, &peers_MiddleKey_desc>(),
    key_type<NestedKeyLayout, peers_NestedKey, &peers_NestedKey_desc>(),
    key_type<EnumKeyLayout, peers_EnumKey, &peers_EnumKey_desc>(),
    key_type<WholeKeyLayout, peers_WholeKey, &peers_WholeKey_desc>(),
    key_type<IdKeyLayout, peers_IdKey, &peers_IdKey_desc>(),
    key_type<OptionalKeyLayout, peers_OptionalKey, &peers_OptionalKey_desc>(),
    key_type<AppendableKeyLayout, peers_AppendableKey, &peers_AppendableKey_desc>(),
    newer_type(),
    renamed_type(),
    key_type<MutableKeyLayout, peers_MutableKey, &peers_MutableKey_desc>(),
    key_type<AppendableNestedKeyLayout,
             peers_AppendableNestedKey,
             &peers_AppendableNestedKey_desc>(),
    key_type<MutableNestedKeyLayout, peers_MutableNestedKey, &peers_MutableNestedKey_desc>(),
};

}  // namespace

const CycloneType& find_cyclone_type(std::string_view name) {
    const auto* found = std::find_if(
        types.begin(), types.end(), [&](const CycloneType& each) { return each.name == name; });
    if (found == types.end()) fail(exit_usage, fmt::format("--type: no type {}", name));
    return *found;
}

dds_topic_descriptor_t descriptor_of(const CycloneType& type, bool type_information) {
    const dds_topic_descriptor_t& full = *type.descriptor;
    const dds_type_meta_ser nothing{nullptr, 0};
    return {full.m_size,
            full.m_align,
            type_information ? full.m_flagset : full.m_flagset & ~DDS_TOPIC_XTYPES_METADATA,
            full.m_nkeys,
            type.type_name,
            full.m_keys,
            full.m_nops,
            full.m_ops,
            full.m_meta,
            type_information ? full.type_information : nothing,
            type_information ? full.type_mapping : nothing,
            full.restrict_data_representation};
}

}  // namespace peer
