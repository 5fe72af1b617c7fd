// The two types of peers.idl for Fast DDS. Debian has no fastddsgen, so they are written by hand.
#pragma once

#include <fastdds/dds/topic/TopicDataType.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace peer {

// One value for both directions: a writer points `view` at its bytes, a reader owns them in
// `storage`.
struct FastSample {
    std::uint32_t id{};
    std::uint32_t seq{};
    std::span<const std::uint8_t> view;
    std::vector<std::uint8_t> storage;
};

// Thread-safe as far as Fast DDS asks: no state besides what the base class was told at
// construction.
class FastType final : public eprosima::fastdds::dds::TopicDataType {
  public:
    explicit FastType(bool keyed);

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

}  // namespace peer
