#include "wire/qos_parameters.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <set>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

constexpr auto little = std::endian::little;
const StringLimits limits;

Decoded<bool> decode(std::uint16_t id, const std::string& hex, EndpointQos& qos) {
    const Buffer value = from_hex(hex);
    return decode_qos_parameter({id, value}, little, limits, qos);
}

// The policy is refused and the rest of the QoS stays as it was.
void check_refused(std::uint16_t id, const std::string& hex, DecodeError expected) {
    INFO(id << " " << hex);
    EndpointQos qos = default_qos(EndpointRole::writer);
    qos.durability_service = DurabilityServiceQos{{1, 0}, {HistoryKind::keep_last, 7}, {}};
    qos.partitions = {"before"};
    const EndpointQos before = qos;
    const auto result = decode(id, hex, qos);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error() == expected);
    CHECK(qos == before);
}

EndpointQos decode_all(const Buffer& list, EndpointRole role) {
    EndpointQos qos = default_qos(role);
    ParameterReader reader(list, little);
    while (const auto parameter = reader.next()) {
        REQUIRE(parameter->has_value());
        const auto known = decode_qos_parameter(**parameter, little, limits, qos);
        REQUIRE(known.has_value());
        CHECK(*known);
    }
    CHECK(reader.reached_sentinel());
    return qos;
}

std::set<std::uint16_t> ids_of(const EndpointQos& qos, EndpointRole role) {
    Buffer out;
    ParameterListBuilder list(out);
    encode_qos(list, qos, role);
    list.finish();
    REQUIRE(list.ok());
    std::set<std::uint16_t> ids;
    ParameterReader reader(out, little);
    while (const auto parameter = reader.next())
        CHECK(ids.insert((*parameter)->id).second);
    return ids;
}

EndpointQos everything() {
    EndpointQos qos;
    qos.durability = DurabilityKind::persistent;
    qos.durability_service = DurabilityServiceQos{{5, 6}, {HistoryKind::keep_all, 3}, {100, 10, 5}};
    qos.reliability = ReliabilityKind::reliable;
    qos.max_blocking_time = {10, 1};
    qos.history = {HistoryKind::keep_last, 8};
    qos.resource_limits = {1000, 100, 10};
    qos.ownership = OwnershipKind::exclusive;
    qos.liveliness = {LivelinessKind::manual_by_topic, {3, 0}};
    qos.deadline = {1, 2};
    qos.latency_budget = {0, 5};
    qos.destination_order = DestinationOrderKind::by_source_timestamp;
    qos.presentation = {PresentationScope::group, true, true};
    qos.partitions = {"", "a", "bcd", "p*"};
    qos.user_data = {1, 2, 3};
    qos.group_data = {4};
    qos.topic_data = {5, 6, 7, 8};
    qos.representations = {representation_xcdr2, representation_xcdr1};
    return qos;
}

}  // namespace

TEST_CASE("what an endpoint does not announce has the default of its role") {
    CHECK(default_qos(EndpointRole::writer).reliability == ReliabilityKind::reliable);
    CHECK(default_qos(EndpointRole::reader).reliability == ReliabilityKind::best_effort);
    CHECK(default_qos(EndpointRole::writer).max_blocking_time == QosDuration{0, 429496730});
    CHECK(default_qos(EndpointRole::reader).deadline.infinite());
}

TEST_CASE("four policies are always announced, the others when they differ from the default") {
    const std::set<std::uint16_t> always{
        pid::durability, pid::reliability, pid::ownership, pid::data_representation};
    CHECK(ids_of(default_qos(EndpointRole::writer), EndpointRole::writer) == always);
    CHECK(ids_of(default_qos(EndpointRole::reader), EndpointRole::reader) == always);
    EndpointQos writer = everything();
    writer.ownership_strength = 4;
    writer.lifespan = {7, 0};
    writer.transport_priority = 2;
    writer.type_information = {1, 2, 3, 4};
    writer.force_type_validation = true;
    const auto ids = ids_of(writer, EndpointRole::writer);
    CHECK(ids.size() == 20);
    CHECK(ids.count(pid::type_information) == 1);
    CHECK(ids.count(pid::type_consistency) == 0);
    CHECK(ids.count(pid::time_based_filter) == 0);
}

