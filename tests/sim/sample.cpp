#include "sim/sample.hpp"

#include "base/byte_writer.hpp"
#include "wire/inline_qos.hpp"

#include <algorithm>

namespace durability::test {

Buffer make_payload(std::int64_t number, std::size_t size) {
    Buffer payload{0x00, 0x01, 0x00, 0x00};  // little-endian CDR
    ByteWriter out(payload);
    out.i64(number);
    while (payload.size() < size)
        payload.push_back(
            static_cast<std::uint8_t>(payload.size() * 31U + static_cast<std::size_t>(number)));
    return payload;
}

bool is_payload_of(std::int64_t number, ByteView payload) {
    return std::ranges::equal(make_payload(number, payload.size()), payload);
}

Delivered to_delivered(const Guid& writer,
                       SequenceNumber number,
                       ByteView inline_qos,
                       std::endian order,
                       ByteView payload) {
    Delivered delivered;
    delivered.id = {writer, number};
    const auto qos = wire::decode_inline_qos(inline_qos, order);
    if (qos && qos->original_writer) {
        delivered.id = *qos->original_writer;
        delivered.replayed = true;
    }
    delivered.number = number.value;
    if (qos && qos->coherent_set) delivered.set = qos->coherent_set->value;
    delivered.is_empty = payload.empty() && qos && qos->lifecycle() == Lifecycle::data;
    delivered.intact = is_payload_of(delivered.id.number.value, payload);
    return delivered;
}

}  // namespace durability::test
