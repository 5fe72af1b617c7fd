// Finds the key of a sample in its payload: a type description, or a layout given by an operator,
// is compiled once into a plan, and the plan is run for each payload (XTypes 1.3, 7.4; RTPS 2.5,
// 9.6.4.8). Pure; a plan is immutable and may be used by several threads.
//
// The *serialized key* is the one form all others are made from: the key members in the order of
// their declaration (base types first), in big-endian XCDR1 without encapsulation header, as Fast
// DDS hashes them. Two samples are of one instance exactly if their serialized keys are equal.
#pragma once

#include "types/type_library.hpp"

#include "base/bytes.hpp"
#include "durability/error.hpp"
#include "model/sample.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace durability::types {

// How somebody makes a key hash. As the default, so does Fast DDS 2.9.1.
struct HashRule {
    enum class Measure : std::uint8_t {
        maximum,  // an MD5 if keys of the type can exceed a key hash
        actual    // if this key does
    };
    std::int16_t representation{0};  // big-endian XCDR1 (0) or XCDR2 (2)
    Measure md5_by{Measure::maximum};
    bool is_by_id{false};  // key members in the order of their ids, not as declared
    friend bool operator==(const HashRule&, const HashRule&) = default;
};
// Cyclone DDS 0.10.2 with GenerateKeyhash, in the representation of the sample.
[[nodiscard]] constexpr HashRule cyclone_hash_rule(std::int16_t representation) {
    return {representation, HashRule::Measure::actual, true};
}

class KeyPlan {
  public:
    // Errors: not_found (a description is missing), unsupported (what we do not read, named),
    // invalid_argument (the type has no key, or describes itself without end).
    [[nodiscard]] static Result<KeyPlan> from_type(const TypeLibrary& library, const TypeId& type);
    // The members a payload begins with, such as {"int32", "string"}; "skip int64" is a member that
    // is not of the key. Error: invalid_argument, naming the element.
    [[nodiscard]] static Result<KeyPlan> from_layout(const std::vector<std::string>& layout);

    // The serialized key of a data payload, encapsulation header included; nothing when the payload
    // does not hold a value of the type.
    [[nodiscard]] std::optional<Buffer> key_of_data(ByteView payload) const;
    // The same of a payload that holds the key alone (flag K), in any of its encapsulations.
    [[nodiscard]] std::optional<Buffer> key_of_key(ByteView payload) const;
    // The serialized key in a key hash; nothing unless every key of the type fits one.
    [[nodiscard]] std::optional<Buffer> key_of_hash(const KeyHash& hash) const;
    // The same of a hash that was made by a rule; by Measure::actual it may be an MD5 that happens
    // to look like a key.
    [[nodiscard]] std::optional<Buffer> key_of_hash(const KeyHash& hash,
                                                    const HashRule& rule) const;

    // The name of the instance: the serialized key itself where keys of the type never exceed 16
    // octets, else its MD5, with a tag that tells two keys of one MD5 apart.
    [[nodiscard]] InstanceKey identify(ByteView serialized_key) const;
    // The hash a peer has for it. By the default rule it is the hash of identify().
    [[nodiscard]] KeyHash key_hash_by(ByteView serialized_key, const HashRule& rule) const;
    // A K payload with encapsulation header for peers that want one, in the representation (0
    // XCDR1, 2 XCDR2) of the topic; little-endian. Empty when the key is none of the type.
    [[nodiscard]] Buffer key_payload(ByteView serialized_key, std::int16_t representation) const;
    // For people: `id=7, name="abc"`, with member names where the description has them.
    [[nodiscard]] std::string describe(ByteView serialized_key) const;

    // No key of the type is longer than a key hash.
    [[nodiscard]] bool fits_key_hash() const;

  private:
    struct Program;
    explicit KeyPlan(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
    [[nodiscard]] static Result<KeyPlan> from_program(Program program);

    // Shared by the copies of a plan; it is never changed.
    std::shared_ptr<const Program> program_;
};

}  // namespace durability::types
