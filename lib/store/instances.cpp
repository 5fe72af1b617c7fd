// Instances: how samples find theirs, how they stand, and what a type that becomes known changes.
#include "store/store_core.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>
#include <utility>

namespace durability::store {
namespace {

// Samples without a key whose payloads are read at once when the type becomes known; of more than
// that the keys are found at the next start.
constexpr std::size_t most_found_at_once = 100'000;
constexpr std::size_t read_octets = 4U << 20U;

bool is_dispose(const SampleIndex::Entry& entry) {
    return (entry.flags & static_cast<std::uint8_t>(Lifecycle::dispose)) != 0;
}

}  // namespace

std::string_view name(InstanceState state) {
    switch (state) {
        case InstanceState::alive:
            return "alive";
        case InstanceState::disposed:
            return "disposed";
        case InstanceState::no_writers:
            return "no writers";
    }
    return "?";
}

std::uint64_t number_of(const InstanceKey& key) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, key.hash.data(), 8);
    std::memcpy(&high, key.hash.data() + 8, 8);
    // Odd factors keep plain keys apart whichever half they differ in; MD5 and tag are mixed
    // already.
    std::uint64_t mixed = low * 0xff51afd7ed558ccdULL ^ (high * 0xc4ceb9fe1a85ec53ULL + key.tag);
    mixed ^= mixed >> 31U;
    return std::max<std::uint64_t>(1, mixed * 0x9e3779b97f4a7c15ULL);
}

const InstanceKey* usable(const SampleIndex& index, const std::optional<InstanceKey>& key) {
    return key && !index.is_ambiguous(*key) ? &*key : nullptr;
}

std::vector<SampleIndex::Entry> samples_of(const SampleIndex& index, SampleIndex::InstanceId id) {
    std::vector<SampleIndex::Entry> samples;
    if (id == SampleIndex::none) return samples;
    samples.reserve(index.count_of(id));
    for (auto at = index.instance(id).oldest; at != SampleIndex::none; at = index.at(at).next)
        samples.push_back(index.at(at));
    return samples;
}

bool is_disposed(const std::vector<SampleIndex::Entry>& samples) {
    for (auto at = samples.rbegin(); at != samples.rend(); ++at) {
        if (is_dispose(*at)) return true;
        if (holds_value(at->flags)) return false;
    }
    return false;
}

void History::note_ending(const InstanceKey& key, Arrival arrival, WallTime since, bool this_run) {
    const SampleIndex::InstanceId id = index.find_instance(key);
    if (id != SampleIndex::none) endings.push_back({id, arrival, since, this_run});
}

std::optional<InstanceKey> StoreCore::key_of(const Group& group,
                                             const SampleMeta& meta,
                                             ByteView payload) {
    if (!group.meta.key.keyed) return std::nullopt;
    return group.keys ? group.keys(meta, payload) : meta.key;
}

std::optional<InstanceKey> StoreCore::key_of(const Group& group,
                                             const SampleFrame& frame,
                                             const Guid& writer) {
    // What was found when it arrived stands in the frame.
    if (frame.key || !group.keys) return frame.key;
    return key_of(group, meta_of(frame, writer), frame.payload);
}

void StoreCore::report_unresolved(Group& group, const SampleMeta& meta, Out& out) {
    // Without a type it is the service that knows whether one is still to come.
    if (!group.keys || std::exchange(group.key_unresolved_told, true)) return;
    report(
        out,
        EventKind::KeyUnresolved,
        {{"topic", group.meta.key.topic},
         {"type", group.meta.key.type},
         {"writer", to_string(meta.id.writer)},
         {"number", std::to_string(meta.id.number.value)},
         {"reason",
          meta.key ? "several instances have this key hash" : "no key in the payload by its type"},
         {"effect", "the sample is kept; only limits of the whole topic apply to it"}});
}

