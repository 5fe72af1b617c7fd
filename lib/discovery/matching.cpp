#include "discovery/matching.hpp"

#include "types/type_information.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace durability::discovery {
namespace {

// Some vendors write infinite as 7fffffff with another fraction.
bool is_longer(QosDuration left, QosDuration right) {
    if (right.seconds == infinite_qos_duration.seconds) return false;
    return left > right;
}

bool presentation_fits(const Presentation& offered, const Presentation& requested) {
    return offered.access_scope >= requested.access_scope &&
           (offered.coherent_access || !requested.coherent_access) &&
           (offered.ordered_access || !requested.ordered_access);
}

bool liveliness_fits(const Liveliness& offered, const Liveliness& requested) {
    return offered.kind >= requested.kind &&
           !is_longer(offered.lease_duration, requested.lease_duration);
}

// The first representation of the writer has to be in the reader's list; no list is {XCDR1}. A Fast
// DDS process ends at the first sample in a representation it did not list (fact sheet 3.4).
bool representation_fits(const EndpointQos& writer, const EndpointQos& reader) {
    const std::int16_t offered = offered_representation(writer);
    if (reader.representations.empty()) return offered == representation_xcdr1;
    return std::find(reader.representations.begin(), reader.representations.end(), offered) !=
           reader.representations.end();
}

enum class TypeComparison : std::uint8_t {
    unknown,  // one of the two does not say what its type is
    equal,
    different
};

// Equal types are the only ones that can be told without a look-up. Names do not count then, and
// are not enough for a reader that forces validation (fact sheet 3.3).
TypeComparison compare_types(const EndpointData& writer, const EndpointData& reader) {
    using enum TypeComparison;
    if (writer.qos.type_information.empty() || reader.qos.type_information.empty()) return unknown;
    const auto left = types::decode_type_information(writer.qos.type_information);
    const auto right = types::decode_type_information(reader.qos.type_information);
    if (!left || !left->minimal || !right || !right->minimal) return unknown;
    return left->minimal == right->minimal ? equal : different;
}

MismatchReason identity_mismatch(const EndpointData& writer, const EndpointData& reader) {
    if (writer.topic != reader.topic) return MismatchReason::topic;
    const bool same_name = writer.type == reader.type;
    const bool forced = reader.qos.force_type_validation;
    if ((!same_name || forced) && compare_types(writer, reader) != TypeComparison::equal) {
        return same_name ? MismatchReason::type_validation : MismatchReason::type;
    }
    if (writer.is_keyed() != reader.is_keyed()) return MismatchReason::keyedness;
    return MismatchReason::none;
}

MismatchReason qos_mismatch(const EndpointQos& offered, const EndpointQos& requested) {
    if (offered.reliability < requested.reliability) return MismatchReason::reliability;
    if (offered.durability < requested.durability) return MismatchReason::durability;
    if (!presentation_fits(offered.presentation, requested.presentation)) {
        return MismatchReason::presentation;
    }
    if (is_longer(offered.deadline, requested.deadline)) return MismatchReason::deadline;
    if (is_longer(offered.latency_budget, requested.latency_budget)) {
        return MismatchReason::latency_budget;
    }
    if (offered.ownership != requested.ownership) return MismatchReason::ownership;
    if (!liveliness_fits(offered.liveliness, requested.liveliness))
        return MismatchReason::liveliness;
    if (offered.destination_order < requested.destination_order) {
        return MismatchReason::destination_order;
    }
    return MismatchReason::none;
}

// One name against one name.
bool partition_names_match(std::string_view writer, std::string_view reader) {
    const bool wild_writer = is_pattern(writer);
    const bool wild_reader = is_pattern(reader);
    if (wild_writer && wild_reader) {
        // Brackets are plain characters for Cyclone DDS: two equal names without * and ? are equal
        // names to it, and by the standard no pattern can have been meant to match here.
        return writer == reader && writer.find_first_of("*?") == std::string_view::npos;
    }
    if (wild_writer) return glob_matches(writer, reader);
    if (wild_reader) return glob_matches(reader, writer);
    return writer == reader;
}

// What `[` at `open` means for `character`: nothing if there is no closing bracket, else whether
// the set contains it and where the pattern goes on.
struct SetVerdict {
    bool contains{false};
    std::size_t next{0};
};

std::optional<SetVerdict> match_set(std::string_view pattern, std::size_t open, char character) {
    std::size_t at = open + 1;
    const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
    if (negated) ++at;
    const std::size_t first = at;
    bool contains = false;
    const auto code = [](char value) { return static_cast<unsigned char>(value); };
    while (at < pattern.size()) {
        // A closing bracket in first place stands for itself (IEEE 1003.1, 2.13.1).
        if (pattern[at] == ']' && at != first) return SetVerdict{contains != negated, at + 1};
        const bool is_range =
            at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']';
        if (is_range) {
            contains |=
                code(pattern[at]) <= code(character) && code(character) <= code(pattern[at + 2]);
            at += 3;
        } else {
            contains |= pattern[at] == character;
            ++at;
        }
    }
    return std::nullopt;
}

// Where the pattern goes on if its element at `at` (not a star) takes `character`.
std::optional<std::size_t> match_one(std::string_view pattern, std::size_t at, char character) {
    if (pattern[at] == '?') return at + 1;
    if (pattern[at] == '[') {
        if (const auto set = match_set(pattern, at, character)) {
            if (!set->contains) return std::nullopt;
            return set->next;
        }
    }
    if (pattern[at] != character) return std::nullopt;
    return at + 1;
}

}  // namespace

