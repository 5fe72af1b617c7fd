#include "service/contract_origin.hpp"

#include "service/contract_resolver.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace durability;
using namespace durability::service;
using namespace std::chrono_literals;

namespace {

Origin of(const ContractOrigins& origins, ContractField field) {
    return origins[static_cast<std::size_t>(field)];
}

DurabilityServiceQos keep(std::int32_t depth) {
    DurabilityServiceQos service;
    service.history.depth = depth;
    return service;
}

const Guid writer{GuidPrefix{{1, 2, 3}}, EntityId{0x102}};
const Origin by_default{ValueOrigin::daemon_default, {}};

}  // namespace

TEST_CASE("each value of a contract is traced to the strongest source that says it") {
    TopicRule rule;
    rule.origin = "d.yaml:3";
    rule.contract.depth = 9;
    rule.contract.max_age = 1h;
    const Origin by_rule{ValueOrigin::rule, "d.yaml:3"};
    const Origin by_writer{ValueOrigin::announced, to_string(writer)};
    DurabilityServiceQos service = keep(4);
    service.limits.max_samples = 77;
    const std::vector<Announcement> announced{{writer, service}};
    const Contract standard;
    const auto resolved = resolve(&rule, service, standard);
    const auto origins = origins_of(resolved.contract, resolved.source, &rule, announced, standard);
    CHECK(of(origins, ContractField::depth) == by_rule);
    // A depth alone means keep that many.
    CHECK(of(origins, ContractField::history) == by_rule);
    CHECK(of(origins, ContractField::max_age) == by_rule);
    CHECK(of(origins, ContractField::max_samples) == by_writer);
    CHECK(of(origins, ContractField::max_instances) == by_writer);
    // An announced delay of 0 s counts as unset; the others are nothing that a writer announces.
    CHECK(of(origins, ContractField::cleanup_delay) == by_default);
    CHECK(of(origins, ContractField::scope) == by_default);
    CHECK(of(origins, ContractField::max_bytes) == by_default);
}

TEST_CASE("where writers announce different contracts, the one whose value is in force is named") {
    const Guid other{GuidPrefix{{9}}, EntityId{0x102}};
    const std::vector<Announcement> announced{{writer, keep(4)}, {other, keep(6)}};
    const Contract standard;
    const Contract in_force = resolve(nullptr, keep(6), standard).contract;
    const auto origins =
        origins_of(in_force, ContractSource::announced, nullptr, announced, standard);
    CHECK(of(origins, ContractField::depth) == Origin{ValueOrigin::announced, to_string(other)});
    CHECK(of(origins, ContractField::history) == Origin{ValueOrigin::announced, to_string(writer)});
    // Of a writer that has gone only the announcement is left.
    const std::vector<Announcement> gone{{unknown_guid, keep(6)}};
    CHECK(of(origins_of(in_force, ContractSource::announced, nullptr, gone, standard),
             ContractField::depth) == Origin{ValueOrigin::announced, {}});
}

TEST_CASE("what nobody says any more is stored, and so is said what it came from") {
    Contract in_force;
    in_force.depth = 50;
    const auto origins = origins_of(in_force, ContractSource::rule, nullptr, {}, Contract{});
    CHECK(of(origins, ContractField::depth) ==
          Origin{ValueOrigin::stored, std::string(stored_source(ContractSource::rule))});
    CHECK(of(origins, ContractField::max_samples) == by_default);
    // An announcement of nothing but defaults is none.
    const std::vector<Announcement> announced{{writer, DurabilityServiceQos{}}};
    CHECK(of(origins_of(Contract{}, ContractSource::daemon_default, nullptr, announced, Contract{}),
             ContractField::depth) == by_default);
}
