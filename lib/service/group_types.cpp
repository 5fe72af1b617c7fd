#include "service/group_types.hpp"

#include "types/topic_keys.hpp"
#include "types/type_information.hpp"

#include "service/key_finders.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

// A late reader waits no longer than this for a description that does not come: it is served by the
// name of the type.
constexpr Duration patience_with_types = std::chrono::seconds{1};

std::optional<types::TypeInformation> information_of(const ServedGroup& group) {
    return types::decode_type_information(group.meta.qos.type_information);
}

}  // namespace

void GroupTypes::on_group_opened(ServedGroup& group, Now now) {
    plan(group);
    if (types::described_type(group.meta)) {
        group.types.state = GroupType::State::known;
        offer(group);
    }
    for (const auto& [guid, writer] : group.writers)
        on_writer_found(group, writer.data, now);
    if (group.types.state != GroupType::State::asked) settle(group);
}

void GroupTypes::on_writer_found(ServedGroup& group,
                                 const discovery::EndpointData& writer,
                                 Now now) {
    GroupType& types = group.types;
    if (types.state == GroupType::State::known) return;
    if (types.state == GroupType::State::asked && !types.of_reader) return;
    const auto theirs = types::decode_type_information(writer.qos.type_information);
    if (!theirs || !theirs->minimal) return;
    // A group that began with a writer that describes no type takes the first one that does.
    if (!information_of(group)) group.meta.qos.type_information = writer.qos.type_information;
    if (information_of(group)->minimal != theirs->minimal) return;
    types.of_reader = false;
    begin(group, *theirs, writer.guid.prefix, now);
}

void GroupTypes::on_reader_found(ServedGroup& group,
                                 const discovery::EndpointData& reader,
                                 Now now) {
    GroupType& types = group.types;
    const bool needed = group.meta.key.keyed && !types.key_plan && !types.reader_plan &&
                        types.state != GroupType::State::asked;
    if (!needed || !types.readers_asked.insert(reader.guid.prefix).second) return;
    const auto theirs = types::decode_type_information(reader.qos.type_information);
    if (!theirs || !theirs->minimal) return;
    types.of_reader = true;
    begin(group, *theirs, reader.guid.prefix, now);
}

void GroupTypes::begin(ServedGroup& group,
                       const types::TypeInformation& wanted,
                       const GuidPrefix& peer,
                       Now now) {
    GroupType& types = group.types;
    types.state = GroupType::State::asked;
    types.wanted = wanted;
    types.library = {};
    types.in_vain.clear();
    types.overdue = false;
    types.serve_by = after(now.mono, patience_with_types);
    std::erase(asking_, &group);
    asking_.push_back(&group);
    ask(group, peer, now);
}

void GroupTypes::ask(ServedGroup& group, const GuidPrefix& peer, Now now) {
    group.types.asked = peer;
    const auto missing = group.types.library.missing(group.types.wanted);
    if (missing.empty()) return complete(group, now);
    ingest_.look_up_types(peer, missing, now.mono);
}

void GroupTypes::on_received(const discovery::TypesReceived& received, Now now) {
    const std::vector<ServedGroup*> asking = asking_;
    for (ServedGroup* group : asking) {
        if (group->types.asked == received.peer) take(*group, received, now);
    }
}

void GroupTypes::take(ServedGroup& group, const discovery::TypesReceived& received, Now now) {
    const auto missing = group.types.library.missing(group.types.wanted);
    bool any = false;
    for (const auto& [id, object] : received.types) {
        if (std::ranges::find(missing, id) == missing.end()) continue;
        if (group.types.library.bytes() + object.size() > context_.config.limits.type_bytes) {
            group.types.problem = "its description is larger than limits.type_bytes";
            return give_up(group, now);
        }
        any = group.types.library.add(id, object) || any;
    }
    // What they refer to is asked for in turn; what was asked for together comes on its own.
    if (any) ask(group, received.peer, now);
}

void GroupTypes::on_unavailable(const discovery::TypesUnavailable& unavailable, Now now) {
    const std::vector<ServedGroup*> asking = asking_;
    for (ServedGroup* group : asking) {
        if (group->types.asked != unavailable.peer) continue;
        const auto missing = group->types.library.missing(group->types.wanted);
        const bool concerns = std::ranges::any_of(unavailable.types, [&](const auto& id) {
            return std::ranges::find(missing, id) != missing.end();
        });
        if (concerns && !ask_another(*group, unavailable.peer, now)) give_up(*group, now);
    }
}

// Another process with a writer of that type, of those that were not asked yet.
bool GroupTypes::ask_another(ServedGroup& group, const GuidPrefix& not_this, Now now) {
    group.types.in_vain.insert(not_this);
    if (group.types.of_reader) return false;
    for (const auto& [guid, writer] : group.writers) {
        if (group.types.in_vain.contains(guid.prefix)) continue;
        const auto theirs = types::decode_type_information(writer.data.qos.type_information);
        if (!theirs || theirs->minimal != group.types.wanted.minimal) continue;
        ask(group, guid.prefix, now);
        return true;
    }
    return false;
}

