#include "fastdds_types.hpp"

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>
#include <fastdds/rtps/common/InstanceHandle.h>
#include <fastdds/rtps/common/SerializedPayload.h>

namespace peer {
namespace {

using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;

constexpr std::uint32_t encapsulation_size = 4;
constexpr std::uint32_t fixed_size = 12;  // id, seq, length of the sequence

}  // namespace

FastType::FastType(bool keyed) {
    setName(keyed ? "peers::Keyed" : "peers::Unkeyed");
    m_isGetKeyDefined = keyed;
    // Only a first guess with dynamic history memory; the real size comes from the size provider.
    m_typeSize = encapsulation_size + fixed_size;
    // The Fast DDS private type descriptions: without them matching goes by type name, as with
    // Cyclone.
    auto_fill_type_object(false);
    auto_fill_type_information(false);
}

bool FastType::serialize(void* data, eprosima::fastrtps::rtps::SerializedPayload_t* payload) {
    const auto& sample = *static_cast<const FastSample*>(data);
    FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->max_size);  // NOLINT
    Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
    payload->encapsulation = cdr.endianness() == Cdr::BIG_ENDIANNESS ? CDR_BE : CDR_LE;
    try {
        cdr.serialize_encapsulation();
        cdr << sample.id << sample.seq << static_cast<std::uint32_t>(sample.view.size());
        cdr.serializeArray(sample.view.data(), sample.view.size());
    } catch (const eprosima::fastcdr::exception::Exception&) {
        return false;
    }
    payload->length = static_cast<std::uint32_t>(cdr.getSerializedDataLength());
    return true;
}

bool FastType::deserialize(eprosima::fastrtps::rtps::SerializedPayload_t* payload, void* data) {
    auto& sample = *static_cast<FastSample*>(data);
    FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->length);  // NOLINT
    Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
    try {
        cdr.read_encapsulation();
        payload->encapsulation = cdr.endianness() == Cdr::BIG_ENDIANNESS ? CDR_BE : CDR_LE;
        std::uint32_t length = 0;
        cdr >> sample.id >> sample.seq >> length;
        if (length > payload->length) return false;
        sample.storage.resize(length);
        cdr.deserializeArray(sample.storage.data(), sample.storage.size());
    } catch (const eprosima::fastcdr::exception::Exception&) {
        return false;
    }
    sample.view = sample.storage;
    return true;
}

std::function<std::uint32_t()> FastType::getSerializedSizeProvider(void* data) {
    return [data] {
        const auto& sample = *static_cast<const FastSample*>(data);
        return encapsulation_size + fixed_size + static_cast<std::uint32_t>(sample.view.size());
    };
}

void* FastType::createData() {
    return new FastSample;  // NOLINT(cppcoreguidelines-owning-memory): the interface's contract
}

void FastType::deleteData(void* data) {
    delete static_cast<FastSample*>(data);  // NOLINT(cppcoreguidelines-owning-memory)
}

bool FastType::getKey(void* data,
                      eprosima::fastrtps::rtps::InstanceHandle_t* handle,
                      bool /*force_md5*/) {
    if (!m_isGetKeyDefined) return false;
    const std::uint32_t id = static_cast<const FastSample*>(data)->id;
    for (std::size_t i = 0; i < 16; ++i) {
        handle->value[i] = i < 4 ? static_cast<std::uint8_t>(id >> (24 - 8 * i)) : std::uint8_t{0};
    }
    return true;
}

}  // namespace peer