TEST_CASE("the QoS of a writer survives the way over the wire") {
    EndpointQos qos = everything();
    qos.ownership_strength = -7;
    qos.lifespan = {7, 1};
    qos.transport_priority = -2;
    Buffer out;
    ParameterListBuilder list(out);
    encode_qos(list, qos, EndpointRole::writer);
    list.finish();
    CHECK(decode_all(out, EndpointRole::writer) == qos);
}

TEST_CASE("the QoS of a reader survives the way over the wire") {
    EndpointQos qos = everything();
    qos.durability_service.reset();
    qos.time_based_filter = {0, 77};
    Buffer out;
    ParameterListBuilder list(out);
    encode_qos(list, qos, EndpointRole::reader);
    list.finish();
    CHECK(decode_all(out, EndpointRole::reader) == qos);
}

TEST_CASE("no list of representations is announced as XCDR1") {
    Buffer out;
    ParameterListBuilder list(out);
    encode_qos(list, default_qos(EndpointRole::writer), EndpointRole::writer);
    list.finish();
    CHECK(decode_all(out, EndpointRole::writer).representations ==
          std::vector<std::int16_t>{representation_xcdr1});
}

TEST_CASE("a parameter that is no policy is none") {
    EndpointQos qos;
    CHECK(decode(pid::topic_name, "02000000 61000000", qos) == false);
    CHECK(decode(0x8001, "", qos) == false);
    CHECK(decode(pid::key_hash, "", qos) == false);
    CHECK(qos == EndpointQos{});
}

TEST_CASE("enumerations outside their range are refused") {
    check_refused(pid::durability, "04000000", DecodeError::bad_range);
    check_refused(pid::durability, "ffffffff", DecodeError::bad_range);
    check_refused(pid::ownership, "02000000", DecodeError::bad_range);
    check_refused(pid::destination_order, "02000000", DecodeError::bad_range);
    check_refused(pid::reliability, "00000000 00000000 00000000", DecodeError::bad_range);
    check_refused(pid::reliability, "03000000 00000000 00000000", DecodeError::bad_range);
    check_refused(pid::liveliness, "03000000 00000000 00000000", DecodeError::bad_range);
    check_refused(pid::presentation, "03000000 00000000", DecodeError::bad_range);
    check_refused(pid::presentation, "00000000 02000000", DecodeError::bad_range);
    check_refused(pid::presentation, "00000000 00020000", DecodeError::bad_range);
    check_refused(pid::history, "02000000 01000000", DecodeError::bad_range);
    check_refused(pid::type_consistency, "0200 0000 00000000", DecodeError::bad_range);
    check_refused(pid::type_consistency, "0100 0101 00000200", DecodeError::bad_range);
}

TEST_CASE("values have the length of the standard and no other") {
    const std::vector<std::pair<std::uint16_t, std::size_t>> sizes{{pid::durability, 4},
                                                                   {pid::durability_service, 28},
                                                                   {pid::reliability, 12},
                                                                   {pid::history, 8},
                                                                   {pid::resource_limits, 12},
                                                                   {pid::ownership, 4},
                                                                   {pid::ownership_strength, 4},
                                                                   {pid::liveliness, 12},
                                                                   {pid::deadline, 8},
                                                                   {pid::latency_budget, 8},
                                                                   {pid::lifespan, 8},
                                                                   {pid::destination_order, 4},
                                                                   {pid::presentation, 8},
                                                                   {pid::time_based_filter, 8},
                                                                   {pid::transport_priority, 4}};
    for (const auto& [id, size] : sizes) {
        check_refused(id, std::string(2 * (size - 4), '0'), DecodeError::bad_length);
        check_refused(id, std::string(2 * (size + 4), '0'), DecodeError::bad_length);
        check_refused(id, "", DecodeError::bad_length);
    }
}

TEST_CASE("negative durations are refused in every policy that has one") {
    const std::string negative = "ffffffff 00000000";
    check_refused(pid::deadline, negative, DecodeError::bad_range);
    check_refused(pid::latency_budget, negative, DecodeError::bad_range);
    check_refused(pid::lifespan, negative, DecodeError::bad_range);
    check_refused(pid::time_based_filter, negative, DecodeError::bad_range);
    check_refused(pid::reliability, "02000000" + negative, DecodeError::bad_range);
    check_refused(pid::liveliness, "00000000" + negative, DecodeError::bad_range);
    check_refused(pid::durability_service,
                  negative + "00000000 01000000 ffffffff ffffffff ffffffff",
                  DecodeError::bad_range);
}

