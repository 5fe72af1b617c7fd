// Ingest readers, and what becomes of them, of groups and of writers when the rules change.
#include "service/ingest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace durability::service {
namespace {

// Every endpoint of ours in the order of what makes it different; names its entity id across runs.
std::string describe_reader(const GroupKey& key, ReliabilityKind reliability) {
    return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}",
                       key.topic,
                       key.type,
                       key.keyed ? "keyed" : "unkeyed",
                       static_cast<int>(key.ownership),
                       name(reliability),
                       fmt::join(key.partitions, "\x1e"));
}

std::string describe_apart(const std::string& description, DurabilityKind durability) {
    return fmt::format("{}\x1f{}", description, name(durability));
}

bool share_readers(const GroupKey& a, const GroupKey& b) {
    return describe_reader(a, ReliabilityKind::reliable) ==
           describe_reader(b, ReliabilityKind::reliable);
}

}  // namespace

// Groups share a reader, which requests what the rule serves at least. Durability is not to be
// changed while an endpoint lives, so where a rule that serves more came later, weaker groups have
// a reader apart: in this run and, by its id, in the next ones.
Ingest::ReaderName Ingest::name_reader(const ServedGroup& group,
                                       ReliabilityKind reliability) const {
    const DurabilityKind offered = group.meta.key.durability;
    const std::string shared = describe_reader(group.meta.key, reliability);
    const std::string apart = describe_apart(shared, offered);
    if (const auto known = readers_.find(shared); known != readers_.end()) {
        const DurabilityKind requests = known->second.qos.durability;
        return requests <= offered ? ReaderName{shared, requests} : ReaderName{apart, offered};
    }
    if (context_.entities.knows(Side::ingest, apart)) return {apart, offered};
    DurabilityKind requests = weakest_served(group.rule);
    constexpr std::array steps{
        std::pair{DurabilityKind::transient_local, DurabilityKind::transient},
        std::pair{DurabilityKind::transient, DurabilityKind::persistent}};
    for (const auto& [weaker, stronger] : steps) {
        if (context_.entities.knows(Side::ingest, describe_apart(shared, weaker)))
            requests = std::max(requests, stronger);
    }
    return {shared, requests};
}

std::vector<discovery::EndpointData> Ingest::follow_rules(Now now) {
    std::vector<discovery::EndpointData> served;
    for (auto& [guid, writer] : unserved_) {
        const GroupKey key = key_for(writer.data);
        writer.rule = find_rule(context_.config.topics, key.topic, key.type, key.partitions);
        writer.verdict = judge(writer.rule, writer.data.topic, writer.data.qos.durability);
        if (writer.verdict == ServeVerdict::serve) served.push_back(writer.data);
    }
    for (const discovery::EndpointData& writer : served) {
        // Readers of other groups have acknowledged for it whatever came.
        participant_.unmatch_writer(writer.guid);
        on_writer_found(writer, now);
    }
    std::erase_if(served, [this](const auto& writer) { return unserved_.contains(writer.guid); });
    return served;
}

void Ingest::withdraw(ServedGroup& group, const TopicRule* rule, ServeVerdict verdict, Now now) {
    take_samples(now);
    ++changes_;
    std::vector<discovery::EndpointData> writers;
    for (auto& [guid, source] : group.writers) {
        abandon_set(group, source, "its topic is not served any more", now);
        wide_sets_.erase(guid);
        participant_.unmatch_writer(guid);
        context_.groups.forget_writer(guid);
        writers.push_back(source.data);
        unserved_[guid] = {source.data, verdict, rule};
    }
    // What lies beyond a missing one is not stored: should the topic be served again, the writer is
    // asked for what follows the last that is.
    participant_.samples().clear();
    flush(now);
    group.writers.clear();
    last_source_ = nullptr;
    last_group_ = nullptr;
    std::erase_if(opening_, [&](const auto& entry) { return entry.second == &group; });
    std::erase_if(keyless_, [&](const auto& entry) { return entry.first == &group; });
    std::erase_if(live_, [&](const auto& live) { return live.group == &group; });
    retract_readers(group);
    for (const discovery::EndpointData& writer : writers)
        attach_shadows(writer, entity::unknown, true, now);
}

void Ingest::retract_readers(const ServedGroup& group) {
    const GroupKey& key = group.meta.key;
    const auto has_others = [&](const ServedGroup* other) {
        return other != &group && share_readers(other->meta.key, key);
    };
    if (std::ranges::any_of(context_.groups.of_topic(key.topic), has_others)) return;
    std::vector<std::string> descriptions;
    for (const ReliabilityKind reliability :
         {ReliabilityKind::reliable, ReliabilityKind::best_effort}) {
        const std::string shared = describe_reader(key, reliability);
        descriptions.push_back(shared);
        for (const DurabilityKind weaker :
             {DurabilityKind::transient_local, DurabilityKind::transient})
            descriptions.push_back(describe_apart(shared, weaker));
    }
    for (const std::string& description : descriptions) {
        const auto reader = readers_.extract(description);
        if (!reader) continue;
        participant_.retract(reader.mapped().guid.entity);
        context_.entities.retire(Side::ingest, description);
        context_.erase(store::RecordKind::identity, entity_key(Side::ingest, description));
    }
}

void Ingest::change_contract(ServedGroup& group, const ResolvedContract& contract) {
    GroupMeta meta = group.meta;
    meta.contract = contract.contract;
    meta.contract_source = contract.source;
    // One that is being opened is asked for again behind that.
    group.contract_ticket = context_.next_ticket();
    changing_.emplace(group.contract_ticket, group.meta.key);
    context_.commands.emplace_back(store::OpenGroup{group.contract_ticket, std::move(meta)});
}

void Ingest::adopt_contract(const store::GroupOpened& opened, Now now) {
    const auto asked = changing_.extract(opened.ticket);
    if (!asked) return;
    // It may have been withdrawn meanwhile, and be served again.
    ServedGroup* group = context_.groups.find(asked.mapped());
    if (group == nullptr) return;
    const bool is_last = group->contract_ticket == opened.ticket;
    if (is_last) group->contract_ticket = 0;
    if (opened.result) {
        group->contract_problem.clear();
        group->meta.contract = opened.result->meta.contract;
        group->meta.contract_source = opened.result->meta.contract_source;
    } else if (is_last) {
        group->contract_problem = opened.result.error().text();
        context_.events.report_always(
            make_event(EventKind::AutoServeFailed,
                       {{"domain", std::to_string(context_.domain)},
                        {"topic", group->meta.key.topic},
                        {"type", group->meta.key.type},
                        {"reason", fmt::format("another contract: {}", group->contract_problem)}}),
            now);
    }
}

}  // namespace durability::service
