// The contents of single parameters (RTPS 2.5, 9.3.2 and 9.6.2.2.2; fact sheet 2.3). Every function
// wants the whole value, checks its length and allocates only what it has found present and within
// the limit. Pure functions; thread-safe. Errors: bad_length unless more is said.
#pragma once

#include "base/byte_reader.hpp"
#include "model/guid.hpp"
#include "model/locator.hpp"
#include "model/rtps_time.hpp"
#include "wire/parameter_list.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace durability::wire {

// How much text and data one parameter may hold; more is over_limit.
struct StringLimits {
    std::size_t string_length{1024};    // octets of a name, without the NUL
    std::size_t partitions{64};         // names in PARTITION
    std::size_t partition_length{256};  // octets of a partition name, without the NUL
    std::size_t octets{16 * 1024};      // USER_DATA, GROUP_DATA, TOPIC_DATA
    std::size_t type_information{16 * 1024};
    std::size_t representations{16};  // entries in DATA_REPRESENTATION
    std::size_t properties{256};      // pairs in PROPERTY_LIST
};

[[nodiscard]] Decoded<std::uint32_t> decode_u32(ByteView value, std::endian order);
[[nodiscard]] Decoded<std::int32_t> decode_i32(ByteView value, std::endian order);
// A boolean is 0 or 1; bad_range otherwise.
[[nodiscard]] Decoded<bool> decode_boolean(ByteView value);
[[nodiscard]] Decoded<Guid> decode_guid(ByteView value);
// Negative durations are bad_range; every duration of 0x7fffffff seconds is infinite.
[[nodiscard]] Decoded<QosDuration> decode_duration(ByteView value, std::endian order);
[[nodiscard]] Decoded<ProtocolVersion> decode_protocol_version(ByteView value);
[[nodiscard]] Decoded<VendorId> decode_vendor(ByteView value);
// A string: bad_string without its NUL at the end or with one inside, over_limit when longer than
// `max_length` octets.
[[nodiscard]] Decoded<std::string> decode_string(ByteView value,
                                                 std::endian order,
                                                 std::size_t max_length);
// Octets behind a 32-bit length.
[[nodiscard]] Decoded<Buffer> decode_octet_sequence(ByteView value,
                                                    std::endian order,
                                                    std::size_t max_length);
[[nodiscard]] Decoded<std::vector<std::string>> decode_string_sequence(ByteView value,
                                                                       std::endian order,
                                                                       std::size_t max_count,
                                                                       std::size_t max_length);
// PROPERTY_LIST: pairs of name and value. What other vendors append behind the pairs is not read.
[[nodiscard]] Decoded<std::vector<std::pair<std::string, std::string>>> decode_property_list(
    ByteView value, std::endian order, const StringLimits& limits);

// Where `in` stands: the duration or string itself, for values that hold more than one.
[[nodiscard]] Decoded<QosDuration> read_duration(ByteReader& in);
[[nodiscard]] Decoded<std::string> read_string(ByteReader& in, std::size_t max_length);

}  // namespace durability::wire
