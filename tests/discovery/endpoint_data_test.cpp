#include "discovery/endpoint_data.hpp"

#include "discovery/captured.hpp"
#include "discovery/messages.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::discovery;
using captured::from_hex;

namespace {

const wire::StringLimits limits;

std::vector<EndpointData> decode_message(const Buffer& message, EntityId writer) {
    std::vector<EndpointData> endpoints;
    for (const SeenData& seen : data_of(message, writer)) {
        const auto data = decode_endpoint(seen.data.payload, limits, seen.state.source_vendor);
        REQUIRE(data.has_value());
        endpoints.push_back(*data);
    }
    return endpoints;
}

// Topic "A", type "T"; the GUID of a keyed writer.
constexpr std::string_view topic = "05000800 02000000 41000000";
constexpr std::string_view type = "07000800 02000000 54000000";
constexpr std::string_view writer_guid = "5a001000 010f01020304050607080900 00000102";
constexpr std::string_view reader_guid = "5a001000 010f01020304050607080900 00000107";

Buffer list(std::string_view guid, std::string_view more = "") {
    return from_hex("00030000" + std::string(topic) + std::string(type) + std::string(guid) +
                    std::string(more) + "01000000");
}

wire::Decoded<EndpointData> decode(const Buffer& payload, VendorId sender = vendor::eclipse) {
    return decode_endpoint(payload, limits, sender);
}

EndpointData full_writer() {
    EndpointData data;
    data.guid = {GuidPrefix{{1, 0x7f, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, EntityId{0x00000102}};
    data.participant = {data.guid.prefix, entity::participant};
    data.topic = "rt/map";
    data.type = "nav_msgs::msg::dds_::OccupancyGrid_";
    data.version = {2, 5};
    data.vendor = vendor::own;
    data.unicast = {Locator::udp_v4(0x0a000001, 7411)};
    data.multicast = {Locator::udp_v4(0xefff0002, 7401)};
    data.qos.durability = DurabilityKind::persistent;
    data.qos.durability_service =
        DurabilityServiceQos{{5, 0}, {HistoryKind::keep_last, 10}, {100, 10, 10}};
    data.qos.reliability = ReliabilityKind::reliable;
    data.qos.max_blocking_time = {10, 0};
    data.qos.history = {HistoryKind::keep_last, 10};
    data.qos.ownership = OwnershipKind::exclusive;
    data.qos.ownership_strength = 4;
    data.qos.liveliness = {LivelinessKind::automatic, {2, 0}};
    data.qos.deadline = {1, 0};
    data.qos.latency_budget = {0, 1U << 31U};
    data.qos.lifespan = {60, 0};
    data.qos.destination_order = DestinationOrderKind::by_source_timestamp;
    data.qos.presentation = {PresentationScope::topic, true, true};
    data.qos.partitions = {"A", "robot*"};
    data.qos.transport_priority = 3;
    data.qos.user_data = {1, 2, 3};
    data.qos.group_data = {4};
    data.qos.topic_data = {5, 6};
    data.qos.representations = {2};
    return data;
}

}  // namespace

TEST_CASE("publications of Cyclone DDS are read") {
    const auto endpoints =
        decode_message(captured::cyclone_sedp_writers(), entity::publications_writer);
    REQUIRE(endpoints.size() == 5);
    const EndpointData& info = endpoints[0];
    CHECK(info.topic == "ros_discovery_info");
    CHECK(info.type == "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_");
    CHECK(to_string(info.guid) == "5ab810011636c7d51895c54e:00000403");
    // Cyclone DDS leaves the participant GUID out.
    CHECK(to_string(info.participant) == "5ab810011636c7d51895c54e:000001c1");
    CHECK(info.is_writer());
    CHECK_FALSE(info.is_keyed());
    CHECK(info.qos.durability == DurabilityKind::transient_local);
    CHECK(info.qos.reliability == ReliabilityKind::reliable);
    CHECK(info.unicast.empty());

    const EndpointData& rosout = endpoints[1];
    CHECK(rosout.topic == "rt/rosout");
    REQUIRE(rosout.qos.durability_service.has_value());
    CHECK(rosout.qos.durability_service->history == History{HistoryKind::keep_last, 1000});
    CHECK(rosout.qos.lifespan == QosDuration{10, 0});
    CHECK(endpoints[2].topic == "rr/listener/get_parametersReply");
    CHECK(endpoints[2].qos.user_data.size() == 53);
}

TEST_CASE("subscriptions of Cyclone DDS are read") {
    const auto endpoints =
        decode_message(captured::cyclone_sedp_readers(), entity::subscriptions_writer);
    REQUIRE(endpoints.size() == 4);
    CHECK(endpoints[3].topic == "rt/chatter");
    CHECK(endpoints[3].type == "std_msgs::msg::dds_::String_");
    CHECK(endpoints[3].is_reader());
    CHECK(endpoints[3].qos.durability == DurabilityKind::volatile_);
    CHECK(endpoints[3].qos.history.depth == 10);
}

TEST_CASE("endpoints of RTI Connext are read") {
    const auto writers = decode_message(captured::rti_sedp_writer(), entity::publications_writer);
    REQUIRE(writers.size() == 1);
    CHECK(writers[0].topic == "Example HelloWorld");
    CHECK(writers[0].type == "HelloWorld");
    CHECK(writers[0].vendor == vendor::rti);
    // Its virtual GUID.
    REQUIRE(writers[0].persistence_guid.has_value());
    CHECK(*writers[0].persistence_guid == writers[0].guid);
    // Not announced: a writer is reliable then, a reader is not.
    CHECK(writers[0].qos.reliability == ReliabilityKind::reliable);

    const auto readers = decode_message(captured::rti_sedp_reader(), entity::subscriptions_writer);
    REQUIRE(readers.size() == 1);
    CHECK(to_string(readers[0].guid) == "010177355f9be2d8a101c1bd:80000004");
    CHECK(readers[0].qos.reliability == ReliabilityKind::best_effort);
}

TEST_CASE("a writer with every policy survives the way there and back") {
    const EndpointData data = full_writer();
    const auto decoded = decode(encode_endpoint(data));
    REQUIRE(decoded.has_value());
    CHECK(*decoded == data);
}

TEST_CASE("a reader with every policy survives the way there and back") {
    EndpointData data = full_writer();
    data.guid.entity.value = 0x00000107;
    data.qos.durability_service.reset();
    data.qos.lifespan = infinite_qos_duration;
    data.qos.ownership_strength = 0;
    data.qos.transport_priority = 0;
    data.qos.time_based_filter = {1, 0};
    data.qos.representations = {0, 2};
    data.expects_inline_qos = true;
    const auto decoded = decode(encode_endpoint(data));
    REQUIRE(decoded.has_value());
    CHECK(*decoded == data);
}

TEST_CASE("what peers assume differently is always written out") {
    EndpointData data;
    data.guid = full_writer().guid;
    data.topic = "A";
    data.type = "T";
    data.qos.reliability = ReliabilityKind::reliable;
    const std::string hex = to_hex(encode_endpoint(data));
    CHECK(hex.find("1d000400"
                   "00000000") != std::string::npos);  // DURABILITY
    CHECK(hex.find("1a000c00"
                   "02000000"
                   "00000000"
                   "9a999919") != std::string::npos);  // RELIABILITY
    CHECK(hex.find("1f000400"
                   "00000000") != std::string::npos);  // OWNERSHIP
    CHECK(hex.find("73000800"
                   "01000000"
                   "00000000") != std::string::npos);  // REPRESENTATION
}

TEST_CASE("the vectors of the fact sheet are written and read") {
    const auto decoded =
        decode(list(writer_guid,
                    "1e001c00 0500000000000000 00000000 0a000000 ffffffff ffffffff ffffffff"
                    "1a000c00 02000000 0a000000 00000000"
                    "73000800 02000000 00000200"));
    REQUIRE(decoded.has_value());
    REQUIRE(decoded->qos.durability_service.has_value());
    CHECK(decoded->qos.durability_service->service_cleanup_delay == QosDuration{5, 0});
    CHECK(decoded->qos.durability_service->history == History{HistoryKind::keep_last, 10});
    CHECK(decoded->qos.max_blocking_time == QosDuration{10, 0});
    CHECK(decoded->qos.representations == std::vector<std::int16_t>{0, 2});

    const std::string hex = to_hex(encode_endpoint(*decoded));
    CHECK(hex.find("1e001c0005000000000000000000"
                   "00000a000000ffffffffffffffffffffffff") != std::string::npos);
    CHECK(hex.find("1a000c00020000000a00000000000000") != std::string::npos);
    CHECK(hex.find("730008000200000000000200") != std::string::npos);
}

TEST_CASE("type information is announced as it was read, unless it was taken away") {
    const auto decoded = decode(list(writer_guid, "75000800 0400000001020304"));
    REQUIRE(decoded.has_value());
    CHECK(decoded->qos.type_information == from_hex("0400000001020304"));
    CHECK(to_hex(encode_endpoint(*decoded)).find("750008000400000001020304") != std::string::npos);
    EndpointData without = *decoded;
    without.qos.type_information.clear();
    CHECK(to_hex(encode_endpoint(without)).find("7500") == std::string::npos);
}

TEST_CASE("vendor parameters count only from the vendors that mean them") {
    constexpr std::string_view persistence = "02801000 010f99990304050607080900 00000103";
    constexpr std::string_view no_acks = "05800400 01000000";
    const std::string both = std::string(persistence) + std::string(no_acks);

    const auto fast = decode(list(reader_guid, both), vendor::eprosima);
    REQUIRE(fast.has_value());
    REQUIRE(fast->persistence_guid.has_value());
    CHECK(to_string(*fast->persistence_guid) == "010f99990304050607080900:00000103");
    CHECK(fast->disable_positive_acks);

    const auto cyclone = decode(list(reader_guid, both), vendor::eclipse);
    REQUIRE(cyclone.has_value());
    CHECK_FALSE(cyclone->persistence_guid.has_value());
    CHECK_FALSE(cyclone->disable_positive_acks);

    // Whatever is in them, the endpoint is not lost because of it.
    CHECK(decode(list(reader_guid, "02800400 00000000"), vendor::eprosima).has_value());
}

TEST_CASE("the GUID may come last and the role still decides about defaults") {
    const auto decoded = decode(list(reader_guid));
    REQUIRE(decoded.has_value());
    CHECK(decoded->qos.reliability == ReliabilityKind::best_effort);
    const auto writer = decode(list(writer_guid));
    REQUIRE(writer.has_value());
    CHECK(writer->qos.reliability == ReliabilityKind::reliable);
}

TEST_CASE("no endpoint comes from a damaged list") {
    struct Case {
        const char* what;
        Buffer payload;
    };
    const std::string head = "00030000";
    const std::string t(topic);
    const std::string ty(type);
    const std::string g(writer_guid);
    const std::vector<Case> cases{
        {"no GUID", from_hex(head + t + ty + "01000000")},
        {"no topic", from_hex(head + ty + g + "01000000")},
        {"no type", from_hex(head + t + g + "01000000")},
        {"empty topic", from_hex(head + "05000800 01000000 00000000" + ty + g + "01000000")},
        {"no sentinel", from_hex(head + t + ty + g)},
        {"topic twice", list(writer_guid, topic)},
        {"policy twice", list(writer_guid, "1d000400 01000000 1d000400 01000000")},
        {"a participant, not an endpoint", list("5a001000 010f01020304050607080900 000001c1")},
        {"somebody else's participant",
         list(writer_guid, "50001000 010faaaaaaaaaaaaaaaaaaaa 000001c1")},
        {"participant GUID of a writer",
         list(writer_guid, "50001000 010f01020304050607080900 00000102")},
        {"durability out of range", list(writer_guid, "1d000400 04000000")},
        {"reliability 3", list(writer_guid, "1a000c00 03000000 00000000 00000000")},
        {"reliability too short", list(writer_guid, "1a000800 02000000 00000000")},
        {"service too short",
         list(writer_guid, "1e001800 0500000000000000 00000000 0a000000 ffffffff ffffffff")},
        {"more partitions than octets", list(writer_guid, "29000800 ffffff7f 00000000")},
        {"must be understood", list(writer_guid, "7f410400 00000000")},
    };
    for (const Case& row : cases) {
        INFO(row.what);
        CHECK_FALSE(decode(row.payload).has_value());
    }
}

TEST_CASE("every cut of an endpoint list is refused") {
    const Buffer whole = encode_endpoint(full_writer());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_FALSE(decode(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)))
                        .has_value());
    }
}

TEST_CASE("the key of an endpoint dispose") {
    const Guid expected = full_writer().guid;
    const auto ours = decode_endpoint_key(encode_endpoint_key(expected));
    REQUIRE(ours.has_value());
    CHECK(*ours == expected);

    const Buffer message = captured::cyclone_reader_dispose();
    const auto cyclone = data_of(message, entity::subscriptions_writer);
    REQUIRE(cyclone.size() == 1);
    const auto key = decode_endpoint_key(cyclone[0].data.payload);
    REQUIRE(key.has_value());
    CHECK(to_string(*key) == "57631001d6ab407f5bd9bb1c:00000107");
}