std::string_view name(MismatchReason reason) {
    switch (reason) {
        case MismatchReason::none:
            return "none";
        case MismatchReason::topic:
            return "topic";
        case MismatchReason::type:
            return "type";
        case MismatchReason::type_validation:
            return "type_validation";
        case MismatchReason::keyedness:
            return "keyedness";
        case MismatchReason::reliability:
            return "reliability";
        case MismatchReason::durability:
            return "durability";
        case MismatchReason::presentation:
            return "presentation";
        case MismatchReason::deadline:
            return "deadline";
        case MismatchReason::latency_budget:
            return "latency_budget";
        case MismatchReason::ownership:
            return "ownership";
        case MismatchReason::liveliness:
            return "liveliness";
        case MismatchReason::destination_order:
            return "destination_order";
        case MismatchReason::partition:
            return "partition";
        case MismatchReason::representation:
            return "representation";
        case MismatchReason::positive_acks:
            return "positive_acks";
    }
    return "?";
}

MismatchReason match(const EndpointData& writer, const EndpointData& reader) {
    if (const auto reason = identity_mismatch(writer, reader); reason != MismatchReason::none) {
        return reason;
    }
    if (const auto reason = qos_mismatch(writer.qos, reader.qos); reason != MismatchReason::none) {
        return reason;
    }
    if (!partitions_match(writer.qos.partitions, reader.qos.partitions)) {
        return MismatchReason::partition;
    }
    if (!representation_fits(writer.qos, reader.qos)) return MismatchReason::representation;
    if (reader.disable_positive_acks && !writer.disable_positive_acks) {
        return MismatchReason::positive_acks;
    }
    return MismatchReason::none;
}

bool may_match(const EndpointData& writer, const EndpointData& reader) {
    if (compare_types(writer, reader) != TypeComparison::different) return false;
    // As if the reader had the writer's type; all other rules stay.
    EndpointData same = reader;
    same.type = writer.type;
    same.qos.type_information = writer.qos.type_information;
    return match(writer, same) == MismatchReason::none;
}

bool partitions_match(std::span<const std::string> writer, std::span<const std::string> reader) {
    static const std::array<std::string, 1> default_partition{};
    if (writer.empty()) writer = default_partition;
    if (reader.empty()) reader = default_partition;
    for (const std::string& left : writer) {
        for (const std::string& right : reader) {
            if (partition_names_match(left, right)) return true;
        }
    }
    return false;
}

bool glob_matches(std::string_view pattern, std::string_view text) {
    std::size_t at = 0;
    std::size_t position = 0;
    // Only the last star can be worth going back to: an earlier one could take no less.
    std::optional<std::size_t> after_star;
    std::size_t star_position = 0;
    while (position < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            after_star = ++at;
            star_position = position;
            continue;
        }
        const auto next = at < pattern.size() ? match_one(pattern, at, text[position])
                                              : std::optional<std::size_t>{};
        if (next) {
            at = *next;
            ++position;
        } else if (after_star) {
            at = *after_star;
            position = ++star_position;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == '*')
        ++at;
    return at == pattern.size();
}

bool is_pattern(std::string_view name) {
    return name.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace durability::discovery
