#include "fastdds_types.hpp"

#include "output.hpp"

#include <fmt/format.h>

#include <functional>
#include <vector>

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

// One value for both directions: a writer points `view` at its bytes, a reader owns them in
// `storage`.
struct FastSample {
    std::uint32_t id{};
    std::uint32_t seq{};
    std::span<const std::uint8_t> view;
    std::vector<std::uint8_t> storage;
};

class PayloadType final : public FastType {
  public:
    explicit PayloadType(bool keyed) {
        setName(keyed ? "peers::Keyed" : "peers::Unkeyed");
        m_isGetKeyDefined = keyed;
        // Only a first guess with dynamic history memory; the real size comes from the size
        // provider.
        m_typeSize = encapsulation_size + fixed_size;
    }

    void fill(void* data,
              std::uint32_t id,
              std::uint32_t seq,
              std::span<const std::uint8_t> payload) const override {
        auto& sample = *static_cast<FastSample*>(data);
        sample.id = id;
        sample.seq = seq;
        sample.view = payload;
    }
    void read(const void* data, Received& received) const override {
        const auto& sample = *static_cast<const FastSample*>(data);
        received.id = sample.id;
        received.seq = sample.seq;
        received.payload = sample.view;
    }
    // get_key_value is not implemented in 2.9; getKey makes the handle from the key itself.
    [[nodiscard]] std::uint32_t id_of(
        const eprosima::fastrtps::rtps::InstanceHandle_t& handle) const override {
        std::uint32_t id = 0;
        for (std::size_t i = 0; i < 4; ++i)
            id = (id << 8U) | handle.value[i];
        return id;
    }

    bool serialize(void* data, eprosima::fastrtps::rtps::SerializedPayload_t* payload) override;
    bool deserialize(eprosima::fastrtps::rtps::SerializedPayload_t* payload, void* data) override;
    std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override;
    void* createData() override;
    void deleteData(void* data) override;
    // The big-endian key, unhashed: four octets always fit the sixteen of a key hash.
    bool getKey(void* data,
                eprosima::fastrtps::rtps::InstanceHandle_t* handle,
                bool force_md5) override;
};

bool PayloadType::serialize(void* data, eprosima::fastrtps::rtps::SerializedPayload_t* payload) {
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

bool PayloadType::deserialize(eprosima::fastrtps::rtps::SerializedPayload_t* payload, void* data) {
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

std::function<std::uint32_t()> PayloadType::getSerializedSizeProvider(void* data) {
    return [data] {
        const auto& sample = *static_cast<const FastSample*>(data);
        return encapsulation_size + fixed_size + static_cast<std::uint32_t>(sample.view.size());
    };
}

void* PayloadType::createData() {
    return new FastSample;  // NOLINT(cppcoreguidelines-owning-memory): the interface's contract
}

void PayloadType::deleteData(void* data) {
    delete static_cast<FastSample*>(data);  // NOLINT(cppcoreguidelines-owning-memory)
}

bool PayloadType::getKey(void* data,
                         eprosima::fastrtps::rtps::InstanceHandle_t* handle,
                         bool /*force_md5*/) {
    if (!m_isGetKeyDefined) return false;
    const std::uint32_t id = static_cast<const FastSample*>(data)->id;
    for (std::size_t i = 0; i < 16; ++i) {
        handle->value[i] = i < 4 ? static_cast<std::uint8_t>(id >> (24 - 8 * i)) : std::uint8_t{0};
    }
    return true;
}

}  // namespace

std::unique_ptr<FastType> make_fast_type(std::string_view name) {
    if (name == "keyed" || name == "unkeyed") return std::make_unique<PayloadType>(name == "keyed");
    if (auto type = make_fast_key_type(name)) return type;
    fail(exit_unsupported, fmt::format("Fast DDS 2.9 has no type {}", name));
}

}  // namespace peer
