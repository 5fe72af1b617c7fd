// Types, values and encodings by chance: the key the walker finds is the one the test wrote.
#include "types/key_plan.hpp"
#include "types/random_types.hpp"

#include "base/bytes.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

KeyPlan plan_of(const TypePointer& type, Detail detail) {
    TypeLibrary library;
    const TypeId id = describe_in(library, type, detail);
    auto plan = KeyPlan::from_type(library, id);
    INFO((plan ? std::string() : plan.error().text()));
    REQUIRE(plan);
    return *plan;
}

// A heap copy of the exact size, so that a sanitizer sees every octet read behind it.
std::optional<Buffer> key_in(const KeyPlan& plan, const Buffer& payload, std::size_t size) {
    const Buffer exact(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size));
    return plan.key_of_data(exact);
}

}  // namespace

TEST_CASE("the key of a random value of a random type is found in every encoding") {
    for (unsigned seed = 0; seed < 1500; ++seed) {
        std::mt19937 random(seed);
        const TypePointer type = random_topic_type(random);
        const KeyPlan plan = plan_of(type, seed % 2 == 0 ? Detail::minimal : Detail::complete);
        for (const std::uint16_t kind : encapsulations_of(*type)) {
            const Value value = random_value(*type, random);
            const Buffer expected = key_of(*type, value);
            const Buffer payload = payload_of(*type, value, {kind, &random});
            const auto key = plan.key_of_data(payload);
            INFO("seed " << seed << " kind " << kind << " payload " << to_hex(payload));
            REQUIRE(key);
            REQUIRE(to_hex(*key) == to_hex(expected));
        }
    }
}

TEST_CASE("a random key survives every form it is written in") {
    for (unsigned seed = 0; seed < 1000; ++seed) {
        std::mt19937 random(seed);
        const TypePointer type = random_topic_type(random);
        const KeyPlan plan = plan_of(type, Detail::complete);
        const Buffer expected = key_of(*type, random_value(*type, random));
        INFO("seed " << seed << " key " << to_hex(expected));
        for (const std::int16_t representation : {std::int16_t{0}, std::int16_t{2}}) {
            const Buffer payload = plan.key_payload(expected, representation);
            INFO(to_hex(payload));
            const auto key = plan.key_of_key(payload);
            REQUIRE(key);
            REQUIRE(to_hex(*key) == to_hex(expected));
        }
        const InstanceKey name = plan.identify(expected);
        REQUIRE(plan.key_hash_by(expected, {}) == name.hash);
        const auto back = plan.key_of_hash(name.hash);
        REQUIRE(back.has_value() == plan.fits_key_hash());
        if (back) REQUIRE(*back == expected);
        REQUIRE(!plan.describe(expected).empty());
    }
}

TEST_CASE("a damaged payload is read without harm") {
    for (unsigned seed = 0; seed < 600; ++seed) {
        std::mt19937 random(seed);
        const TypePointer type = random_topic_type(random);
        const KeyPlan plan = plan_of(type, Detail::minimal);
        const auto kinds = encapsulations_of(*type);
        const Buffer payload =
            payload_of(*type, random_value(*type, random), {kinds[seed % kinds.size()], &random});
        for (std::size_t size = 0; size < payload.size(); size += 1 + payload.size() / 40)
            (void)key_in(plan, payload, size);
        for (unsigned flip = 0; flip < 40; ++flip) {
            Buffer damaged = payload;
            damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
            (void)key_in(plan, damaged, damaged.size());
            (void)plan.key_of_key(damaged);
            if (damaged.size() > 4) (void)plan.describe(ByteView(damaged).subspan(4));
        }
    }
}
