#include "service/served_groups.hpp"

#include "types/type_information.hpp"

#include <algorithm>

namespace durability::service {

bool ServedGroup::is_relayed(const Guid& source) const {
    return std::ranges::any_of(writers, [&](const auto& entry) {
        return entry.second.relayed.origins().contains(source);
    });
}

bool ServedGroup::has_writer_of(const Guid& source) const {
    return std::ranges::any_of(writers,
                               [&](const auto& entry) { return entry.second.source == source; });
}

std::optional<types::TypeId> ServedGroup::type_id() const {
    const auto information = types::decode_type_information(meta.qos.type_information);
    return information ? information->minimal : std::nullopt;
}

ServedGroup* ServedGroups::find(const GroupKey& key) {
    const auto found = groups_.find(key);
    return found == groups_.end() ? nullptr : found->second.get();
}

ServedGroup* ServedGroups::find(GroupHandle handle) {
    const auto found = handles_.find(handle);
    return found == handles_.end() ? nullptr : found->second;
}

ServedGroup* ServedGroups::of_writer(const Guid& writer) {
    const auto found = writers_.find(writer);
    return found == writers_.end() ? nullptr : found->second;
}

ServedGroup& ServedGroups::add(GroupMeta meta) {
    auto group = std::make_unique<ServedGroup>();
    group->meta = std::move(meta);
    ServedGroup& added = *group;
    topics_[added.meta.key.topic].push_back(&added);
    groups_.emplace(added.meta.key, std::move(group));
    return added;
}

void ServedGroups::remove(ServedGroup& group) {
    std::erase_if(writers_, [&](const auto& entry) { return entry.second == &group; });
    std::erase_if(handles_, [&](const auto& entry) { return entry.second == &group; });
    const auto topic = topics_.find(group.meta.key.topic);
    std::erase(topic->second, &group);
    if (topic->second.empty()) topics_.erase(topic);
    const GroupKey key = group.meta.key;
    groups_.erase(key);
}

void ServedGroups::set_open(ServedGroup& group, GroupHandle handle) {
    group.handle = handle;
    group.state = ServedGroup::State::open;
    handles_[handle] = &group;
}

const std::vector<ServedGroup*>& ServedGroups::of_topic(const std::string& topic) const {
    static const std::vector<ServedGroup*> none;
    const auto found = topics_.find(topic);
    return found == topics_.end() ? none : found->second;
}

GroupKey group_key(const discovery::EndpointData& writer) {
    GroupKey key;
    key.topic = writer.topic;
    key.type = writer.type;
    key.keyed = writer.is_keyed();
    key.partitions = writer.qos.partitions;
    std::ranges::sort(key.partitions);
    key.partitions.erase(std::unique(key.partitions.begin(), key.partitions.end()),
                         key.partitions.end());
    if (key.partitions.size() == 1 && key.partitions.front().empty()) key.partitions.clear();
    key.representation = offered_representation(writer.qos);
    key.durability = writer.qos.durability;
    key.ownership = writer.qos.ownership;
    key.presentation = writer.qos.presentation;
    return key;
}

discovery::EndpointData replay_announcement(const GroupMeta& meta) {
    discovery::EndpointData data;
    data.vendor = vendor::own;
    data.topic = meta.key.topic;
    data.type = meta.key.type;
    data.qos = meta.qos;
    data.qos.durability = meta.key.durability;
    data.qos.partitions = meta.key.partitions;
    data.qos.representations = {meta.key.representation};
    data.qos.ownership = meta.key.ownership;
    data.qos.presentation = meta.key.presentation;
    data.qos.reliability = ReliabilityKind::reliable;
    data.qos.ownership_strength = 0;
    data.qos.lifespan = infinite_qos_duration;
    data.qos.history = History{HistoryKind::keep_all, 1};
    data.qos.resource_limits = ResourceLimits{};
    data.qos.durability_service.reset();
    // Only what others can ask us about.
    if (meta.type_objects.empty()) data.qos.type_information.clear();
    return data;
}

}  // namespace durability::service
