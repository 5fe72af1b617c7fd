// A line on the control socket: what is taken for a request is one that can be written and read
// again. The same line as a reply, which a client reads.
#include "control/protocol.hpp"

#include <cstdlib>
#include <string_view>

using namespace durability;
using namespace durability::control;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view line(reinterpret_cast<const char*>(data), size);
    const auto request = decode_request(line);
    if (request) {
        const auto again = decode_request(encode(*request));
        require(again && *again == *request);
    } else {
        // The refusal goes back to whoever sent the line, whatever it contained.
        const auto reply = decode_reply(encode_reply(request.error()));
        require(!reply && !reply.error().text().empty());
    }
    if (const auto reply = decode_reply(line)) {
        // Printed by durabilityctl.
        require(decode_reply(encode_reply(reply->data)).has_value());
        (void)encode_data(Command::status, reply->status);
    }
    return 0;
}
