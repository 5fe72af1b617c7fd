#include "discovery/type_lookup_message.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace durability;
using namespace durability::discovery;
using durability::test::from_hex;

namespace {

// From Cyclone DDS 0.10.2: its request to a participant of ours, and its reply to a request of
// ours. The type is @appendable struct wire::Thing { @key long id; string text; Inner inner; }.
const std::string cyclone_request =
    "00070001 095f1001f5db758ed3587dbcc3000300 00000000 01000000 31000000"
    "6464732e6275696c74696e2e544f532e "
    "3031376630393039303930393030303033653339313233343030303030316331"
    "00000000 23000000 d3528201 1b000000 6560535c 13000000 01000000"
    "f1caf128fefd036face20ac70fafbc 00";
const std::string thing_object =
    "51000000 f1510200 01000000 00000000 41000000 03000000 0b000000 00000000 310004b8 0bb77400"
    "0c000000 01000000 01007000 1cb251ec 19000000 02000000 0100f1e4 874e0c1b 4e5203c7 e49af863"
    "c9ea9758 6b";
const std::string inner_object =
    "38000000 f1510200 01000000 00000000 28000000 02000000 0b000000 00000000 0100049d d4e46100"
    "10000000 01000000 010080f3 0100000a f09cc7ee";
const std::string cyclone_reply =
    "00070000 71e610013588076d05dc49cec3010300 00000000 01000000 00000000"
    "d8000000 d3528201 d0000000 00000000 c8000000 d14a8052 b4000000 02000000"
    "f1caf128fefd036face20ac70fafbc 00" +
    thing_object + "f1e4874e0c1b4e5203c7e49af863c9" + inner_object + "77658e5b 04000000 00000000";

constexpr GuidPrefix own{{0x01, 0x7f, 9, 9, 9, 9, 0, 0, 0x3e, 0x39, 0x12, 0x34}};

types::TypeId id_of(const std::string& hex) {
    const Buffer octets = from_hex(hex);
    types::TypeId id;
    id.kind = static_cast<types::TypeIdKind>(octets.at(0));
    std::copy_n(octets.begin() + 1, id.hash.size(), id.hash.begin());
    return id;
}

const types::TypeId thing = id_of("f1caf128fefd036face20ac70fafbc");
const types::TypeId inner = id_of("f1e4874e0c1b4e5203c7e49af863c9");
const types::TypeId complete = id_of("f298af482266daddeee79e3c84eda4");

TypeLookupRequest a_request() {
    TypeLookupRequest request;
    request.identity.writer = to_octets(Guid{own, entity::type_request_writer});
    request.identity.number = (std::int64_t{0x5d} << 32) + 7;
    request.instance_name = type_lookup_instance(own);
    request.ids = {thing, complete};
    return request;
}

// Every decoder has to bear every beginning of every message.
template <class Decode>
void check_truncations(const Buffer& whole, Decode decode) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
        INFO(size);
        const Buffer part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        (void)decode(part);
    }
}

}  // namespace

TEST_CASE("a request of Cyclone DDS is read") {
    const auto request = decode_type_lookup_request(from_hex(cyclone_request), {});
    REQUIRE(request.has_value());
    CHECK(request->identity.number == 1);
    CHECK(to_hex(request->identity.writer) == "095f1001f5db758ed3587dbcc3000300");
    CHECK(request->operation == TypeLookupOperation::get_types);
    CHECK(request->ids == std::vector{thing});
    CHECK_FALSE(request->delimited);
    CHECK(request->instance_name == type_lookup_instance(own));
    CHECK(concerns_instance(request->instance_name, own));
}

TEST_CASE("a request of ours is what Cyclone DDS answered") {
    TypeLookupRequest request = a_request();
    request.identity.number = (std::int64_t{0x3412675d} << 32) + 1;
    request.ids = {thing, inner};
    const std::string expected =
        "00070002 017f09090909000"
        "03e391234 000300c3 5d671234 01000000 31000000"
        "6464732e6275696c74696e2e544f532e"
        "3031376630393039303930393030303033653339313233343030303030316331 00000000"
        "32000000 d3528201 2a000000 6560535c 22000000 02000000"
        "f1caf128fefd036face20ac70fafbc f1e4874e0c1b4e5203c7e49af863c9 0000";
    CHECK(to_hex(encode_type_lookup_request(request)) == to_hex(from_hex(expected)));
}