void StoreCore::set_group_type(const SetGroupType& command, Out& out) {
    if (command.group >= groups.size()) return;
    Group& group = *groups[command.group];
    if (!group.loaded || (group.meta.type_objects == command.type_objects &&
                          group.meta.qos.type_information == command.type_information)) {
        return;
    }
    group.meta.qos.type_information = command.type_information;
    group.meta.type_objects = command.type_objects;
    if (options.key_finders) group.keys = options.key_finders(group.meta);
    group.work.meta = true;
    find_missing_keys(group, out);
    want_work(group);
}

void StoreCore::reconfigure(const Reconfigure& command, Out& out) {
    options.limits = command.limits;
    options.key_finders = command.key_finders;
    for (const auto& group : groups) {
        if (group->loaded && group->meta.key.keyed && options.key_finders)
            group->keys = options.key_finders(group->meta);
    }
    for (const GroupHandle handle : command.keys_changed) {
        if (handle >= groups.size() || !groups[handle]->loaded) continue;
        find_missing_keys(*groups[handle], out);
        want_work(*groups[handle]);
    }
}

StoreCore::FoundKeys StoreCore::read_missing_keys(const Group& group, Out& out) {
    FoundKeys found;
    ReadSamples next{0, group.handle, {}, read_octets};
    for (const auto& history : group.histories) {
        const SampleIndex& index = history->index;
        for (auto at = index.begin_position(); at != index.end_position(); ++at) {
            const SampleIndex::Entry& entry = index.at(at);
            if (!entry.dead && entry.instance == SampleIndex::none)
                next.arrivals.push_back(entry.arrival);
        }
    }
    if (next.arrivals.size() > most_found_at_once) return found;
    std::sort(next.arrivals.begin(), next.arrivals.end());
    while (!next.arrivals.empty()) {
        const SamplesRead read_now = read(next, out);
        if (read_now.samples.empty()) break;
        for (const ReadSample& sample : read_now.samples) {
            if (!sample.retained) continue;
            if (const auto key = key_of(group, sample.meta, sample.payload))
                found.emplace(sample.arrival, FoundKey{*key, sample.received});
        }
        next.arrivals.erase(next.arrivals.begin(),
                            next.arrivals.begin() + std::ssize(read_now.samples));
    }
    return found;
}

void StoreCore::find_missing_keys(Group& group, Out& out) {
    if (!group.meta.key.keyed || !group.keys) return;
    const FoundKeys found = read_missing_keys(group, out);
    if (found.empty()) return;
    make_histories(group, found);
    for (const auto& history : group.histories)
        trim(history->index, group.meta.contract, evicted);
    const bool trimmed = !evicted.empty();
    account_evicted(group);
    group.work.checkpoint = true;
    if (trimmed) consider_group(group);
}

StoreCore::Holders StoreCore::holders_of(const Group& group,
                                         const std::vector<SampleIndex::Entry>& samples) const {
    Holders holders;
    for (const SampleIndex::Entry& entry : samples) {
        const WriterIndex writer = logs[entry.log]->writer;
        // The last thing each writer did with the instance counts.
        auto known = std::ranges::find(holders.writers, writer, &Holder::writer);
        if (known == holders.writers.end())
            known =
                holders.writers.insert(known, {writer, false, group.writers[writer].retired, 0});
        known->unregistered = (entry.flags & static_cast<std::uint8_t>(Lifecycle::unregister)) != 0;
        if (known->unregistered) known->left_at = entry.arrival;
    }
    return holders;
}

bool StoreCore::Holders::is_held() const {
    return std::ranges::any_of(
        writers, [](const Holder& holder) { return !holder.unregistered && !holder.retired; });
}

bool StoreCore::Holders::has_left(WriterIndex writer, Arrival arrival) const {
    const auto known = std::ranges::find(writers, writer, &Holder::writer);
    return known != writers.end() && arrival <= known->left_at;
}

