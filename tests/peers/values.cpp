#include "values.hpp"

#include <fmt/format.h>

namespace peer {
namespace {

// The last step of splitmix64.
std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31U);
}

}  // namespace

MemberValue MemberValue::of_key(std::uint32_t instance, std::uint32_t member) {
    // The lowest octet is the instance, so that even a key of one octet tells them apart.
    return {instance + (std::uint64_t{member} << 8U), true};
}

MemberValue MemberValue::of_data(std::uint32_t instance, std::uint32_t seq, std::uint32_t member) {
    return {mixed((std::uint64_t{instance} << 40U) + (std::uint64_t{seq} << 8U) + member + 1),
            false};
}

MemberValue MemberValue::element(std::size_t index) const {
    return {key_ ? bits_ + (std::uint64_t{index} << 16U) : mixed(bits_ + index), key_};
}

std::string MemberValue::text() const {
    if (!key_) return fmt::format("{}{:x}", std::string(bits_ % 13, 'x'), bits_ >> 48U);
    const auto instance = bits_ % most_instances;
    return fmt::format(
        "{}-{}", instance % 2 == 0 ? "key" : "instance-name-longer-than-16", instance);
}

std::string MemberValue::short_text() const {
    return fmt::format("key-{}", bits_ % most_instances);
}

}  // namespace peer