TEST_CASE("a reply of Cyclone DDS is read, and its objects are what their ids say") {
    const Buffer payload = from_hex(cyclone_reply);
    const auto reply = decode_type_lookup_reply(payload, {});
    REQUIRE(reply.has_value());
    CHECK(reply->related.number == 1);
    CHECK(reply->exception == remote_exception::ok);
    REQUIRE(reply->types.size() == 2);
    CHECK(reply->types[0].id == thing);
    CHECK(to_hex(reply->types[0].object) == to_hex(from_hex(thing_object)));
    for (const auto& type : reply->types)
        CHECK(types::type_id_of(type.object) == type.id);
}

TEST_CASE("the object of the fact sheet has the id that was announced with it") {
    const Buffer object = from_hex(
        "44000000 f151 0100 01000000 00000000 34000000 03000000 0b000000 00000000 3100 04 b80bb774"
        "00 0b000000 01000000 0100 04 e068c2de 00 0c000000 02000000 0100 70 00 1cb251ec");
    CHECK(types::type_id_of(object) == id_of("f12e6f6e762a3e15b7296aaa8616e100"));
}

TEST_CASE("requests and replies survive the way over the wire") {
    for (const bool delimited : {false, true}) {
        TypeLookupRequest request = a_request();
        request.delimited = delimited;
        const Buffer payload = encode_type_lookup_request(request);
        CHECK(payload.size() % 4 == 0);
        CHECK(payload[1] == (delimited ? 9 : 7));
        CHECK(decode_type_lookup_request(payload, {}) == request);

        const Buffer object = from_hex(thing_object);
        TypeLookupReply reply;
        reply.related = request.identity;
        reply.types = {{thing, object}, {inner, object}};
        reply.delimited = delimited;
        const Buffer answer = encode_type_lookup_reply(reply);
        const auto decoded = decode_type_lookup_reply(answer, {});
        REQUIRE(decoded.has_value());
        CHECK(decoded->related == request.identity);
        REQUIRE(decoded->types.size() == 2);
        CHECK(decoded->types[1].id == inner);
        CHECK(to_hex(decoded->types[1].object) == to_hex(object));
        CHECK(decoded->delimited == delimited);
    }
}

TEST_CASE("dependencies are asked for and listed") {
    TypeLookupRequest request = a_request();
    request.operation = TypeLookupOperation::get_dependencies;
    CHECK(decode_type_lookup_request(encode_type_lookup_request(request), {}) == request);

    TypeLookupReply reply;
    reply.related = request.identity;
    reply.operation = TypeLookupOperation::get_dependencies;
    reply.dependencies = {{inner, 60}, {complete, 128}};
    const Buffer payload = encode_type_lookup_reply(reply);
    // The id of dependent_typeids, its length, and the first of its elements.
    CHECK(to_hex(payload).find("c9dfa45b34000000020000001400000"
                               "0f1e4874e0c1b4e5203c7e49af863c9003c000000") != std::string::npos);
    const auto decoded = decode_type_lookup_reply(payload, {});
    REQUIRE(decoded.has_value());
    CHECK(decoded->dependencies == reply.dependencies);
}

TEST_CASE("big-endian requests are read") {
    const auto request = decode_type_lookup_request(
        from_hex("00060000 017f09090909000000000001000300c3 00000001 00000002 00000001 00 000000"
                 "00000023 018252d3 0000001b 5c536065 00000013 00000001"
                 "f1caf128fefd036face20ac70fafbc 00"),
        {});
    REQUIRE(request.has_value());
    CHECK(request->identity.number == (std::int64_t{1} << 32) + 2);
    CHECK(request->instance_name.empty());
    CHECK(request->ids == std::vector{thing});
}