void GroupTypes::give_up(ServedGroup& group, Now now) {
    std::erase(asking_, &group);
    group.types.state = GroupType::State::unavailable;
    group.types.library = {};
    if (group.types.problem.empty())
        group.types.problem = "no writer describes its type when it is asked";
    settle(group);
    if (group.types.saw_keyless) report(group, now);
}

void GroupTypes::complete(ServedGroup& group, Now now) {
    std::erase(asking_, &group);
    if (group.types.of_reader) return complete_of_reader(group);
    group.meta.type_objects.clear();
    for (const auto& [id, object] : group.types.library.all())
        group.meta.type_objects.push_back(object);
    take_description(group);
    if (group.types.saw_keyless) report(group, now);
}

// The type that group.meta describes is known from now on.
void GroupTypes::take_description(ServedGroup& group) {
    group.types.state = GroupType::State::known;
    group.types.library = {};
    context_.commands.emplace_back(store::SetGroupType{
        group.handle, group.meta.qos.type_information, group.meta.type_objects});
    plan(group);
    offer(group);
    settle(group);
}

void GroupTypes::describe(ServedGroup& group, Buffer information, std::vector<Buffer> objects) {
    if (group.types.state == GroupType::State::known) return;
    std::erase(asking_, &group);
    group.types.of_reader = false;
    group.meta.qos.type_information = std::move(information);
    group.meta.type_objects = std::move(objects);
    take_description(group);
}

void GroupTypes::complete_of_reader(ServedGroup& group) {
    GroupType& types = group.types;
    types.state = GroupType::State::untold;
    auto plan = types::KeyPlan::from_type(types.library, *types.wanted.minimal);
    if (plan) types.reader_plan = std::move(*plan);
    types.library = {};
}

void GroupTypes::plan(ServedGroup& group) {
    if (!group.meta.key.keyed) return;
    auto plan = types::plan_keys(group.meta, key_layout(context_.config, group.meta.key));
    if (plan) {
        group.types.key_plan = std::move(*plan);
    } else {
        group.types.problem = plan.error().detail;
    }
}

void GroupTypes::forget(ServedGroup& group) {
    std::erase(asking_, &group);
}

void GroupTypes::on_layout_changed(ServedGroup& group) {
    group.types.key_plan.reset();
    group.types.problem.clear();
    group.types.unresolved_reported = false;
    plan(group);
}

void GroupTypes::offer(const ServedGroup& group) {
    const auto information = information_of(group);
    for (const Buffer& object : group.meta.type_objects) {
        const types::TypeId id = types::type_id_of(object);
        std::vector<types::TypeId> dependencies;
        if (information && (information->minimal == id || information->complete == id)) {
            for (const types::TypeId& other : information->dependencies) {
                if (other.kind == id.kind) dependencies.push_back(other);
            }
        }
        replay_.offer_type(id, object, std::move(dependencies));
    }
}

void GroupTypes::settle(ServedGroup& group) {
    if (std::exchange(group.types.settled, true)) return;
    settled_.push_back(group.handle);
}

void GroupTypes::on_keyless_sample(ServedGroup& group, const Guid& writer, Now now) {
    if (group.types.key_plan) return;
    group.types.saw_keyless = true;
    group.types.keyless_writer = writer;
    if (group.types.state != GroupType::State::asked) report(group, now);
}

void GroupTypes::report(ServedGroup& group, Now now) {
    if (group.types.key_plan || std::exchange(group.types.unresolved_reported, true)) return;
    context_.events.report_always(
        make_event(EventKind::KeyUnresolved,
                   {{"topic", group.meta.key.topic},
                    {"type", group.meta.key.type},
                    {"writer", to_string(group.types.keyless_writer)},
                    {"reason", group.types.problem},
                    {"effect", "samples are kept; only limits of the whole topic apply"},
                    {"cure", "name the key in a rule: topics[].key"}}),
        now);
}

std::optional<GroupHandle> GroupTypes::next_settled() {
    if (settled_.empty()) return std::nullopt;
    const GroupHandle handle = settled_.front();
    settled_.pop_front();
    return handle;
}

void GroupTypes::tick(Now now) {
    for (ServedGroup* group : asking_) {
        if (now.mono < group->types.serve_by) continue;
        group->types.overdue = true;
        settle(*group);
    }
}

MonoTime GroupTypes::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const ServedGroup* group : asking_) {
        if (!group->types.overdue) due = std::min(due, group->types.serve_by);
    }
    return due;
}

}  // namespace durability::service
