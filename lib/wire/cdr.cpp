#include "wire/cdr.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "model/qos.hpp"

namespace durability::wire {

Decoded<Encapsulation> decode_encapsulation(ByteView payload) {
    ByteReader in(payload, std::endian::big);
    Encapsulation value;
    value.kind = in.u16();
    value.options = in.u16();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    return value;
}

void encode_encapsulation(Buffer& out, const Encapsulation& value) {
    ByteWriter writer(out, std::endian::big);
    writer.u16(value.kind);
    writer.u16(value.options);
}

std::optional<std::int16_t> representation_of(std::uint16_t kind) {
    if (kind <= encapsulation::pl_cdr_le) return representation_xcdr1;
    if (kind >= encapsulation::cdr2_be && kind <= encapsulation::pl_cdr2_le) {
        return representation_xcdr2;
    }
    return std::nullopt;
}

}  // namespace durability::wire