TEST_CASE("big-endian replies are read; their objects have no little-endian hash") {
    const Buffer payload = from_hex(
        "00060000 017f09090909000000000001000301c3 00000000 00000001 00000000"
        "00000038 018252d3 00000030 00000000 00000028 52804ad1 00000020 00000001"
        "f1caf128fefd036face20ac70fafbc 00 00000008 f1510200 00000000");
    const auto reply = decode_type_lookup_reply(payload, {});
    REQUIRE(reply.has_value());
    REQUIRE(reply->types.size() == 1);
    CHECK(reply->types[0].id == thing);
    CHECK(reply->types[0].object.size() == 12);
}

TEST_CASE("members with any length code, must-understand flag and unknown ids are walked over") {
    const auto request = decode_type_lookup_request(
        from_hex("00070000 017f09090909000000000001000300c3 00000000 01000000 01000000 00 000000"
                 "57000000 d3528201 4f000000"
                 "01000000 01000000"                    // one octet
                 "02000010 02000000"                    // two
                 "03000020 04000000"                    // four
                 "04000030 08000000 00000000"           // eight
                 "05000060 01000000 00000000"           // its own count of four
                 "656053cc 17000000 13000000 01000000"  // length code 4 with DHEADER
                 "f1caf128fefd036face20ac70fafbc 00"),
        {});
    REQUIRE(request.has_value());
    CHECK(request->ids == std::vector{thing});
}

TEST_CASE("what cannot be read is an error, never a crash") {
    const auto request_error = [](const std::string& hex) {
        const auto request = decode_type_lookup_request(from_hex(hex), {});
        REQUIRE_FALSE(request.has_value());
        return request.error();
    };
    const std::string head = "017f09090909000000000001000300c3 00000000 01000000";
    CHECK(request_error("0007") == wire::DecodeError::truncated);
    CHECK(request_error("00010000" + head) == wire::DecodeError::unsupported);
    CHECK(request_error("00070000" + head + "ffffffff") == wire::DecodeError::bad_string);
    CHECK(request_error("00070000" + head + "02000000 4141") == wire::DecodeError::bad_string);
    CHECK(request_error("00070000" + head + "00000000 ffffffff") == wire::DecodeError::truncated);
    CHECK(request_error("00070000" + head + "00000000 04000000 01020304") ==
          wire::DecodeError::unsupported);
    // An identifier that is no hash: `long`.
    CHECK(request_error("00070000" + head +
                        "00000000 18000000 d3528201 10000000 6560535c 05000000 01000000 04"
                        "000000") == wire::DecodeError::unsupported);
    check_truncations(from_hex(cyclone_request),
                      [](ByteView part) { return decode_type_lookup_request(part, {}); });
    check_truncations(from_hex(cyclone_reply),
                      [](ByteView part) { return decode_type_lookup_reply(part, {}); });
}

TEST_CASE("a reply that reports an exception or no result has no types") {
    const std::string head = "00070000 017f09090909000000000001000301c3 00000000 01000000";
    const auto exception = decode_type_lookup_reply(from_hex(head + "04000000"), {});
    REQUIRE(exception.has_value());
    CHECK(exception->exception == 4);
    const auto no_result = decode_type_lookup_reply(
        from_hex(head + "00000000 0c000000 d3528201 04000000 01000000"), {});
    REQUIRE(no_result.has_value());
    CHECK(no_result->types.empty());
}

TEST_CASE("ids beyond the limit are not looked at") {
    TypeLookupRequest request = a_request();
    request.ids.assign(100, thing);
    const auto decoded =
        decode_type_lookup_request(encode_type_lookup_request(request), {.ids = 10});
    REQUIRE(decoded.has_value());
    CHECK(decoded->ids.size() == 10);
}

TEST_CASE("a request is for us by our name, by none, and by the name of everybody") {
    CHECK(concerns_instance("", own));
    CHECK(concerns_instance("dds.builtin.TOS.017f0909090900003e391234000001c1", own));
    CHECK(concerns_instance("dds.builtin.TOS.017F0909090900003E391234000001C1", own));
    CHECK(concerns_instance("dds.builtin.TOS.00000000000000000000000000000000", own));
    CHECK_FALSE(concerns_instance("dds.builtin.TOS.017f0909090900003e391235000001c1", own));
    CHECK_FALSE(concerns_instance("dds.builtin.TOS.", own));
    CHECK_FALSE(concerns_instance("another", own));
}
