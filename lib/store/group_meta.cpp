#include "store/group_meta.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"

#include <string_view>

namespace durability::store {
namespace {

void put(ByteWriter& out, std::string_view text) {
    out.u32(static_cast<std::uint32_t>(text.size()));
    out.bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}
void put(ByteWriter& out, const Buffer& bytes) {
    out.u32(static_cast<std::uint32_t>(bytes.size()));
    out.bytes(bytes);
}
void put(ByteWriter& out, QosDuration duration) {
    out.i32(duration.seconds);
    out.u32(duration.fraction);
}
void put(ByteWriter& out, const std::vector<std::string>& texts) {
    out.u32(static_cast<std::uint32_t>(texts.size()));
    for (const std::string& text : texts)
        put(out, text);
}
void put(ByteWriter& out, const History& history) {
    out.u8(static_cast<std::uint8_t>(history.kind));
    out.i32(history.depth);
}
void put(ByteWriter& out, const ResourceLimits& limits) {
    out.i32(limits.max_samples);
    out.i32(limits.max_instances);
    out.i32(limits.max_samples_per_instance);
}
void put(ByteWriter& out, const Presentation& presentation) {
    out.u8(static_cast<std::uint8_t>(presentation.access_scope));
    out.u8(presentation.coherent_access ? 1 : 0);
    out.u8(presentation.ordered_access ? 1 : 0);
}

// Reads an enumeration and marks the input unusable when the value is not one of it.
template <class E>
E get_enum(ByteReader& in, E last) {
    const std::uint8_t value = in.u8();
    if (value > static_cast<std::uint8_t>(last)) in.set_failed();
    return static_cast<E>(value);
}
bool get_bool(ByteReader& in) {
    const std::uint8_t value = in.u8();
    if (value > 1) in.set_failed();
    return value == 1;
}
std::string get_text(ByteReader& in) {
    const ByteView view = in.take(in.u32());
    return {reinterpret_cast<const char*>(view.data()), view.size()};
}
Buffer get_bytes(ByteReader& in) {
    const ByteView view = in.take(in.u32());
    return {view.begin(), view.end()};
}
QosDuration get_duration(ByteReader& in) {
    QosDuration duration;
    duration.seconds = in.i32();
    duration.fraction = in.u32();
    return duration;
}
std::vector<std::string> get_texts(ByteReader& in) {
    const std::uint32_t count = in.u32();
    std::vector<std::string> texts;
    // Each text takes at least its length field, so a false count ends with the input.
    for (std::uint32_t i = 0; i < count && in.ok(); ++i)
        texts.push_back(get_text(in));
    return texts;
}
History get_history(ByteReader& in) {
    History history;
    history.kind = get_enum(in, HistoryKind::keep_all);
    history.depth = in.i32();
    return history;
}
ResourceLimits get_limits(ByteReader& in) {
    ResourceLimits limits;
    limits.max_samples = in.i32();
    limits.max_instances = in.i32();
    limits.max_samples_per_instance = in.i32();
    return limits;
}
Presentation get_presentation(ByteReader& in) {
    Presentation presentation;
    presentation.access_scope = get_enum(in, PresentationScope::group);
    presentation.coherent_access = get_bool(in);
    presentation.ordered_access = get_bool(in);
    return presentation;
}

void put_key(ByteWriter& out, const GroupKey& key) {
    put(out, key.topic);
    put(out, key.type);
    out.u8(key.keyed ? 1 : 0);
    put(out, key.partitions);
    out.i16(key.representation);
    out.u8(static_cast<std::uint8_t>(key.durability));
    out.u8(static_cast<std::uint8_t>(key.ownership));
    put(out, key.presentation);
}

GroupKey get_key(ByteReader& in) {
    GroupKey key;
    key.topic = get_text(in);
    key.type = get_text(in);
    key.keyed = get_bool(in);
    key.partitions = get_texts(in);
    key.representation = in.i16();
    key.durability = get_enum(in, DurabilityKind::persistent);
    key.ownership = get_enum(in, OwnershipKind::exclusive);
    key.presentation = get_presentation(in);
    return key;
}

void put_qos(ByteWriter& out, const EndpointQos& qos) {
    out.u8(static_cast<std::uint8_t>(qos.durability));
    out.u8(qos.durability_service ? 1 : 0);
    const DurabilityServiceQos service = qos.durability_service.value_or(DurabilityServiceQos{});
    put(out, service.service_cleanup_delay);
    put(out, service.history);
    put(out, service.limits);
    out.u8(static_cast<std::uint8_t>(qos.reliability));
    put(out, qos.max_blocking_time);
    put(out, qos.history);
    put(out, qos.resource_limits);
    out.u8(static_cast<std::uint8_t>(qos.ownership));
    out.i32(qos.ownership_strength);
    out.u8(static_cast<std::uint8_t>(qos.liveliness.kind));
    put(out, qos.liveliness.lease_duration);
    put(out, qos.deadline);
    put(out, qos.latency_budget);
    put(out, qos.lifespan);
    out.u8(static_cast<std::uint8_t>(qos.destination_order));
    put(out, qos.presentation);
    put(out, qos.partitions);
    put(out, qos.time_based_filter);
    out.i32(qos.transport_priority);
    put(out, qos.user_data);
    put(out, qos.group_data);
    put(out, qos.topic_data);
    out.u32(static_cast<std::uint32_t>(qos.representations.size()));
    for (const std::int16_t id : qos.representations)
        out.i16(id);
    out.u8(qos.force_type_validation ? 1 : 0);
    put(out, qos.type_information);
}

EndpointQos get_qos(ByteReader& in) {
    EndpointQos qos;
    qos.durability = get_enum(in, DurabilityKind::persistent);
    const bool has_service = get_bool(in);
    DurabilityServiceQos service;
    service.service_cleanup_delay = get_duration(in);
    service.history = get_history(in);
    service.limits = get_limits(in);
    if (has_service) qos.durability_service = service;
    qos.reliability = get_enum(in, ReliabilityKind::reliable);
    qos.max_blocking_time = get_duration(in);
    qos.history = get_history(in);
    qos.resource_limits = get_limits(in);
    qos.ownership = get_enum(in, OwnershipKind::exclusive);
    qos.ownership_strength = in.i32();
    qos.liveliness.kind = get_enum(in, LivelinessKind::manual_by_topic);
    qos.liveliness.lease_duration = get_duration(in);
    qos.deadline = get_duration(in);
    qos.latency_budget = get_duration(in);
    qos.lifespan = get_duration(in);
    qos.destination_order = get_enum(in, DestinationOrderKind::by_source_timestamp);
    qos.presentation = get_presentation(in);
    qos.partitions = get_texts(in);
    qos.time_based_filter = get_duration(in);
    qos.transport_priority = in.i32();
    qos.user_data = get_bytes(in);
    qos.group_data = get_bytes(in);
    qos.topic_data = get_bytes(in);
    const std::uint32_t count = in.u32();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i)
        qos.representations.push_back(in.i16());
    qos.force_type_validation = get_bool(in);
    qos.type_information = get_bytes(in);
    return qos;
}

void put_contract(ByteWriter& out, const Contract& contract) {
    out.u8(static_cast<std::uint8_t>(contract.history));
    out.u8(static_cast<std::uint8_t>(contract.scope));
    out.u64(contract.depth);
    out.u64(contract.max_samples);
    out.u64(contract.max_instances);
    out.u64(contract.max_samples_per_instance);
    out.i64(contract.cleanup_delay.count());
}

Contract get_contract(ByteReader& in) {
    Contract contract;
    contract.history = get_enum(in, ContractHistory::keep_all);
    contract.scope = get_enum(in, ContractScope::writer);
    contract.depth = in.u64();
    contract.max_samples = in.u64();
    contract.max_instances = in.u64();
    contract.max_samples_per_instance = in.u64();
    contract.cleanup_delay = std::chrono::nanoseconds{in.i64()};
    return contract;
}

// After everything else: what older files do not have is as if it were not set.
void put_quotas(ByteWriter& out, const Contract& contract) {
    out.u64(contract.max_bytes);
    out.i64(contract.max_age.count());
}

void get_quotas(ByteReader& in, Contract& contract) {
    if (in.remaining() == 0) return;
    contract.max_bytes = in.u64();
    contract.max_age = std::chrono::nanoseconds{in.i64()};
}

// Absent in older files, like what follows it.
void put_type(ByteWriter& out, const GroupMeta& meta) {
    out.u32(static_cast<std::uint32_t>(meta.type_objects.size()));
    for (const Buffer& object : meta.type_objects)
        put(out, object);
    put(out, meta.key.type_hash);
}

void get_type(ByteReader& in, GroupMeta& meta) {
    if (in.remaining() == 0) return;
    const std::uint32_t count = in.u32();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i)
        meta.type_objects.push_back(get_bytes(in));
    meta.key.type_hash = get_bytes(in);
}

}  // namespace

