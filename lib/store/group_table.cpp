// Groups: opening, metadata, contracts, and the list of what is retained.
#include "store/group_meta.hpp"
#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace durability::store {

OpenedGroup StoreCore::describe(const Group& group) const {
    OpenedGroup opened{group.handle, group.meta, {}};
    for (const SourceWriter& writer : group.writers) {
        if (!writer.in_use || is_leaving(writer)) continue;
        opened.writers.push_back(
            {writer.guid, writer.known.greatest(), writer.retired, writer.last_unregister});
    }
    return opened;
}

void StoreCore::open_group(const OpenGroup& command, Out& out) {
    const auto refuse = [&](Error error) {
        out.push_back(GroupOpened{command.ticket, tl::unexpected(std::move(error))});
    };
    const auto known = by_key.find(command.meta.key);
    Result<GroupHandle> handle =
        known != by_key.end() ? known->second : add_group(command.meta, out);
    if (!handle) return refuse(std::move(handle.error()));
    Group& group = *groups[*handle];
    if (!group.loaded) {
        if (load_failed) return refuse({Errc::unavailable, 0, "the store could not be loaded"});
        group.opening.push_back(command);
        return load_first(group.handle);
    }
    const bool changed = known != by_key.end() &&
                         takes_effect(group.meta.contract_source, command.meta.contract_source) &&
                         apply_contract(group, command.meta);
    if (group.on_record && !changed) {
        out.push_back(GroupOpened{command.ticket, describe(group)});
        return;
    }
    if (!group.on_record) group.work.make_folder = group.work.meta = true;
    group.work.answers.push_back(
        [this, &group, ticket = command.ticket](const Status& outcome, Out& to) {
            // A group that was served before is served with a degraded disk, too.
            if (group.on_record) {
                to.push_back(GroupOpened{ticket, describe(group)});
            } else {
                to.push_back(GroupOpened{ticket, tl::unexpected(outcome.error())});
            }
        });
    want_work(group);
}

Result<GroupHandle> StoreCore::add_group(const GroupMeta& meta, Out& out) {
    if (groups.size() >= options.limits.served_groups) {
        return fail(Errc::resource_limit,
                    fmt::format("open topic {}: limits.served_groups ({}) reached",
                                meta.key.topic,
                                options.limits.served_groups));
    }
    const bool on_disk = meta.storage == StorageKind::disk;
    const std::string& parent = on_disk ? options.disk_directory : options.memory_directory;
    auto group = std::make_unique<Group>();
    group->handle = static_cast<GroupHandle>(groups.size());
    group->meta = meta;
    group->hash = hash_of(meta.key);
    group->folder = join(parent, group_folder_name(group->hash));
    for (const auto& other : groups) {
        if (other->folder == group->folder) {
            return fail(Errc::invalid_argument,
                        fmt::format("open topic {}: its folder {} belongs to another topic",
                                    meta.key.topic,
                                    group->folder));
        }
    }
    if (!folder_in_place(*group)) {
        return fail(Errc::unavailable,
                    fmt::format("open topic {}: {} was moved, removed or replaced while in use",
                                meta.key.topic,
                                parent));
    }
    if (auto made = files.make_directory(group->folder); !made) return tl::unexpected(made.error());
    // A file of that name that was of no use at the start is kept for whoever wants to look at it.
    if (files.open(join(group->folder, layout::meta), OpenMode::read_only)) {
        if (auto moved = set_aside(group->folder, std::string(layout::meta)); !moved) {
            return tl::unexpected(moved.error());
        }
    }
    by_key.emplace(meta.key, group->handle);
    groups.push_back(std::move(group));
    // The folder may hold logs whose metadata was lost: they belong to this group, and this is it.
    Group& added = *groups.back();
    if (auto recovered = recover_group(added, out); !recovered) {
        by_key.erase(meta.key);
        groups.pop_back();
        return tl::unexpected(recovered.error());
    }
    return added.handle;
}

Status StoreCore::save_meta(const Group& group) {
    return replace_file(files,
                        group.folder,
                        layout::meta,
                        encode_meta_file(group.meta, group.hash),
                        group.on_disk());
}

void StoreCore::make_histories(Group& group, const FoundKeys& found) {
    struct Moving {
        SampleIndex::Entry entry;
        std::optional<InstanceKey> key;
        std::optional<History::Ending> ending;
    };
    const bool keyed = group.meta.key.keyed;
    std::vector<Moving> all;
    for (const auto& history : group.histories) {
        for (auto at = history->index.begin_position(); at != history->index.end_position(); ++at) {
            const SampleIndex::Entry& entry = history->index.at(at);
            if (entry.dead) continue;
            Moving moving{entry, std::nullopt, std::nullopt};
            if (keyed && entry.instance != SampleIndex::none) {
                moving.key = history->index.instance(entry.instance).key;
            }
            const auto late = found.find(entry.arrival);
            if (late != found.end()) moving.key = late->second.key;
            if (late != found.end() && (entry.flags & sample_flag::lifecycle_mask) != 0) {
                moving.ending =
                    History::Ending{SampleIndex::none, entry.arrival, late->second.received, false};
            }
            for (const History::Ending& ending : history->endings) {
                if (ending.arrival == entry.arrival) moving.ending = ending;
            }
            all.push_back(std::move(moving));
        }
    }
    std::sort(all.begin(), all.end(), [](const Moving& a, const Moving& b) {
        return a.entry.arrival < b.entry.arrival;
    });
    const bool per_writer = group.meta.contract.scope == ContractScope::writer;
    group.histories.clear();
    for (std::size_t i = 0; i < (per_writer ? group.writers.size() : 1); ++i) {
        group.histories.push_back(std::make_unique<History>(keyed));
    }
    for (std::size_t i = 0; i < group.writers.size(); ++i) {
        group.writers[i].history = per_writer ? static_cast<std::uint32_t>(i) : 0;
    }
    for (Moving& moving : all) {
        History& history = history_of(group, group.writers[logs[moving.entry.log]->writer]);
        const InstanceKey* const key = usable(history.index, moving.key);
        history.index.append(moving.entry, key);
        if (moving.ending && key != nullptr) {
            moving.ending->instance = history.index.find_instance(*key);
            history.endings.push_back(*moving.ending);
        }
    }
}

bool StoreCore::apply_contract(Group& group, const GroupMeta& meta) {
    const Contract before = group.meta.contract;
    if (before == meta.contract && group.meta.contract_source == meta.contract_source) return false;
    group.meta.contract = meta.contract;
    group.meta.contract_source = meta.contract_source;
    if (before.scope != meta.contract.scope) make_histories(group);
    for (const auto& history : group.histories)
        trim(history->index, meta.contract, evicted);
    const bool trimmed = !evicted.empty();
    account_evicted(group);
    group.work.checkpoint = group.work.checkpoint || before != meta.contract;
    group.work.meta = true;
    if (trimmed) consider_group(group);
    return true;
}

Buffer StoreCore::checkpoint_of(const Group& group) const {
    Checkpoint checkpoint;
    checkpoint.as_of = next_arrival - 1;
    for (const auto& history : group.histories) {
        const SampleIndex& samples = history->index;
        for (auto at = samples.begin_position(); at != samples.end_position(); ++at) {
            if (!samples.at(at).dead) checkpoint.retained.push_back(samples.at(at).arrival);
        }
    }
    if (group.histories.size() > 1) {
        std::sort(checkpoint.retained.begin(), checkpoint.retained.end());
    }
    return encode_checkpoint(checkpoint, group.hash);
}

}  // namespace durability::store
