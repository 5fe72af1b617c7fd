// What has changed in a group without a file saying so yet, made into one chore: list, metadata,
// a rewritten log that is swapped in, logs that go.
#include "store/group_meta.hpp"
#include "store/store_core.hpp"

#include <utility>

namespace durability::store {

void StoreCore::want_work(Group& group) {
    if (group.has_work) return;
    group.has_work = true;
    groups_with_work.push_back(group.handle);
}

Chore StoreCore::make_chore(Group& group) {
    group.has_work = false;
    GroupWork work = std::exchange(group.work, {});
    const bool durable = group.on_disk();
    bool swap = rewrite && rewrite->stage == Rewrite::Stage::finishing &&
                logs[rewrite->log]->group == group.handle;
    if (swap && logs[rewrite->log]->doomed) {
        abandon_rewrite();
        swap = false;
    }
    Chore chore;
    chore.group = group.handle;
    std::vector<Chore::Step>& steps = chore.steps;
    if (work.make_folder && durable)
        steps.emplace_back(Chore::SyncDirectory{options.disk_directory});
    if (swap && durable) steps.emplace_back(Chore::Sync{rewrite->target});
    // The list before the metadata: what an old contract had evicted must not come back under a
    // larger one. And before anything is removed: else what that had replaced could come back.
    if (work.checkpoint || swap || !work.doomed.empty()) {
        add_replacement(steps, group.folder, layout::checkpoint, checkpoint_of(group), durable);
        // Not every file system keeps the order of two names.
        const bool relied_upon = work.meta || swap || !work.doomed.empty();
        if (durable && relied_upon) steps.emplace_back(Chore::SyncDirectory{group.folder});
    }
    if (work.meta) {
        add_replacement(
            steps, group.folder, layout::meta, encode_meta_file(group.meta, group.hash), durable);
    }
    if (swap) {
        steps.emplace_back(Chore::Rename{rewrite->target_path, logs[rewrite->log]->file.path()});
    }
    for (const LogId id : work.doomed) {
        if (logs[id]->file.exists()) steps.emplace_back(Chore::Remove{logs[id]->file.path()});
    }
    if (!steps.empty() && durable) steps.emplace_back(Chore::SyncDirectory{group.folder});
    chore.done = [this, &group, work = std::move(work), swap](const Status& outcome, Out& out) {
        finish_chore(group, work, swap, outcome, out);
    };
    return chore;
}

void StoreCore::finish_chore(
    Group& group, GroupWork work, bool swap, const Status& outcome, Out& out) {
    const std::vector<GroupWork::Answer> answers = std::exchange(work.answers, {});
    if (outcome) {
        group.on_record = group.on_record || work.meta;
        if (swap) swap_in();
        for (const LogId id : work.doomed) {
            if (logs[id]->file.exists()) bytes_counter(group) -= logs[id]->file.size();
            release_log(id);
            ++compactions;
        }
        for (const GroupWork::Expired& expired : work.expired)
            let_go(group, expired, out);
    } else {
        if (swap) abandon_rewrite();
        if (group.on_record) {
            // Once the group is healed it is all done again, with what has come to it meanwhile.
            GroupWork& again = group.work;
            again.checkpoint = again.checkpoint || work.checkpoint;
            again.meta = again.meta || work.meta;
            again.doomed.insert(again.doomed.begin(), work.doomed.begin(), work.doomed.end());
            again.expired.insert(again.expired.begin(), work.expired.begin(), work.expired.end());
            want_work(group);
            degrade(group, outcome.error(), out);
        }
    }
    for (const GroupWork::Answer& answer : answers)
        answer(outcome, out);
}

}  // namespace durability::store
