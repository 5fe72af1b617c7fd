// A plan for a type written down in the test.
#pragma once

#include "types/key_plan.hpp"
#include "types/type_model.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace durability::test {

[[nodiscard]] inline Result<types::KeyPlan> try_plan_for(const TypePointer& type,
                                                         Detail detail = Detail::minimal) {
    types::TypeLibrary library;
    const types::TypeId id = describe_in(library, type, detail);
    return types::KeyPlan::from_type(library, id);
}

[[nodiscard]] inline types::KeyPlan plan_for(const TypePointer& type,
                                             Detail detail = Detail::minimal) {
    auto plan = try_plan_for(type, detail);
    INFO((plan ? std::string() : plan.error().text()));
    REQUIRE(plan);
    return *plan;
}

// The serialized key in hexadecimal digits, "none" when there is none.
[[nodiscard]] inline std::string hex_or_none(const std::optional<Buffer>& key) {
    return key ? to_hex(*key) : "none";
}
[[nodiscard]] inline std::string key_in(const types::KeyPlan& plan, std::string_view payload) {
    return hex_or_none(plan.key_of_data(from_hex(payload)));
}

}  // namespace durability::test
