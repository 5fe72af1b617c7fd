#include "model/qos_text.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace durability {
namespace {

std::string_view name_of(LivelinessKind kind) {
    switch (kind) {
        case LivelinessKind::automatic:
            return "AUTOMATIC";
        case LivelinessKind::manual_by_participant:
            return "MANUAL_BY_PARTICIPANT";
        case LivelinessKind::manual_by_topic:
            return "MANUAL_BY_TOPIC";
    }
    return "?";
}

std::string_view name_of(PresentationScope scope) {
    switch (scope) {
        case PresentationScope::instance:
            return "INSTANCE";
        case PresentationScope::topic:
            return "TOPIC";
        case PresentationScope::group:
            return "GROUP";
    }
    return "?";
}

}  // namespace

std::string text_of(QosDuration duration) {
    // Some vendors write infinite with another fraction.
    if (duration.seconds == infinite_qos_duration.seconds) return "infinite";
    return format_duration(to_duration(duration));
}

std::string text_of(OwnershipKind kind) {
    switch (kind) {
        case OwnershipKind::shared:
            return "SHARED";
        case OwnershipKind::exclusive:
            return "EXCLUSIVE";
    }
    return "?";
}

std::string text_of(DestinationOrderKind kind) {
    switch (kind) {
        case DestinationOrderKind::by_reception_timestamp:
            return "BY_RECEPTION_TIMESTAMP";
        case DestinationOrderKind::by_source_timestamp:
            return "BY_SOURCE_TIMESTAMP";
    }
    return "?";
}

std::string text_of(const Liveliness& liveliness) {
    return fmt::format(
        "{}, lease {}", name_of(liveliness.kind), text_of(liveliness.lease_duration));
}

std::string text_of(const Presentation& presentation) {
    return fmt::format("{}{}{}",
                       name_of(presentation.access_scope),
                       presentation.coherent_access ? ", coherent" : "",
                       presentation.ordered_access ? ", ordered" : "");
}

std::string text_of_representation(std::int16_t representation) {
    switch (representation) {
        case representation_xcdr1:
            return "XCDR1";
        case representation_xml:
            return "XML";
        case representation_xcdr2:
            return "XCDR2";
        default:
            return fmt::format("representation {}", representation);
    }
}

std::string quoted_names(const std::vector<std::string>& partitions) {
    std::vector<std::string> names;
    names.reserve(partitions.size());
    for (const std::string& partition : partitions)
        names.push_back(fmt::format("\"{}\"", printable(partition)));
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace durability