void encode_group_key(const GroupKey& key, Buffer& out) {
    ByteWriter writer(out);
    put_key(writer, key);
    if (!key.type_hash.empty()) put(writer, key.type_hash);
}

void encode_group_meta(const GroupMeta& meta, Buffer& out) {
    ByteWriter writer(out);
    put_key(writer, meta.key);
    put_contract(writer, meta.contract);
    writer.u8(static_cast<std::uint8_t>(meta.contract_source));
    writer.u8(static_cast<std::uint8_t>(meta.storage));
    put_qos(writer, meta.qos);
    put_quotas(writer, meta.contract);
    put_type(writer, meta);
}

void encode_group_frame(const GroupMeta& meta, Buffer& out) {
    Buffer body;
    encode_group_meta(meta, body);
    encode_frame(FrameKind::group, 0, body, out);
}

Buffer encode_meta_file(const GroupMeta& meta, const GroupHash& hash) {
    Buffer content;
    FileHeader header;
    header.type = FileType::meta;
    header.group = hash;
    encode_file_header(header, content);
    encode_group_frame(meta, content);
    return content;
}

std::optional<GroupMeta> decode_group_meta(ByteView bytes) {
    ByteReader in(bytes);
    GroupMeta meta;
    meta.key = get_key(in);
    meta.contract = get_contract(in);
    meta.contract_source = get_enum(in, ContractSource::daemon_default);
    meta.storage = get_enum(in, StorageKind::memory);
    meta.qos = get_qos(in);
    get_quotas(in, meta.contract);
    get_type(in, meta);
    if (!in.ok()) return std::nullopt;
    return meta;
}

}  // namespace durability::store
