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

// Types are compared by name: with type information on one side only, that is what every vendor
// does, and we announce none (fact sheet 3.3).
[[nodiscard]] MismatchReason match(const EndpointData& writer, const EndpointData& reader);

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
