// A type description and payloads of the type. The input is made of parts, each after its length
// (two octets): the first is the type's TypeObject, the last the payload, what stands between are
// descriptions the type may refer to. The hash of a description is what it is, so every one is
// taken. Each part is also read as PID_TYPE_INFORMATION.
//   What the walker takes for a key survives being sent, named and shown.
#include "types/key_plan.hpp"
#include "types/type_information.hpp"

#include "base/byte_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace durability;
using namespace durability::types;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

std::vector<ByteView> parts_of(ByteView input) {
    std::vector<ByteView> parts;
    ByteReader in(input, std::endian::little);
    while (in.ok() && in.remaining() >= 2) {
        const std::size_t length = std::min<std::size_t>(in.u16(), in.remaining() - 2);
        parts.push_back(in.take(length));
    }
    return parts;
}

void try_key(const KeyPlan& plan, const Buffer& key) {
    for (const std::int16_t representation : {std::int16_t{0}, std::int16_t{2}}) {
        const Buffer payload = plan.key_payload(key, representation);
        require(!payload.empty());
        // Another reading may use up the payload as well, but none may fail.
        require(plan.key_of_key(payload).has_value());
    }
    const InstanceKey name = plan.identify(key);
    require(plan.key_hash_by(key, {}) == name.hash);
    require((name.tag == 0) == plan.fits_key_hash());
    if (plan.fits_key_hash()) require(plan.key_of_hash(name.hash) == key);
    (void)plan.key_hash_by(key, cyclone_hash_rule(2));
    require(!plan.describe(key).empty());
}

void try_payload(const KeyPlan& plan, ByteView payload) {
    if (const auto key = plan.key_of_data(payload)) try_key(plan, *key);
    if (const auto key = plan.key_of_key(payload)) try_key(plan, *key);
    (void)plan.describe(payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<ByteView> parts = parts_of({data, size});
    TypeLibrary library;
    for (const ByteView part : parts) {
        require(part.empty() || library.add(type_id_of(part), part));
        if (const auto information = decode_type_information(part))
            (void)library.missing(*information);
    }
    if (parts.empty()) return 0;
    TypeInformation information;
    information.minimal = type_id_of(parts.front());
    (void)library.missing(information);
    if (const auto plan = KeyPlan::from_type(library, *information.minimal))
        try_payload(*plan, parts.back());
    return 0;
}
