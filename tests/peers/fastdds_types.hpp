// The types of peers.idl and keys.idl for Fast DDS. Debian has no fastddsgen, so they are written
// by hand: what its generated code does, as far as it can be seen on the wire.
#pragma once

#include "endpoint.hpp"
#include <fastdds/dds/topic/TopicDataType.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace peer {

// A type with what our writers and readers need to know of its samples. Thread-safe as far as Fast
// DDS asks: no state besides what was set at construction.
class FastType : public eprosima::fastdds::dds::TopicDataType {
  public:
    // `data` is what createData() answered.
    virtual void fill(void* data,
                      std::uint32_t id,
                      std::uint32_t seq,
                      std::span<const std::uint8_t> payload) const = 0;
    // Id, number and payload of a valid sample.
    virtual void read(const void* data, Received& received) const = 0;
    [[nodiscard]] virtual std::uint32_t id_of(
        const eprosima::fastrtps::rtps::InstanceHandle_t& handle) const = 0;

  protected:
    FastType() {
        // The Fast DDS private type descriptions: without them matching goes by type name, as with
        // Cyclone.
        auto_fill_type_object(false);
        auto_fill_type_information(false);
    }
};

// Ends the process with exit_unsupported when the type needs XCDR2, which Fast DDS 2.9 has not.
std::unique_ptr<FastType> make_fast_type(std::string_view name);

// keys.idl only; null when there is no such type.
std::unique_ptr<FastType> make_fast_key_type(std::string_view name);

}  // namespace peer
