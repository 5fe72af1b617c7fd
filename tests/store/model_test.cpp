// The rule three times: the plain model, the living store, and the store after a crash at a random
// point. Equal sets, in equal order.
#include "retention_model.hpp"
#include "store_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

using Name = std::pair<Guid, std::int64_t>;

class Trial {
  public:
    explicit Trial(std::uint64_t seed) : random_(seed), world_(files_) {
        keyed_ = below(4) != 0;
        contract_ = random_contract(random_);
        if (below(3) == 0) contract_.scope = ContractScope::writer;
        // With one writer there is one log, and a crash leaves a beginning of what was appended.
        writers_ = below(2) == 0 ? 1 : 3;
        world_.options.segment_bytes = 4096;
        world_.options.compaction_floor = 300;
        world_.options.sync = below(4) == 0 ? SyncPolicy::interval : SyncPolicy::commit;
    }

    void run() {
        REQUIRE(world_.open());
        open_group();
        snapshots_ = {models_};
        for (step_ = 0; step_ < 250; ++step_) {
            INFO("step " << step_);
            const auto dice = below(100);
            if (dice < 66) {
                append();
            } else if (dice < 78) {
                append_set();
            } else if (dice < 84) {
                sync();
            } else if (dice < 89) {
                world_.work();
                sync();
            } else if (dice < 91) {
                change_contract();
            } else if (dice < 95) {
                REQUIRE(world_.reopen());
                reopened();
            } else {
                crash();
            }
            REQUIRE(kept() == expected(models_));
        }
    }

  private:
    using Models = std::map<Guid, RetentionModel>;  // one, or one for each writer

    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

    void open_group() {
        GroupMeta meta = keyed_ ? keyed_topic("t", contract_) : unkeyed_topic("t", contract_);
        topic_ = world_.group(meta);
        REQUIRE(topic_ != ~GroupHandle{0});
    }
    RetentionModel& model_of(const Guid& writer) {
        const Guid owner = contract_.scope == ContractScope::writer ? writer : Guid{};
        return models_.try_emplace(owner, contract_, keyed_).first->second;
    }
    void append() {
        const Guid writer = writer_guid(static_cast<std::uint8_t>(1 + below(writers_)));
        std::optional<std::uint32_t> instance;
        if (below(16) != 0) instance = static_cast<std::uint32_t>(below(9));
        // Now and then the writer disposes or unregisters, without a payload.
        const auto operation = static_cast<unsigned>(keyed_ && below(3) == 0 ? 1 + below(3) : 0);
        const Buffer payload =
            operation != 0 ? Buffer{} : payload_of(static_cast<std::int64_t>(step_), 4 + below(60));
        const std::int64_t number = ++numbers_[writer];
        std::optional<KeyHash> key;
        if (keyed_ && instance) key = key_of(*instance);
        world_.append(topic_, writer, number, payload, key, static_cast<Lifecycle>(operation));
        model_of(writer).retain({++arrival_, instance, payload.size(), writer, number, operation});
        snapshots_.push_back(models_);
    }
    // All of it is kept, or none.
    void append_set() {
        const Guid writer = writer_guid(static_cast<std::uint8_t>(1 + below(writers_)));
        std::vector<StoreWorld::Member> members;
        Models tried = models_;
        std::swap(models_, tried);
        RetentionModel& model = model_of(writer);
        std::int64_t& number = numbers_[writer];
        const std::int64_t first = number + 1;
        bool admitted = true;
        for (std::uint64_t left = 2 + below(3); left > 0; --left) {
            std::optional<std::uint32_t> instance;
            if (below(16) != 0) instance = static_cast<std::uint32_t>(below(9));
            StoreWorld::Member& member = members.emplace_back();
            member.payload = payload_of(static_cast<std::int64_t>(step_), 4 + below(60));
            if (keyed_ && instance) member.key = key_of(*instance);
            admitted =
                model.retain({++arrival_, instance, member.payload.size(), writer, ++number, 0}) &&
                admitted;
        }
        if (!admitted) models_ = tried;
        world_.append_set(topic_, writer, first, members);
        snapshots_.push_back(models_);
    }
    void sync() {
        world_.sync();
        snapshots_ = {models_};
    }
    void change_contract() {
        const ContractScope scope = contract_.scope;
        contract_ = random_contract(random_);
        contract_.scope = scope;
        open_group();
        for (auto& [owner, model] : models_)
            model.change(contract_);
        snapshots_ = {models_};
    }
    void reopened() {
        topic_ = world_.opened("t").handle;
        snapshots_ = {models_};
    }
    // What was synced is there, and of what came since a beginning.
    void crash() {
        const bool exact = below(2) == 0;
        if (writers_ > 1 || exact) sync();
        world_.drop();
        const auto cut = exact ? PowerCut::drop_unsynced : PowerCut::mangle;
        files_.restart(below(3) == 0 ? PowerCut::keep_everything : cut, random_());
        REQUIRE(world_.open());
        topic_ = world_.opened("t").handle;
        const auto found = kept();
        const auto same = std::find_if(snapshots_.rbegin(), snapshots_.rend(), [&](Models& models) {
            return expected(models) == found;
        });
        REQUIRE(same != snapshots_.rend());
        models_ = *same;
        // Numbers that were lost come again, as the writer would send them.
        for (auto& [writer, number] : numbers_) {
            number = 0;
            for (const KnownWriter& known : world_.opened("t").writers) {
                if (known.source_writer == writer) number = known.last_stored.value;
            }
        }
        snapshots_ = {models_};
    }

    [[nodiscard]] std::vector<Name> kept() {
        std::vector<Name> names;
        for (const Kept& one : world_.kept(topic_))
            names.emplace_back(one.writer, one.number);
        return names;
    }
    static std::vector<Name> expected(const Models& models) {
        std::vector<RetentionModel::Item> items;
        for (const auto& [owner, model] : models)
            items.insert(items.end(), model.items.begin(), model.items.end());
        std::ranges::sort(items, {}, &RetentionModel::Item::arrival);
        std::vector<Name> names;
        for (const RetentionModel::Item& item : items)
            names.emplace_back(item.writer, item.number);
        return names;
    }

    std::mt19937_64 random_;
    FaultyFileSystem files_;
    StoreWorld world_;
    bool keyed_{false};
    Contract contract_;
    std::uint64_t writers_{1};
    GroupHandle topic_{0};
    Models models_;
    std::vector<Models> snapshots_;  // since the last sync, one after each append
    std::map<Guid, std::int64_t> numbers_;
    Arrival arrival_{0};
    std::uint64_t step_{0};
};

}  // namespace

TEST_CASE("model, living store and recovered store keep the same, whatever the contract") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        INFO("seed " << seed);
        Trial(seed).run();
    }
}