std::vector<SampleIndex::Entry> StoreCore::samples_of_instance(const Group& group,
                                                               const InstanceKey& key) const {
    std::vector<SampleIndex::Entry> samples;
    for (const auto& history : group.histories) {
        const auto some = samples_of(history->index, history->index.find_instance(key));
        samples.insert(samples.end(), some.begin(), some.end());
    }
    if (group.histories.size() > 1) std::ranges::sort(samples, {}, &SampleIndex::Entry::arrival);
    return samples;
}

StoreCore::Holders StoreCore::holders_of(const Group& group, const InstanceKey& key) const {
    return holders_of(group, samples_of_instance(group, key));
}

const SampleIndex::Entry* key_bearer(const SampleIndex& index, SampleIndex::InstanceId id) {
    const SampleIndex::Instance& instance = index.instance(id);
    if (instance.newest_value != SampleIndex::none) return &index.at(instance.newest_value);
    for (auto at = instance.oldest; at != SampleIndex::none; at = index.at(at).next) {
        if (index.at(at).payload_size > 0) return &index.at(at);
    }
    return nullptr;
}

ListedInstance StoreCore::describe_instance(const Group& group, const InstanceKey& key) const {
    const std::vector<SampleIndex::Entry> samples = samples_of_instance(group, key);
    ListedInstance listed;
    listed.key = key;
    if (is_disposed(samples)) {
        listed.state = InstanceState::disposed;
    } else if (!holders_of(group, samples).is_held()) {
        listed.state = InstanceState::no_writers;
    }
    for (const SampleIndex::Entry& entry : samples) {
        ++(holds_value(entry.flags) ? listed.values : listed.operations);
        const Guid& writer = group.writers[logs[entry.log]->writer].guid;
        if (std::ranges::find(listed.writers, writer) == listed.writers.end())
            listed.writers.push_back(writer);
    }
    return listed;
}

// What the payloads say: when the newest was received, and one that tells the key.
void StoreCore::read_instance(const Group& group,
                              std::size_t max_payload,
                              ListedInstance& listed,
                              Out& out) {
    const std::vector<SampleIndex::Entry> samples = samples_of_instance(group, *listed.key);
    ReadSamples wanted{0, group.handle, {samples.back().arrival}};
    const SampleIndex::Entry* bearer = nullptr;
    for (const SampleIndex::Entry& entry : samples) {
        if (entry.payload_size > 0 && (bearer == nullptr || holds_value(entry.flags)))
            bearer = &entry;
    }
    const bool with_payload = bearer != nullptr && bearer->payload_size <= max_payload;
    if (with_payload && bearer->arrival != samples.back().arrival)
        wanted.arrivals.insert(wanted.arrivals.begin(), bearer->arrival);
    const SamplesRead answer = read(wanted, out);
    listed.received = answer.samples.back().received;
    if (!with_payload) return;
    const ReadSample& sample = answer.samples.front();
    listed.payload_kind = sample.meta.payload_kind;
    listed.payload.assign(sample.payload.begin(), sample.payload.end());
}

InstancesListed StoreCore::list_instances(const ListInstances& command, Out& out) {
    InstancesListed answer{command.ticket, command.group, std::vector<ListedInstance>{}, 0};
    if (command.group >= groups.size()) return answer;
    const Group& group = *groups[command.group];
    if (!group.meta.key.keyed) return answer;
    std::set<InstanceKey> seen;
    for (const auto& history : group.histories) {
        const SampleIndex& index = history->index;
        for (auto at = index.begin_position(); at != index.end_position(); ++at) {
            const SampleIndex::Entry& entry = index.at(at);
            if (entry.dead || entry.instance == SampleIndex::none) continue;
            const SampleIndex::Instance& instance = index.instance(entry.instance);
            if (instance.newest != at || !seen.insert(instance.key).second) continue;
            if (answer.instances->size() >= command.max_instances) continue;
            ListedInstance& listed =
                answer.instances->emplace_back(describe_instance(group, instance.key));
            read_instance(group, command.max_payload, listed, out);
        }
    }
    answer.total = seen.size();
    return answer;
}

}  // namespace durability::store
