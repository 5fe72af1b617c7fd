// A datagram as it comes from the network: everything the receive path decodes before it knows the
// sender.
#include "wire/cdr.hpp"
#include "wire/describe.hpp"
#include "wire/inline_qos.hpp"
#include "wire/message_reader.hpp"
#include "wire/parameter_list.hpp"

#include <cstdlib>

using namespace durability;
using namespace durability::wire;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void check_payload(const Data& data) {
    (void)decode_inline_qos(data.inline_qos, data.order);
    const auto header = decode_encapsulation(data.payload);
    if (!header) {
        // A payload that was let through has its header (cases R7.5).
        require(data.payload_kind() == PayloadKind::none || data.non_standard);
        return;
    }
    if (header->is_parameter_list()) {
        (void)parameter_list_size(data.payload.subspan(encapsulation_size), header->order());
    }
}

// What the layers above rely on.
void check(const Submessage& submessage) {
    if (const auto* data = std::get_if<Data>(&submessage)) check_payload(*data);
    if (const auto* frag = std::get_if<DataFrag>(&submessage)) {
        (void)decode_inline_qos(frag->inline_qos, frag->order);
        const std::uint64_t begin = (std::uint64_t{frag->first.value} - 1) * frag->fragment_size;
        require(!frag->payload.empty() && begin + frag->payload.size() <= frag->sample_size);
    }
    if (const auto* heartbeat = std::get_if<Heartbeat>(&submessage)) {
        require(is_valid(heartbeat->first) && heartbeat->last.value >= heartbeat->first.value - 1);
    }
    if (const auto* acknack = std::get_if<AckNack>(&submessage)) {
        acknack->state.for_each([](SequenceNumber number) { require(is_valid(number)); });
    }
    if (const auto* gap = std::get_if<Gap>(&submessage)) {
        require(is_valid(gap->start) && gap->start <= gap->list.base);
        gap->list.for_each([](SequenceNumber number) { require(is_valid(number)); });
    }
    require(!describe(submessage).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    MessageReader reader(ByteView(data, size));
    std::size_t errors = 0;
    while (const auto submessage = reader.next()) {
        if (*submessage) {
            check(**submessage);
        } else {
            ++errors;
        }
    }
    require(errors <= 1);
    return 0;
}
