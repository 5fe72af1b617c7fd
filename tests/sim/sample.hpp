// Samples of the simulation: numbered by their writer, with contents that can be checked.
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "model/sample.hpp"

#include <bit>
#include <cstdint>
#include <optional>

namespace durability::test {

// What an application got from a reader. `id` is that of the first writer, also where the daemon
// sent it.
struct Delivered {
    SampleId id;
    bool replayed{false};             // it came from a replay writer
    bool intact{false};               // the payload is the one that was written
    std::int64_t number{0};           // under which it came
    std::optional<std::int64_t> set;  // PID_COHERENT_SET as it came
    bool is_empty{false};             // neither payload nor status: it ends a coherent set
};

// A CDR payload of `size` octets that only sample `number` has.
[[nodiscard]] Buffer make_payload(std::int64_t number, std::size_t size);
[[nodiscard]] bool is_payload_of(std::int64_t number, ByteView payload);
[[nodiscard]] Delivered to_delivered(const Guid& writer,
                                     SequenceNumber number,
                                     ByteView inline_qos,
                                     std::endian order,
                                     ByteView payload);

}  // namespace durability::test
