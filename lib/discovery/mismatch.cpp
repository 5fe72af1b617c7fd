#include "discovery/mismatch.hpp"

#include "types/type_information.hpp"

#include "base/text.hpp"
#include "model/qos_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace durability::discovery {
namespace {

std::string text_of_partitions(const std::vector<std::string>& partitions) {
    if (partitions.empty()) return "the default partition \"\"";
    return quoted_names(partitions);
}

std::string text_of_representations(const std::vector<std::int16_t>& representations) {
    if (representations.empty()) return "XCDR1 (none is named)";
    std::vector<std::string> names;
    names.reserve(representations.size());
    for (const std::int16_t representation : representations)
        names.push_back(text_of_representation(representation));
    return fmt::format("{}", fmt::join(names, ", "));
}

// The name, and which description stands behind it.
std::string text_of_type(const EndpointData& endpoint) {
    const auto information = types::decode_type_information(endpoint.qos.type_information);
    const std::string name = printable(endpoint.type);
    if (!information || !information->minimal) return fmt::format("{}, not described", name);
    return fmt::format("{}, description {}", name, types::to_string(*information->minimal));
}

Mismatch between(MismatchReason reason, std::string offered, std::string requested) {
    return {reason, std::move(offered), std::move(requested)};
}

}  // namespace

Mismatch explain_mismatch(const EndpointData& writer, const EndpointData& reader) {
    const MismatchReason reason = match(writer, reader);
    const EndpointQos& offered = writer.qos;
    const EndpointQos& requested = reader.qos;
    switch (reason) {
        case MismatchReason::none:
            break;
        case MismatchReason::topic:
            return between(reason, printable(writer.topic), printable(reader.topic));
        case MismatchReason::type:
            return between(reason, text_of_type(writer), text_of_type(reader));
        case MismatchReason::type_validation:
            return between(reason,
                           text_of_type(writer),
                           fmt::format("{}, and the same description only", text_of_type(reader)));
        case MismatchReason::keyedness:
            return between(reason,
                           writer.is_keyed() ? "with a key" : "without a key",
                           reader.is_keyed() ? "with a key" : "without a key");
        case MismatchReason::reliability:
            return between(reason,
                           std::string(name(offered.reliability)),
                           std::string(name(requested.reliability)));
        case MismatchReason::durability:
            return between(reason,
                           std::string(name(offered.durability)),
                           std::string(name(requested.durability)));
        case MismatchReason::presentation:
            return between(reason, text_of(offered.presentation), text_of(requested.presentation));
        case MismatchReason::deadline:
            return between(reason, text_of(offered.deadline), text_of(requested.deadline));
        case MismatchReason::latency_budget:
            return between(
                reason, text_of(offered.latency_budget), text_of(requested.latency_budget));
        case MismatchReason::ownership:
            return between(reason, text_of(offered.ownership), text_of(requested.ownership));
        case MismatchReason::liveliness:
            return between(reason, text_of(offered.liveliness), text_of(requested.liveliness));
        case MismatchReason::destination_order:
            return between(
                reason, text_of(offered.destination_order), text_of(requested.destination_order));
        case MismatchReason::partition:
            return between(reason,
                           text_of_partitions(offered.partitions),
                           text_of_partitions(requested.partitions));
        case MismatchReason::representation:
            // A writer uses the first of its list, whatever else it could.
            return between(reason,
                           text_of_representation(offered_representation(offered)),
                           text_of_representations(requested.representations));
        case MismatchReason::positive_acks:
            return between(reason, "waits for acknowledgements", "sends none");
    }
    return {};
}

std::string_view cure(MismatchReason reason) {
    switch (reason) {
        case MismatchReason::none:
            return "";
        case MismatchReason::topic:
            return "give both the same topic name";
        case MismatchReason::type:
        case MismatchReason::keyedness:
            return "build both from the same type definition";
        case MismatchReason::type_validation:
            return "build both from the same type definition, or do not let the reader force type "
                   "validation";
        case MismatchReason::reliability:
        case MismatchReason::durability:
        case MismatchReason::presentation:
        case MismatchReason::liveliness:
        case MismatchReason::destination_order:
            return "let the reader request no more than is offered, or the writer offer more";
        case MismatchReason::deadline:
        case MismatchReason::latency_budget:
            return "let the reader request a duration no shorter than the offered one";
        case MismatchReason::ownership:
            return "give both the same ownership kind";
        case MismatchReason::partition:
            return "put both into a common partition";
        case MismatchReason::representation:
            return "let the reader accept the offered representation";
        case MismatchReason::positive_acks:
            return "let the reader send positive acknowledgements";
    }
    return "";
}

}  // namespace durability::discovery
