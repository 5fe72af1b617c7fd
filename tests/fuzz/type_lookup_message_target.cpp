// A request and a reply of the TypeLookup service, from anybody who announced the endpoints.
#include "discovery/type_lookup_message.hpp"

#include <cstdlib>

using namespace durability;
using namespace durability::discovery;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

constexpr TypeLookupLimits limits{.ids = 8};

void check_request(ByteView payload) {
    const auto request = decode_type_lookup_request(payload, limits);
    if (!request) return;
    require(request->ids.size() <= limits.ids);
    (void)concerns_instance(request->instance_name, GuidPrefix{});
    // What was understood can be said again.
    const Buffer again = encode_type_lookup_request(*request);
    require(decode_type_lookup_request(again, limits) == request);
}

void check_reply(ByteView payload) {
    const auto reply = decode_type_lookup_reply(payload, limits);
    if (!reply) return;
    for (const auto& type : reply->types) {
        require(type.object.size() >= 4);
        (void)types::type_id_of(type.object);
    }
    (void)decode_type_lookup_reply(encode_type_lookup_reply(*reply), limits);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    check_request(ByteView(data, size));
    check_reply(ByteView(data, size));
    return 0;
}
