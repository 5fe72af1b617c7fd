// Questions to the store that are answered later.
#include "runtime/store_requests.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::runtime;
using Catch::Contains;

namespace {

struct Store {
    std::vector<store::Command> asked;
    bool open{true};
    StoreRequests requests{[this](store::Command& command) {
        if (open) asked.push_back(std::move(command));
        return open;
    }};

    void answer(store::Completion completion) { CHECK(requests.complete(completion)); }
    // The groups of the last question about status.
    void answer_status(const std::vector<std::string>& topics, std::uint64_t dead_bytes = 0) {
        store::StatusReport report;
        report.ticket = std::get<store::QueryStatus>(asked.back()).ticket;
        for (const std::string& topic : topics) {
            store::GroupStatus group;
            group.handle = static_cast<GroupHandle>(report.status.groups.size());
            group.meta.key.topic = topic;
            group.disk_bytes = 100;
            group.dead_bytes = dead_bytes;
            report.status.groups.push_back(std::move(group));
        }
        answer(std::move(report));
    }
};

}  // namespace

TEST_CASE("a purge asks every group of that topic and adds up") {
    Store store;
    std::optional<Result<PurgeOutcome>> outcome;
    store.requests.purge({"a", {}, {}}, [&](Result<PurgeOutcome> result) { outcome = result; });
    store.answer_status({"a", "b", "a"});
    REQUIRE(store.asked.size() == 3);
    const auto first = std::get<store::PurgeSamples>(store.asked[1]);
    const auto second = std::get<store::PurgeSamples>(store.asked[2]);
    CHECK(first.group == 0);
    CHECK(second.group == 2);
    store.answer(store::SamplesPurged{second.ticket, 2, std::uint64_t{5}});
    CHECK_FALSE(outcome.has_value());
    // An answer to a question nobody asked, or that was answered, is nobody's.
    store.answer(store::SamplesPurged{second.ticket, 2, std::uint64_t{5}});
    store.answer(store::SamplesPurged{999, 2, std::uint64_t{5}});
    CHECK_FALSE(outcome.has_value());
    store.answer(store::SamplesPurged{first.ticket, 0, std::uint64_t{2}});
    REQUIRE(outcome.has_value());
    REQUIRE(outcome->has_value());
    CHECK((*outcome)->groups == 2U);
    CHECK((*outcome)->samples == 7U);
}

TEST_CASE("a group that refuses does not keep the others from it, and is heard of") {
    Store store;
    std::optional<Result<PurgeOutcome>> outcome;
    store.requests.purge({"a", {}, {}}, [&](Result<PurgeOutcome> result) { outcome = result; });
    store.answer_status({"a", "a"});
    const auto ticket = [&](std::size_t i) {
        return std::get<store::PurgeSamples>(store.asked[i]).ticket;
    };
    store.answer(store::SamplesPurged{ticket(1), 0, fail(Errc::unavailable, "degraded")});
    CHECK_FALSE(outcome.has_value());
    store.answer(store::SamplesPurged{ticket(2), 1, std::uint64_t{2}});
    REQUIRE(outcome.has_value());
    REQUIRE_FALSE(outcome->has_value());
    CHECK(outcome->error().text() == "degraded");
}

TEST_CASE("compact asks groups with something to give back only") {
    Store store;
    std::optional<Result<CompactionOutcome>> outcome;
    const auto done = [&](Result<CompactionOutcome> result) { outcome = result; };
    store.requests.compact("", done);
    store.answer_status({"a", "b"});
    REQUIRE(outcome.has_value());
    REQUIRE(outcome->has_value());
    CHECK((*outcome)->groups == 2U);
    CHECK((*outcome)->disk_bytes == 200U);
    outcome.reset();
    store.requests.compact("b", done);
    store.answer_status({"a", "b"}, 30);
    const auto asked = std::get<store::CompactGroup>(store.asked.back());
    CHECK(asked.group == 1);
    store.answer(store::CompactionBegun{asked.ticket, 1, std::uint64_t{4}});
    REQUIRE(outcome.has_value());
    CHECK((*outcome)->files == 4U);
    CHECK((*outcome)->dead_bytes == 30U);
}

TEST_CASE("a store that is closed, or answers nothing, is not asked for ever") {
    Store store;
    std::size_t refused = 0;
    const auto done = [&](const Result<store::StoreStatus>& status) {
        if (!status && status.error().code == Errc::unavailable) ++refused;
    };
    for (std::size_t i = 0; i < StoreRequests::max_waiting; ++i)
        store.requests.status(done);
    CHECK(refused == 0);
    store.requests.status(done);
    CHECK(refused == 1);
    store.answer_status({});
    store.requests.status(done);
    CHECK(refused == 1);
    Store closed;
    closed.open = false;
    closed.requests.status(done);
    CHECK(refused == 2);
    // What is not an answer to an operator is left to others.
    store::Completion saved = store::RecordSaved{};
    CHECK_FALSE(store.requests.complete(saved));
}
