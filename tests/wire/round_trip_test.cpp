// decode(encode(x)) == x for seeded random values of every submessage, in both byte orders.
#include "wire/parameter_list.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace durability;
using namespace durability::wire;
using durability::test::body_of;

namespace {

constexpr int rounds = 2000;

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}

    std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
    std::uint32_t below(std::uint32_t limit) { return word() % limit; }
    bool coin() { return below(2) == 0; }
    // Numbers of every magnitude, the largest included.
    SequenceNumber number(std::int64_t reserve = 0) {
        const std::uint64_t bits = (std::uint64_t{word()} << 32U | word()) >> (1 + below(63));
        const auto value = static_cast<std::int64_t>(bits);
        return {std::clamp<std::int64_t>(value, 1, max_sequence_number.value - reserve)};
    }
    EntityId entity() { return {word()}; }
    Buffer octets(std::size_t size) {
        Buffer bytes(size);
        for (std::uint8_t& byte : bytes)
            byte = static_cast<std::uint8_t>(word());
        return bytes;
    }
    SequenceNumberSet set() {
        SequenceNumberSet result;
        result.base = number(max_set_bits);
        const std::uint32_t count = below(40);
        for (std::uint32_t i = 0; i < count; ++i)
            result.insert({result.base.value + below(256)});
        return result;
    }
    FragmentNumberSet fragments() {
        FragmentNumberSet result;
        result.base.value = std::max(1U, word() - max_set_bits);
        result.base.value = std::min(result.base.value, 0xffffffffU - max_set_bits);
        const std::uint32_t count = below(40);
        for (std::uint32_t i = 0; i < count; ++i)
            result.insert({result.base.value + below(256)});
        return result;
    }

  private:
    std::mt19937 engine_;
};

// Encodes in both orders, checks the framing, decodes, compares.
template <class T, class Encode, class Size, class Decode>
void check(const T& value, Encode encode, Size size, Decode decode) {
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        Buffer out;
        encode(out, value, order);
        REQUIRE(out.size() == size(value));
        REQUIRE(out.size() % 4 == 0);
        ByteReader length(ByteView(out).subspan(2, 2), order_of(out[1]));
        REQUIRE(length.u16() == out.size() - submessage_header_size);
        const auto decoded = decode(body_of(out), out[1]);
        REQUIRE(decoded.has_value());
        REQUIRE(*decoded == value);
    }
}

}  // namespace

TEST_CASE("random HEARTBEATs come back as they were") {
    Random random(1);
    for (int i = 0; i < rounds; ++i) {
        Heartbeat value{random.entity(), random.entity(), random.number(), {}, 0, false, false};
        value.last = {value.first.value - 1};
        if (random.coin()) value.last = std::max(value.last, random.number());
        value.count = static_cast<std::int32_t>(random.word());
        value.final = random.coin();
        value.liveliness = random.coin();
        check(value, encode_heartbeat, heartbeat_size, decode_heartbeat);
    }
}

TEST_CASE("random HEARTBEAT_FRAGs come back as they were") {
    Random random(2);
    for (int i = 0; i < rounds; ++i) {
        const HeartbeatFrag value{random.entity(),
                                  random.entity(),
                                  random.number(),
                                  {std::max(1U, random.word())},
                                  static_cast<std::int32_t>(random.word())};
        check(value, encode_heartbeat_frag, heartbeat_frag_size, decode_heartbeat_frag);
    }
}

TEST_CASE("random ACKNACKs come back as they were") {
    Random random(3);
    for (int i = 0; i < rounds; ++i) {
        const AckNack value{random.entity(),
                            random.entity(),
                            random.set(),
                            static_cast<std::int32_t>(random.word()),
                            random.coin()};
        check(value, encode_acknack, acknack_size, decode_acknack);
    }
}

TEST_CASE("random NACK_FRAGs come back as they were") {
    Random random(4);
    for (int i = 0; i < rounds; ++i) {
        const NackFrag value{random.entity(),
                             random.entity(),
                             random.number(),
                             random.fragments(),
                             static_cast<std::int32_t>(random.word())};
        check(value, encode_nack_frag, nack_frag_size, decode_nack_frag);
    }
}

