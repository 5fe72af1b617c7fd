#include "wire/inline_qos.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "wire/parameter_list.hpp"
#include "wire/sequence_set.hpp"

#include <algorithm>
#include <utility>

namespace durability::wire {
namespace {

constexpr std::uint16_t sample_id_size = 24;

using Outcome = tl::expected<void, DecodeError>;

// Sets what is not set yet.
template <class T>
Outcome set_once(std::optional<T>& target, Decoded<T> value) {
    if (!value) return decode_failure(value.error());
    if (target) return decode_failure(DecodeError::duplicate_parameter);
    target = *value;
    return {};
}

Decoded<KeyHash> read_key_hash(ByteView value) {
    if (value.size() != 16) return decode_failure(DecodeError::bad_length);
    return ByteReader(value).octets<16>();
}

// Big-endian whatever the order of the list (9.6.4.9).
Decoded<std::uint32_t> read_status(ByteView value) {
    if (value.size() != 4) return decode_failure(DecodeError::bad_length);
    return ByteReader(value).u32_big();
}

Decoded<SampleId> read_sample_id(ByteView value, std::endian order) {
    if (value.size() != sample_id_size) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    SampleId id;
    id.writer = guid_from_octets(in.octets<16>());
    id.number = read_sequence_number(in);
    if (id.number > max_sequence_number) return decode_failure(DecodeError::bad_range);
    return id;
}

Decoded<SampleId> read_original_writer(ByteView value, std::endian order) {
    auto id = read_sample_id(value, order);
    if (id && !is_valid(id->number)) return decode_failure(DecodeError::bad_range);
    return id;
}

Decoded<SequenceNumber> read_number(ByteView value, std::endian order) {
    if (value.size() != 8) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    const SequenceNumber number = read_sequence_number(in);
    if (number > max_sequence_number) return decode_failure(DecodeError::bad_range);
    return number;
}

// Some writers send a related sample under both ids; the standard one then counts.
struct Accumulator {
    InlineQos qos;
    std::optional<std::uint32_t> status;
    std::optional<SampleId> related;
    std::optional<SampleId> related_of_vendor;

    [[nodiscard]] InlineQos finish() && {
        qos.status_info = status.value_or(0);
        if (related) {
            qos.related = RelatedSample{pid::related_sample_identity, *related};
        } else if (related_of_vendor) {
            qos.related = RelatedSample{pid::eprosima_related_sample_identity, *related_of_vendor};
        }
        return qos;
    }
};

Outcome add(Accumulator& into, const Parameter& parameter, std::endian order) {
    const ByteView value = parameter.value;
    InlineQos& qos = into.qos;
    switch (pid::without_flag(parameter.id)) {
        case pid::key_hash:
            return set_once(qos.key_hash, read_key_hash(value));
        case pid::status_info:
            return set_once(into.status, read_status(value));
        case pid::original_writer_info:
            return set_once(qos.original_writer, read_original_writer(value, order));
        case pid::coherent_set:
            return set_once(qos.coherent_set, read_number(value, order));
        case pid::group_coherent_set:
            return set_once(qos.group_coherent_set, read_number(value, order));
        case pid::group_seq_num:
            return set_once(qos.group_sequence, read_number(value, order));
        case pid::related_sample_identity:
            return set_once(into.related, read_sample_id(value, order));
        case pid::eprosima_related_sample_identity:
            // Other vendors use the number for other things, of other lengths.
            if (value.size() != sample_id_size) return {};
            return set_once(into.related_of_vendor, read_sample_id(value, order));
        default:
            if (pid::must_understand(parameter.id)) qos.has_unknown_must_understand = true;
            return {};
    }
}

void write_sample_id(Buffer& out, std::uint16_t id, const SampleId& sample) {
    ByteWriter writer(out);
    writer.u16(id);
    writer.u16(sample_id_size);
    writer.bytes(to_octets(sample.writer));
    write_sequence_number(writer, sample.number);
}

}  // namespace

Decoded<InlineQos> decode_inline_qos(ByteView list, std::endian order) {
    Accumulator result;
    if (list.empty()) return result.qos;
    ParameterReader reader(list, order);
    while (const auto parameter = reader.next()) {
        if (!*parameter) return decode_failure(parameter->error());
        if (const auto added = add(result, **parameter, order); !added) {
            return decode_failure(added.error());
        }
    }
    return std::move(result).finish();
}

void encode_inline_qos(Buffer& out, const InlineQos& qos) {
    ParameterListBuilder list(out);
    if (qos.key_hash) list.octets(pid::key_hash, *qos.key_hash);
    if (qos.status_info != 0) {
        ByteWriter writer(out);
        writer.u16(pid::status_info);
        writer.u16(4);
        writer.u32_big(qos.status_info);
    }
    if (qos.original_writer) {
        write_sample_id(out, pid::original_writer_info, *qos.original_writer);
    }
    if (qos.related) write_sample_id(out, qos.related->parameter_id, qos.related->id);
    if (qos.coherent_set) list.sequence_number(pid::coherent_set, *qos.coherent_set);
    if (qos.group_coherent_set) {
        list.sequence_number(pid::group_coherent_set, *qos.group_coherent_set);
    }
    if (qos.group_sequence) list.sequence_number(pid::group_seq_num, *qos.group_sequence);
    list.finish();
}

void add_coherent_set(Buffer& list, SequenceNumber first) {
    constexpr std::size_t sentinel_size = 4;
    list.resize(list.size() - std::min(list.size(), sentinel_size));
    ParameterListBuilder builder(list);
    builder.sequence_number(pid::coherent_set, first);
    builder.finish();
}

}  // namespace durability::wire
