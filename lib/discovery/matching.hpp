// Does a writer match a reader? Request/offer rules (DDS 1.4, 2.2.3; fact sheet 3.1) and partitions
// (fact sheet 3.2). Both sides decide for themselves and must come to the same verdict, so the
// whole table is applied here. Pure functions.
#pragma once

#include "discovery/endpoint_data.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace durability::discovery {

// The first rule that fails, in the order of the checks; none: they match.
enum class MismatchReason : std::uint8_t {
    none,
    topic,
    type,
    type_validation,  // the reader insists on comparing types, and there is nothing to compare
    keyedness,
    reliability,
    durability,
    presentation,
    deadline,
    latency_budget,
    ownership,
    liveliness,
    destination_order,
    partition,
    representation,
    positive_acks,
};

[[nodiscard]] std::string_view name(MismatchReason reason);

// Types are equal if both sides announce the same minimal type id; else they are compared by name,
// as every vendor does with type information on one side only (fact sheet 3.3). Whether different
// types are assignable is not looked into: names decide that too.
[[nodiscard]] MismatchReason match(const EndpointData& writer, const EndpointData& reader);

// The same where the other side may know better: both describe their types, these differ, and it
// finds out whether one is assignable to the other, whatever they are called (fact sheet 3.3).
// False when anything else keeps the two apart.
[[nodiscard]] bool may_match(const EndpointData& writer, const EndpointData& reader);

// No partition is the partition "". `*`, `?` and `[set]` make a name a pattern, on either side; a
// pattern never matches a pattern.
[[nodiscard]] bool partitions_match(std::span<const std::string> writer,
                                    std::span<const std::string> reader);

// fnmatch(3) without escapes and without special treatment of dots and slashes. Takes time
// proportional to pattern times text at worst, so foreign patterns are harmless.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text);

// Whether glob_matches() would treat any character of `name` specially.
[[nodiscard]] bool is_pattern(std::string_view name);

}  // namespace durability::discovery
