#include "types/topic_keys.hpp"

#include "types/type_information.hpp"

#include <utility>

namespace durability::types {

TypeLibrary library_of(const GroupMeta& meta) {
    TypeLibrary library;
    for (const Buffer& object : meta.type_objects)
        library.add(type_id_of(object), object);
    return library;
}

std::optional<TypeId> described_type(const GroupMeta& meta) {
    if (meta.type_objects.empty()) return std::nullopt;
    const auto information = decode_type_information(meta.qos.type_information);
    if (!information) return std::nullopt;
    const TypeLibrary library = library_of(meta);
    for (const auto& id : {information->complete, information->minimal}) {
        if (!id || library.find(*id) == nullptr) continue;
        // Of its own kind only: the other one may be incomplete.
        TypeInformation only;
        (id->kind == TypeIdKind::complete ? only.complete : only.minimal) = id;
        if (library.missing(only).empty()) return id;
    }
    return std::nullopt;
}

Result<KeyPlan> plan_keys(const GroupMeta& meta, const std::vector<std::string>& layout) {
    if (!meta.key.keyed) return fail(Errc::not_found, "the topic has no key");
    if (const auto type = described_type(meta)) {
        auto plan = KeyPlan::from_type(library_of(meta), *type);
        if (plan || layout.empty()) return plan;
    }
    if (!layout.empty()) return KeyPlan::from_layout(layout);
    return fail(Errc::not_found, "no description of the type, and no key layout in a rule");
}

std::optional<Buffer> serialized_key(const KeyPlan& plan, PayloadKind kind, ByteView payload) {
    switch (kind) {
        case PayloadKind::data:
            return plan.key_of_data(payload);
        case PayloadKind::key:
            return plan.key_of_key(payload);
        case PayloadKind::none:
            break;
    }
    return std::nullopt;
}

std::optional<InstanceKey> find_key(const KeyPlan& plan, const SampleMeta& meta, ByteView payload) {
    const auto key = serialized_key(plan, meta.payload_kind, payload);
    if (!key) return meta.key;
    return plan.identify(*key);
}

std::function<std::optional<InstanceKey>(const SampleMeta& meta, ByteView payload)> key_finder(
    const GroupMeta& meta, const std::vector<std::string>& layout) {
    auto plan = plan_keys(meta, layout);
    if (!plan) return {};
    return [plan = *plan](const SampleMeta& sample, ByteView payload) {
        return find_key(plan, sample, payload);
    };
}

std::string readable_key(const KeyPlan& plan,
                         const InstanceKey& instance,
                         PayloadKind kind,
                         ByteView payload) {
    auto key = serialized_key(plan, kind, payload);
    if (!key) key = plan.key_of_hash(instance.hash);
    return key ? plan.describe(*key) : std::string();
}

}  // namespace durability::types