TEST_CASE("random GAPs come back as they were") {
    Random random(5);
    for (int i = 0; i < rounds; ++i) {
        Gap value{random.entity(), random.entity(), {1}, random.set()};
        value.start = std::min(random.number(), value.list.base);
        check(value, encode_gap, gap_size, decode_gap);
    }
}

TEST_CASE("random DATA come back as they were") {
    Random random(6);
    for (int i = 0; i < rounds; ++i) {
        const Buffer payload = random.octets(4 + 4 * random.below(64));
        for (const std::endian order : {std::endian::little, std::endian::big}) {
            Buffer list;
            if (random.coin()) {
                ByteWriter writer(list, order);
                writer.u16(0x0070);
                writer.u16(16);
                writer.bytes(random.octets(16));
                writer.u16(pid::sentinel);
                writer.u16(0);
            }
            const auto kind = static_cast<PayloadKind>(random.below(3));
            const DataFields fields{
                random.entity(), random.entity(), random.number(), list, payload, kind};
            Buffer out;
            encode_data(out, fields, order);
            REQUIRE(out.size() == data_size(fields));
            const auto value = decode_data(body_of(out), out[1]);
            REQUIRE(value.has_value());
            REQUIRE(value->reader == fields.reader);
            REQUIRE(value->writer == fields.writer);
            REQUIRE(value->number == fields.number);
            REQUIRE(value->payload_kind() == kind);
            REQUIRE(value->order == order);
            REQUIRE(std::equal(
                value->inline_qos.begin(), value->inline_qos.end(), list.begin(), list.end()));
            const Buffer expected = kind == PayloadKind::none ? Buffer{} : payload;
            REQUIRE(std::equal(
                value->payload.begin(), value->payload.end(), expected.begin(), expected.end()));
        }
    }
}

TEST_CASE("every fragment of random samples comes back as it was") {
    Random random(7);
    for (int i = 0; i < 300; ++i) {
        const Buffer sample = random.octets(4 + random.below(2000));
        const auto size = static_cast<std::uint16_t>(1 + random.below(700));
        const auto sample_size = static_cast<std::uint32_t>(sample.size());
        const std::uint32_t total = fragment_count(sample_size, size);
        Buffer assembled(sample.size());
        for (std::uint32_t first = 1; first <= total;) {
            const auto count =
                static_cast<std::uint16_t>(1 + random.below(std::min(total - first + 1, 5U)));
            const std::size_t begin = std::size_t{first - 1} * size;
            const std::size_t end = std::min(sample.size(), begin + std::size_t{count} * size);
            const DataFragFields fields{random.entity(),
                                        random.entity(),
                                        random.number(),
                                        {first},
                                        count,
                                        size,
                                        sample_size,
                                        {},
                                        ByteView(sample).subspan(begin, end - begin),
                                        random.coin()};
            Buffer out;
            encode_data_frag(out, fields, random.coin() ? std::endian::little : std::endian::big);
            REQUIRE(out.size() == data_frag_size(fields));
            const auto value = decode_data_frag(body_of(out), out[1]);
            REQUIRE(value.has_value());
            REQUIRE(value->count == count);
            REQUIRE(value->has_key == fields.key);
            std::copy(value->payload.begin(),
                      value->payload.end(),
                      assembled.begin() + static_cast<std::ptrdiff_t>(begin));
            first += count;
        }
        REQUIRE(assembled == sample);
    }
}

TEST_CASE("random INFO submessages come back as they were") {
    Random random(8);
    for (int i = 0; i < rounds; ++i) {
        const InfoTimestamp value{{static_cast<std::int32_t>(random.word()), random.word()}};
        for (const std::endian order : {std::endian::little, std::endian::big}) {
            Buffer out;
            encode_info_timestamp(out, value, order);
            REQUIRE(decode_info_timestamp(body_of(out), out[1]) == value);
        }
    }
}
