#include "wire/describe.hpp"

#include <fmt/format.h>

namespace durability::wire {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

template <class Number>
std::string members(const NumberSet<Number>& set) {
    std::string text = fmt::format("{}/{}", set.base.value, set.num_bits);
    std::size_t count = 0;
    set.for_each([&](Number) { ++count; });
    if (count == 0) return text;
    constexpr std::size_t shown = 8;
    std::size_t index = 0;
    text += " [";
    set.for_each([&](Number number) {
        if (index < shown) text += fmt::format("{}{}", index == 0 ? "" : " ", number.value);
        ++index;
    });
    text += count > shown ? fmt::format(" and {} more]", count - shown) : std::string("]");
    return text;
}

std::string line(const Data& value) {
    const char* kind = value.has_data ? "data" : (value.has_key ? "key" : "no payload");
    return fmt::format("DATA {} -> {} number {} {} {} octets, inline QoS {} octets",
                       to_string(value.writer),
                       to_string(value.reader),
                       value.number.value,
                       kind,
                       value.payload.size(),
                       value.inline_qos.size());
}

std::string line(const DataFrag& value) {
    return fmt::format(
        "DATA_FRAG {} -> {} number {} fragments {}..{} of {} octets, sample {} octets",
        to_string(value.writer),
        to_string(value.reader),
        value.number.value,
        value.first.value,
        std::uint64_t{value.first.value} + value.count - 1U,
        value.fragment_size,
        value.sample_size);
}

std::string line(const Heartbeat& value) {
    return fmt::format("HEARTBEAT {} -> {} {}..{} count {}{}{}",
                       to_string(value.writer),
                       to_string(value.reader),
                       value.first.value,
                       value.last.value,
                       value.count,
                       value.final ? " final" : "",
                       value.liveliness ? " liveliness" : "");
}

std::string line(const HeartbeatFrag& value) {
    return fmt::format("HEARTBEAT_FRAG {} -> {} number {} fragments 1..{} count {}",
                       to_string(value.writer),
                       to_string(value.reader),
                       value.number.value,
                       value.last.value,
                       value.count);
}

std::string line(const AckNack& value) {
    return fmt::format("ACKNACK {} -> {} {} count {}{}",
                       to_string(value.reader),
                       to_string(value.writer),
                       members(value.state),
                       value.count,
                       value.final ? " final" : "");
}

std::string line(const NackFrag& value) {
    return fmt::format("NACK_FRAG {} -> {} number {} fragments {} count {}",
                       to_string(value.reader),
                       to_string(value.writer),
                       value.number.value,
                       members(value.state),
                       value.count);
}

std::string line(const Gap& value) {
    return fmt::format("GAP {} -> {} from {} list {}",
                       to_string(value.writer),
                       to_string(value.reader),
                       value.start.value,
                       members(value.list));
}

std::string line(const InfoTimestamp& value) {
    if (!value.timestamp.valid()) return "INFO_TS none";
    return fmt::format("INFO_TS {}+{:08x}", value.timestamp.seconds, value.timestamp.fraction);
}

}  // namespace

std::string describe(const Submessage& submessage) {
    const Overloaded visitor{
        [](const InfoDestination& value) { return "INFO_DST " + to_string(value.prefix); },
        [](const InfoSource& value) {
            return fmt::format("INFO_SRC {} vendor {:04x} version {}.{}",
                               to_string(value.prefix),
                               value.vendor.value,
                               value.version.major,
                               value.version.minor);
        },
        [](const InfoReply& value) {
            return fmt::format("INFO_REPLY {} unicast, {} multicast locators",
                               value.unicast.size(),
                               value.multicast.size());
        },
        [](const Pad&) { return std::string("PAD"); },
        [](const Unknown& value) { return fmt::format("unknown submessage {:#04x}", value.id); },
        [](const auto& value) { return line(value); }};
    return std::visit(visitor, submessage);
}

}  // namespace durability::wire