TEST_CASE("KEEP_LAST needs a depth, KEEP_ALL takes any") {
    check_refused(pid::history, "00000000 00000000", DecodeError::bad_range);
    check_refused(pid::history, "00000000 ffffffff", DecodeError::bad_range);
    EndpointQos qos;
    REQUIRE(decode(pid::history, "01000000 00000000", qos) == true);
    CHECK(qos.history.kind == HistoryKind::keep_all);
}

TEST_CASE("limits are positive or unlimited") {
    EndpointQos qos;
    REQUIRE(decode(pid::resource_limits, "ffffffff 00000000 05000000", qos) == true);
    CHECK(qos.resource_limits == ResourceLimits{length_unlimited, length_unlimited, 5});
    check_refused(pid::resource_limits, "feffffff 01000000 01000000", DecodeError::bad_range);
    check_refused(pid::resource_limits, "01000000 00000080 01000000", DecodeError::bad_range);
    check_refused(pid::durability_service,
                  "00000000 00000000 00000000 01000000 feffffff ffffffff ffffffff",
                  DecodeError::bad_range);
}

TEST_CASE("a DURABILITY_SERVICE of zeros is one that was not set") {
    EndpointQos qos;
    qos.durability_service = DurabilityServiceQos{};
    REQUIRE(decode(pid::durability_service, std::string(56, '0'), qos) == true);
    CHECK_FALSE(qos.durability_service.has_value());
    check_refused(pid::durability_service,
                  "01000000 00000000 00000000 00000000 00000000 00000000 00000000",
                  DecodeError::bad_range);
}

TEST_CASE("TYPE_CONSISTENCY has a long and a short form") {
    EndpointQos qos;
    REQUIRE(decode(pid::type_consistency, "0100 01 01 00 00 01 00", qos) == true);
    CHECK(qos.force_type_validation);
    REQUIRE(decode(pid::type_consistency, "0000 0000", qos) == true);
    CHECK_FALSE(qos.force_type_validation);
    check_refused(pid::type_consistency, "0100 0000 0000 0000 0000 0000", DecodeError::bad_length);
}

TEST_CASE("text and octets are bounded by bytes and limits") {
    EndpointQos qos;
    REQUIRE(decode(pid::partition, "02000000 02000000 61000000 01000000 00000000", qos) == true);
    CHECK(qos.partitions == std::vector<std::string>{"a", ""});
    check_refused(pid::partition, "ffffffff", DecodeError::bad_length);
    check_refused(pid::partition, "01000000 ffffffff 61000000", DecodeError::bad_length);
    check_refused(pid::partition, "01000000 02000000 61620000", DecodeError::bad_string);
    check_refused(pid::user_data, "05000000 01020304", DecodeError::bad_length);
    check_refused(pid::group_data, "ffffffff", DecodeError::bad_length);
    check_refused(pid::topic_data, "", DecodeError::bad_length);
    check_refused(pid::data_representation, "03000000 00000200", DecodeError::bad_length);
    check_refused(pid::data_representation, "ffffff7f", DecodeError::bad_length);
    check_refused(pid::data_representation, "01000000 00000000 00000000", DecodeError::bad_length);
}

TEST_CASE("more than a limit allows is refused") {
    StringLimits tight;
    tight.partitions = 1;
    tight.partition_length = 1;
    tight.octets = 2;
    tight.representations = 1;
    tight.type_information = 4;
    const auto refused = [&tight](std::uint16_t id, const char* hex) {
        EndpointQos qos;
        const Buffer value = from_hex(hex);
        const auto result = decode_qos_parameter({id, value}, little, tight, qos);
        return !result && result.error() == DecodeError::over_limit && qos == EndpointQos{};
    };
    CHECK(refused(pid::partition, "02000000 02000000 61000000 02000000 62000000"));
    CHECK(refused(pid::partition, "01000000 03000000 61620000"));
    CHECK(refused(pid::user_data, "03000000 01020300"));
    CHECK(refused(pid::data_representation, "02000000 00000200"));
    CHECK(refused(pid::type_information, "0000000000000000"));
}

TEST_CASE("a policy that must be understood is understood") {
    EndpointQos qos;
    REQUIRE(decode(pid::durability | pid::must_understand_flag, "03000000", qos) == true);
    CHECK(qos.durability == DurabilityKind::persistent);
}
