// What a received sample means for the store.
#include "service/ingest.hpp"
#include "wire/inline_qos.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::service;
using Kind = SampleVerdict::Kind;

namespace {

const Guid source{{{1, 2, 3}}, EntityId{0x102}};
const Guid origin{{{9, 9, 9}}, EntityId{0x202}};

GroupKey group(bool keyed = true) {
    GroupKey key;
    key.keyed = keyed;
    return key;
}

struct Received {
    Received() { sample.number = SequenceNumber{7}; }
    rtps::ReceivedSample& with(const wire::InlineQos& qos) {
        wire::encode_inline_qos(bytes, qos);
        sample.inline_qos = bytes;
        return sample;
    }
    rtps::ReceivedSample& payload(Buffer content, PayloadKind kind = PayloadKind::data) {
        sample.payload = Payload::owned(std::move(content));
        sample.payload_kind = kind;
        return sample;
    }
    Buffer bytes;
    rtps::ReceivedSample sample;
};

const Buffer cdr{0, 1, 0, 0, 1, 2, 3, 4};
const Buffer cdr2{0, 7, 0, 0, 1, 2, 3, 4};

}  // namespace

TEST_CASE("a plain sample is stored under its writer's name and number") {
    Received received;
    received.payload(cdr).source_timestamp = Timestamp{5, 6};
    const SampleVerdict verdict = judge_sample(received.sample, source, group());
    CHECK(verdict.kind == Kind::store);
    CHECK(verdict.meta.id == SampleId{source, SequenceNumber{7}});
    CHECK(verdict.meta.source_timestamp == Timestamp{5, 6});
    CHECK(verdict.meta.lifecycle == Lifecycle::data);
    CHECK_FALSE(verdict.meta.key.has_value());
}

TEST_CASE("what a sample carries is kept: key hash, first writer, related request, set") {
    wire::InlineQos qos;
    qos.key_hash = KeyHash{1, 2};
    qos.original_writer = SampleId{origin, SequenceNumber{99}};
    qos.related = RelatedSample{0x83, {origin, SequenceNumber{4}}};
    qos.coherent_set = SequenceNumber{3};
    Received received;
    received.payload(cdr);
    const SampleVerdict verdict = judge_sample(received.with(qos), source, group());
    CHECK(verdict.kind == Kind::store);
    CHECK(verdict.meta.id == SampleId{origin, SequenceNumber{99}});
    CHECK(verdict.meta.key == InstanceKey{KeyHash{1, 2}});
    CHECK(verdict.meta.related == qos.related);
    CHECK(verdict.set == SetName{SequenceNumber{3}, false});
    // An unkeyed topic has no instances, whatever a peer says.
    CHECK_FALSE(judge_sample(received.sample, source, group(false)).meta.key.has_value());
}

TEST_CASE(
    "disposes and unregistrations are stored as such, registrations and filtered samples are not") {
    wire::InlineQos qos;
    qos.key_hash = KeyHash{1};
    qos.status_info = wire::status_disposed | wire::status_unregistered;
    Received both;
    CHECK(judge_sample(both.with(qos), source, group()).kind == Kind::store);
    CHECK(judge_sample(both.sample, source, group()).meta.lifecycle ==
          Lifecycle::dispose_unregister);

    Received with_key;
    with_key.payload(cdr, PayloadKind::key);
    CHECK(judge_sample(with_key.with(qos), source, group()).kind == Kind::store);

    qos.status_info = 0;
    Received registration;
    registration.payload(cdr, PayloadKind::key);
    CHECK(judge_sample(registration.with(qos), source, group()).kind == Kind::skip);
    Received nothing;
    CHECK(judge_sample(nothing.sample, source, group()).kind == Kind::skip);

    qos.status_info = wire::status_filtered;
    Received filtered;
    filtered.payload(cdr);
    CHECK(judge_sample(filtered.with(qos), source, group()).kind == Kind::skip);
}

TEST_CASE("what nobody could read is refused") {
    Received short_payload;
    CHECK(judge_sample(short_payload.payload({0, 1, 0}), source, group()).kind == Kind::malformed);
    Received foreign;
    CHECK(judge_sample(foreign.payload(cdr2), source, group()).kind ==
          Kind::foreign_representation);
    Received unknown_kind;
    CHECK(judge_sample(unknown_kind.payload({0x40, 0, 0, 0}), source, group()).kind ==
          Kind::foreign_representation);

    GroupKey xcdr2 = group();
    xcdr2.representation = representation_xcdr2;
    CHECK(judge_sample(foreign.sample, source, xcdr2).kind == Kind::store);

    Received damaged;
    damaged.payload(cdr);
    damaged.bytes = {0x70, 0x00, 0xff, 0xff};
    damaged.sample.inline_qos = damaged.bytes;
    CHECK(judge_sample(damaged.sample, source, group()).kind == Kind::malformed);
}

TEST_CASE("the identity survives what is wrong with a sample, so that its number is dealt with") {
    Received foreign;
    foreign.payload(cdr2);
    CHECK(judge_sample(foreign.sample, source, group()).meta.id ==
          SampleId{source, SequenceNumber{7}});
}
