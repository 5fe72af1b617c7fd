#include "service/ingest.hpp"

#include "types/topic_keys.hpp"
#include "types/type_information.hpp"

#include "base/byte_writer.hpp"
#include "discovery/matching.hpp"
#include "discovery/peer_facts.hpp"
#include "service/contract_resolver.hpp"
#include "service/newer_live.hpp"
#include "service/peer_services.hpp"
#include "wire/cdr.hpp"
#include "wire/inline_qos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace durability::service {
namespace {

EntityKind reader_kind(bool keyed) {
    return keyed ? EntityKind::reader_with_key : EntityKind::reader_no_key;
}

std::string describe(const Contract& contract) {
    const auto limit = [](std::uint64_t value) {
        return value == unlimited ? std::string("unlimited") : fmt::format("{}", value);
    };
    std::string text =
        fmt::format("{} depth {} max_samples {} max_instances {} max_samples_per_instance {}",
                    name(contract.history),
                    contract.depth,
                    limit(contract.max_samples),
                    limit(contract.max_instances),
                    limit(contract.max_samples_per_instance));
    if (contract.max_bytes != unlimited) text += fmt::format(" max_bytes {}", contract.max_bytes);
    if (contract.max_age != infinite_duration)
        text += fmt::format(" max_age {}s", contract.max_age / std::chrono::seconds{1});
    return text;
}

constexpr std::uint8_t key_relayed = 'r';
constexpr std::size_t guid_size = 16;
// Sources that are known to be relayed, and of those that are gone those that may come back.
constexpr std::size_t most_relayed = 10'000;

Buffer relayed_key(const Guid& source) {
    Buffer key;
    ByteWriter out(key);
    out.u8(key_relayed);
    out.bytes(to_octets(source));
    return key;
}

}  // namespace

SampleVerdict judge_sample(const rtps::ReceivedSample& sample,
                           const Guid& source,
                           const GroupKey& group) {
    SampleVerdict verdict;
    SampleMeta& meta = verdict.meta;
    meta.id = {source, sample.number};
    meta.source_timestamp = sample.source_timestamp;
    meta.payload_kind = sample.payload_kind;

    if (!sample.inline_qos.empty()) {
        const auto qos = wire::decode_inline_qos(sample.inline_qos, sample.order);
        if (!qos || qos->has_unknown_must_understand) {
            verdict.kind = SampleVerdict::Kind::malformed;
            return verdict;
        }
        if (qos->original_writer) meta.id = *qos->original_writer;
        if (group.keyed && qos->key_hash) meta.key = InstanceKey{*qos->key_hash};
        meta.related = qos->related;
        verdict.set = set_name(qos->coherent_set, qos->group_coherent_set);
        meta.lifecycle = qos->lifecycle();
        if ((qos->status_info & wire::status_filtered) != 0) {
            verdict.kind = SampleVerdict::Kind::skip;
            return verdict;
        }
    }
    // A key without a status registers an instance (OpenDDS); nothing at all ends a coherent set.
    if (meta.lifecycle == Lifecycle::data && meta.payload_kind != PayloadKind::data) {
        if (meta.payload_kind == PayloadKind::none) verdict.set.reset();
        verdict.kind = SampleVerdict::Kind::skip;
        return verdict;
    }
    if (meta.payload_kind == PayloadKind::none) return verdict;

    const auto encapsulation = wire::decode_encapsulation(sample.payload.view());
    if (!encapsulation) {
        verdict.kind = SampleVerdict::Kind::malformed;
        return verdict;
    }
    // Bytes in another representation than announced would reach readers that cannot read them, and
    // one vendor's process does not survive that (fact sheet 3.4).
    const auto representation = wire::representation_of(encapsulation->kind);
    if (!representation || *representation != group.representation) {
        verdict.kind = SampleVerdict::Kind::foreign_representation;
    }
    return verdict;
}

// --- groups ---

void Ingest::open(GroupMeta meta, bool from_store, Now now) {
    if (context_.groups.find(meta.key) != nullptr) return;
    if (context_.groups.size() >= context_.config.limits.served_groups) {
        context_.events.report(
            make_event(EventKind::ResourceLimit,
                       {{"limit", "limits.served_groups"},
                        {"topic", meta.key.topic},
                        {"value", std::to_string(context_.config.limits.served_groups)}}),
            "served_groups",
            now);
        return;
    }
    ServedGroup& group = context_.groups.add(std::move(meta));
    group.from_store = from_store;
    group.rule = find_rule(context_.config.topics,
                           group.meta.key.topic,
                           group.meta.key.type,
                           group.meta.key.partitions);
    const std::uint64_t ticket = context_.next_ticket();
    opening_[ticket] = &group;
    context_.commands.emplace_back(store::OpenGroup{ticket, group.meta});
}

ServedGroup* Ingest::on_group_opened(const store::GroupOpened& opened, Now now) {
    const auto entry = opening_.find(opened.ticket);
    if (entry == opening_.end()) {
        adopt_contract(opened, now);
        return nullptr;
    }
    ServedGroup& group = *entry->second;
    opening_.erase(entry);
    ++changes_;
    if (!opened.result) {
        group.problem = opened.result.error().text();
        context_.events.report_always(make_event(EventKind::AutoServeFailed,
                                                 {{"domain", std::to_string(context_.domain)},
                                                  {"topic", group.meta.key.topic},
                                                  {"type", group.meta.key.type},
                                                  {"reason", opened.result.error().text()}}),
                                      now);
        return nullptr;
    }
    group.meta = opened.result->meta;
    for (const store::KnownWriter& writer : opened.result->writers)
        group.stored[writer.source_writer] = writer;
    context_.groups.set_open(group, opened.result->handle);
    context_.events.report_always(
        make_event(
            group.from_store ? EventKind::ServedFromStoredMeta : EventKind::ServedFromDiscovery,
            {{"domain", std::to_string(context_.domain)},
             {"topic", group.meta.key.topic},
             {"type", group.meta.key.type},
             {"durability", std::string(name(group.meta.key.durability))},
             {"storage", std::string(name(group.meta.storage))},
             {"contract", describe(group.meta.contract)},
             {"source", std::string(name(group.meta.contract_source))}}),
        now);
    if (group.from_store) {
        // The readers must exist for writers that never noticed our absence.
        std::ignore = reader_for(group, ReliabilityKind::reliable, now);
    }
    for (auto& [guid, writer] : group.writers)
        attach(group, writer, now);
    return &group;
}

// --- writers ---

// Writers of one type name whose descriptions differ are two groups: readers may match one and not
// the other. A writer that describes no type belongs to the first.
GroupKey Ingest::key_for(const discovery::EndpointData& writer) {
    GroupKey key = group_key(writer);
    const auto information = types::decode_type_information(writer.qos.type_information);
    if (!information || !information->minimal) return key;
    const ServedGroup* first = context_.groups.find(key);
    if (first == nullptr) return key;
    const auto known = first->type_id();
    if (known && *known != *information->minimal)
        key.type_hash.assign(information->minimal->hash.begin(), information->minimal->hash.end());
    return key;
}

void Ingest::on_writer_found(const discovery::EndpointData& writer, Now now) {
    if (is_service(participant_, writer.guid.prefix, ServiceRole::replay)) return;
    GroupKey key = key_for(writer);
    const TopicRule* rule = find_rule(context_.config.topics, key.topic, key.type, key.partitions);
    const ServeVerdict verdict = judge(rule, writer.topic, writer.qos.durability);
    if (verdict != ServeVerdict::serve) {
        unserved_[writer.guid] = {writer, verdict, rule};
        attach_shadows(writer, entity::unknown, true, now);
        return;
    }
    unserved_.erase(writer.guid);
    ++changes_;
    ServedGroup* group = context_.groups.find(key);
    if (group == nullptr) {
        report_mismatch(key, writer.guid, now);
        const ResolvedContract contract =
            resolve(rule, writer.qos.durability_service, context_.config.default_contract);
        GroupMeta meta;
        meta.qos = writer.qos;
        meta.contract = contract.contract;
        meta.contract_source = contract.source;
        meta.storage = resolve_storage(rule, writer.qos.durability);
        meta.key = key;
        open(std::move(meta), false, now);
        group = context_.groups.find(key);
        if (group == nullptr) {
            unserved_[writer.guid] = {writer, verdict, rule};
            return;
        }
    }
    SourceWriter& source = group->writers[writer.guid];
    source.data = writer;
    source.source = writer.persistence_guid.value_or(writer.guid);
    context_.groups.index_writer(writer.guid, *group);
    if (group->state == ServedGroup::State::open) attach(*group, source, now);
}

void Ingest::on_writer_changed(const discovery::EndpointData& writer, Now now) {
    ServedGroup* group = context_.groups.of_writer(writer.guid);
    if (group != nullptr && group->meta.key == key_for(writer)) {
        group->writers[writer.guid].data = writer;
        return;
    }
    std::ignore = on_writer_lost(writer.guid, now);
    on_writer_found(writer, now);
}

ServedGroup* Ingest::on_writer_lost(const Guid& writer, Now now) {
    unserved_.erase(writer);
    participant_.unmatch_writer(writer);
    ServedGroup* group = context_.groups.of_writer(writer);
    if (group == nullptr) return nullptr;
    ++changes_;
    take_samples(now);  // what it still held out of order
    flush(now);
    const auto source = group->writers.find(writer);
    if (source != group->writers.end()) {
        abandon_set(*group, source->second, "its writer is gone", now);
        if (group->state == ServedGroup::State::open) {
            context_.commands.emplace_back(
                store::WriterGone{group->handle, source->second.source, now.wall});
            // Should it come back, the store has to be told.
            const auto stored = group->stored.find(source->second.source);
            if (stored != group->stored.end()) stored->second.retired = true;
        }
        const std::set<Guid> relayed = source->second.relayed.origins();
        group->writers.erase(source);
        retire_relayed(*group, relayed, now);
    }
    context_.groups.forget_writer(writer);
    last_source_ = nullptr;
    return group;
}

void Ingest::retire_absent(Now now) {
    for (const auto& [key, group] : context_.groups.all()) {
        if (group->state != ServedGroup::State::open) continue;
        for (auto& [source, stored] : group->stored) {
            if (stored.retired || group->has_writer_of(source)) continue;
            if (group->is_relayed(source)) continue;
            context_.commands.emplace_back(store::WriterGone{group->handle, source, now.wall});
            stored.retired = true;
        }
    }
}

bool Ingest::restore_relayed(store::RecordKind kind, ByteView key) {
    if (kind != store::RecordKind::identity || key.size() != guid_size + 1 ||
        key[0] != key_relayed) {
        return false;
    }
    std::array<std::uint8_t, guid_size> octets{};
    std::copy(key.begin() + 1, key.end(), octets.begin());
    if (relayed_.size() < most_relayed) relayed_.insert(guid_from_octets(octets));
    return true;
}

// Their original writers are not seen; the one who brought their samples stands for them.
void Ingest::note_relayed(ServedGroup& group,
                          SourceWriter& by,
                          SequenceNumber number,
                          const SampleId& id) {
    if (!by.relayed.add(number, id)) return;
    // What is known of its numbers says nothing about what it would send itself.
    if (!group.has_writer_of(id.writer) && relayed_.size() < most_relayed &&
        relayed_.insert(id.writer).second) {
        context_.save(store::RecordKind::identity, relayed_key(id.writer), {1});
    }
    bool was_gone = group.relayed_and_gone.erase(id.writer) != 0;
    if (const auto stored = group.stored.find(id.writer); stored != group.stored.end())
        was_gone = std::exchange(stored->second.retired, false) || was_gone;
    if (was_gone) context_.commands.emplace_back(store::WriterBack{group.handle, id.writer});
}

void Ingest::retire_relayed(ServedGroup& group, const std::set<Guid>& sources, Now now) {
    for (const Guid& source : sources) {
        if (group.has_writer_of(source) || group.is_relayed(source)) continue;
        context_.commands.emplace_back(store::WriterGone{group.handle, source, now.wall});
        if (const auto stored = group.stored.find(source); stored != group.stored.end())
            stored->second.retired = true;
        if (group.relayed_and_gone.size() < most_relayed) group.relayed_and_gone.insert(source);
    }
}

// A writer that drops an instance with its unregister names a lower last number from then on.
bool Ingest::has_dropped_its_last(const ServedGroup& group, const SourceWriter& source) const {
    if (!discovery::peer_facts(source.data.vendor).drops_unregistered) return false;
    SequenceNumber unregistered = source.last_unregister;
    SequenceNumber greatest{0};
    if (const auto stored = group.stored.find(source.source); stored != group.stored.end()) {
        unregistered = std::max(unregistered, stored->second.last_unregister);
        greatest = stored->second.last_stored;
    }
    if (const auto status = participant_.writer_status(source.data.guid))
        greatest = std::max(greatest, status->received);
    return unregistered > SequenceNumber{0} && unregistered >= greatest;
}

void Ingest::on_numbering_restarted(const Guid& writer, Now now) {
    ServedGroup* group = context_.groups.of_writer(writer);
    if (group == nullptr || group->state != ServedGroup::State::open) return;
    const auto source = group->writers.find(writer);
    if (source == group->writers.end()) return;
    if (has_dropped_its_last(*group, source->second))
        return participant_.deny_restart(writer, now.mono);
    abandon_set(*group, source->second, "its writer counts from the beginning again", now);
    source->second.sets = WriterSets{};
    flush(now);
    context_.commands.emplace_back(store::WriterRestarted{group->handle, source->second.source});
    group->stored.erase(source->second.source);
    participant_.match_writer(source->second.ingest_reader, source->second.data, {}, now.mono);
}

EntityId Ingest::reader_for(const ServedGroup& group, ReliabilityKind reliability, Now now) {
    const GroupKey& key = group.meta.key;
    const auto [description, requests] = name_reader(group, reliability);
    if (const auto known = readers_.find(description); known != readers_.end()) {
        return known->second.guid.entity;
    }

    const EntityId id = context_.claim(Side::ingest, description, reader_kind(key.keyed));
    discovery::EndpointData data;
    data.guid = {participant_.spdp().own().guid.prefix, id};
    data.participant = participant_.spdp().own().guid;
    data.vendor = vendor::own;
    data.topic = key.topic;
    data.type = key.type;
    data.qos.durability = requests;
    data.qos.reliability = reliability;
    data.qos.history = History{HistoryKind::keep_all, 1};
    data.qos.partitions = key.partitions;
    data.qos.ownership = key.ownership;
    // A writer may hint at any delay: a reader that asks for none matches only those that do not.
    data.qos.latency_budget = infinite_qos_duration;
    data.qos.representations = {representation_xcdr1, representation_xcdr2};
    participant_.add_reader(data);
    readers_.emplace(description, data);
    // Writers that are there already may match the new reader as well.
    for (const ServedGroup* other : context_.groups.of_topic(key.topic)) {
        for (const auto& [guid, writer] : other->writers) {
            if (writer.ingest_reader != entity::unknown && writer.ingest_reader != id &&
                discovery::match(writer.data, data) == discovery::MismatchReason::none) {
                participant_.match_shadow(id, writer.data, false, now.mono);
            }
        }
    }
    for (const auto& [guid, writer] : unserved_) {
        if (discovery::match(writer.data, data) == discovery::MismatchReason::none) {
            participant_.match_shadow(id, writer.data, true, now.mono);
        }
    }
    return id;
}

void Ingest::attach_shadows(const discovery::EndpointData& writer,
                            EntityId own_reader,
                            bool discard,
                            Now now) {
    for (const auto& [description, reader] : readers_) {
        if (reader.guid.entity == own_reader) continue;
        if (discovery::match(writer, reader) != discovery::MismatchReason::none) continue;
        participant_.match_shadow(reader.guid.entity, writer, discard, now.mono);
    }
}

void Ingest::attach(ServedGroup& group, SourceWriter& writer, Now now) {
    report_conflict(group, writer, now);
    writer.ingest_reader = reader_for(group, writer.data.qos.reliability, now);
    rtps::MatchOptions options;
    const auto stored = group.stored.find(writer.source);
    if (stored != group.stored.end()) {
        // Of one that others speak for, all is asked for: the store knows what it has.
        const bool is_relayed = relayed_.contains(writer.source);
        if (!is_relayed) options.resume_after = stored->second.last_stored;
        options.expects_resume = !is_relayed;
        if (stored->second.retired) {
            context_.commands.emplace_back(store::WriterBack{group.handle, writer.source});
            stored->second.retired = false;
        }
    }
    writer.sets = WriterSets{options.resume_after};
    participant_.match_writer(writer.ingest_reader, writer.data, options, now.mono);
    if (group.backlog_full) participant_.pause_writer(writer.data.guid, true);
    attach_shadows(writer.data, writer.ingest_reader, false, now);
}

void Ingest::report_conflict(const ServedGroup& group, SourceWriter& writer, Now now) {
    const auto& announced = writer.data.qos.durability_service;
    if (!announced || announced->is_default() || writer.conflict_reported) return;
    // With a rule in force nobody's announcement counts, so none conflicts.
    if (group.meta.contract_source == ContractSource::rule) return;
    const Contract theirs = resolve(nullptr, announced, context_.config.default_contract).contract;
    if (theirs == group.meta.contract) return;
    writer.conflict_reported = true;
    context_.events.report(make_event(EventKind::ConflictingDurabilityService,
                                      {{"topic", group.meta.key.topic},
                                       {"writer", to_string(writer.data.guid)},
                                       {"announced", describe(theirs)},
                                       {"in_force", describe(group.meta.contract)}}),
                           to_string(writer.data.guid),
                           now);
}

void Ingest::report_mismatch(const GroupKey& key, const Guid& writer, Now now) {
    for (const ServedGroup* other : context_.groups.of_topic(key.topic)) {
        const GroupKey& known = other->meta.key;
        if (known.type == key.type && known.keyed == key.keyed && key.type_hash.empty()) continue;
        context_.events.report(
            make_event(EventKind::TopicMetaMismatch,
                       {{"topic", key.topic},
                        {"writer", to_string(writer)},
                        {"type", key.type},
                        {"keyed", key.keyed ? "yes" : "no"},
                        {"known_type", known.type},
                        {"known_keyed", known.keyed ? "yes" : "no"},
                        {"description", key.type_hash.empty() ? "" : "another"}}),
            key.topic,
            now);
        return;
    }
}

// --- samples ---

void Ingest::take_samples(Now now) {
    std::vector<rtps::ReceivedSample>& samples = participant_.samples();
    if (samples.empty()) return;
    for (rtps::ReceivedSample& sample : samples)
        take(sample, now);
    samples.clear();
}

void Ingest::take(rtps::ReceivedSample& sample, Now now) {
    if (last_source_ == nullptr || last_writer_ != sample.writer) {
        last_group_ = context_.groups.of_writer(sample.writer);
        if (last_group_ == nullptr) return;
        const auto source = last_group_->writers.find(sample.writer);
        if (source == last_group_->writers.end()) return;
        last_writer_ = sample.writer;
        last_source_ = &source->second;
    }
    ServedGroup& group = *last_group_;
    if (sample.irrelevant) {
        if (sample.lost) {
            context_.events.report(
                make_event(
                    EventKind::SampleLost,
                    {{"topic", group.meta.key.topic},
                     {"writer", to_string(sample.writer)},
                     {"first", std::to_string(sample.first.value)},
                     {"last", std::to_string(sample.through.value)},
                     {"count", std::to_string(sample.through.value - sample.first.value + 1)}}),
                to_string(sample.writer),
                now);
        }
        // Before the mark: nothing of a set that is still to be stored may be acknowledged by it.
        sets_.on_missing(last_source_->sets);
        batch_.mark(group.handle, sample.writer, sample.through);
        return;
    }
    const SampleVerdict verdict = judge_sample(sample, last_source_->source, group.meta.key);
    if (verdict.kind == SampleVerdict::Kind::malformed ||
        verdict.kind == SampleVerdict::Kind::foreign_representation) {
        report_unusable(verdict, group, sample.writer, now);
        sets_.on_unusable(last_source_->sets, sample.number);
        batch_.mark(group.handle, sample.writer, sample.number);
        return;
    }
    if (verdict.kind == SampleVerdict::Kind::store &&
        verdict.meta.id.writer != last_source_->source) {
        note_relayed(group, *last_source_, sample.number, verdict.meta.id);
    }
    CoherentSets::Step step = sets_.on_sample(last_source_->sets, sample.number, verdict.set);
    if (step.ended) end_set(group, *last_source_, std::move(*step.ended), now);
    const bool is_held = step.fate == CoherentSets::Fate::held;
    if (verdict.kind == SampleVerdict::Kind::skip || step.fate == CoherentSets::Fate::dropped) {
        // Nothing of a set is acknowledged before all of it is stored.
        if (!is_held) batch_.mark(group.handle, sample.writer, sample.number);
        return;
    }
    SetMember member{sample.number, verdict.meta, now.wall, std::move(sample.payload)};
    if (is_held) return hold(*last_source_, group, std::move(member));
    add(group, *last_source_, std::move(member));
}

void Ingest::add(ServedGroup& group, SourceWriter& source, SetMember sample) {
    ++samples_taken_;
    if (sample.meta.lifecycle == Lifecycle::unregister ||
        sample.meta.lifecycle == Lifecycle::dispose_unregister) {
        source.last_unregister = sample.number;
    }
    const bool is_keyless = group.meta.key.keyed && !sample.meta.key && !group.types.key_plan;
    if (is_keyless && !group.types.saw_keyless &&
        (keyless_.empty() || keyless_.back().first != &group)) {
        keyless_.emplace_back(&group, source.data.guid);
    }
    if (group.is_minded) note_live(group, sample);
    batch_.add(group.handle,
               source.data.guid,
               sample.number,
               sample.meta,
               sample.received,
               std::move(sample.payload));
}

// That a writer left an instance replaces nothing.
void Ingest::note_live(ServedGroup& group, const SetMember& sample) {
    if (sample.meta.lifecycle == Lifecycle::unregister) return;
    const auto& plan = group.types.key_plan;
    const auto key =
        plan ? types::find_key(*plan, sample.meta, sample.payload.view()) : sample.meta.key;
    live_.push_back(
        {&group, instance_number(group.meta.key.keyed, key), sample.meta.source_timestamp});
}

void Ingest::report_unusable(const SampleVerdict& verdict,
                             ServedGroup& group,
                             const Guid& writer,
                             Now now) {
    const bool malformed = verdict.kind == SampleVerdict::Kind::malformed;
    context_.events.report(
        make_event(malformed ? EventKind::MalformedMessage : EventKind::SampleRejected,
                   {{"topic", group.meta.key.topic},
                    {"writer", to_string(writer)},
                    {"number", std::to_string(verdict.meta.id.number.value)},
                    {"reason",
                     malformed ? "inline QoS or encapsulation header cannot be read"
                               : "the payload is not in the representation announced"}}),
        to_string(writer),
        now);
}

void Ingest::flush(Now now) {
    open_windows(now);
    if (batch_.empty()) return;
    const std::uint64_t bound = context_.config.limits.uncommitted_bytes;
    // While the store takes no more, what comes gathers here.
    if (!context_.store_blocked) {
        context_.commands.emplace_back(store::Append{std::move(batch_)});
        batch_ = store::AppendBatch{};
        if (paused_) {
            paused_ = false;
            participant_.pause_ingest(false);
        }
        return;
    }
    if (paused_ || batch_.bytes() < bound) return;
    paused_ = true;
    participant_.pause_ingest(true);
    context_.events.report(make_event(EventKind::IngestStalled,
                                      {{"domain", std::to_string(context_.domain)},
                                       {"waiting_bytes", std::to_string(batch_.bytes())},
                                       {"limit", "limits.uncommitted_bytes"}}),
                           "ingest",
                           now);
}

void Ingest::on_backlog(const store::GroupBacklog& backlog, Now now) {
    ServedGroup* group = context_.groups.find(backlog.group);
    if (group == nullptr || group->backlog_full == backlog.full) return;
    group->backlog_full = backlog.full;
    for (const auto& [guid, writer] : group->writers)
        participant_.pause_writer(guid, backlog.full);
    if (!backlog.full) return;
    context_.events.report(make_event(EventKind::IngestStalled,
                                      {{"domain", std::to_string(context_.domain)},
                                       {"topic", group->meta.key.topic},
                                       {"limit", "limits.uncommitted_bytes"}}),
                           group->meta.key.topic,
                           now);
}

void Ingest::on_committed(const store::Committed& committed, Now now) {
    for (const store::Committed::Mark& mark : committed.marks) {
        participant_.committed(mark.transport_writer, mark.through, now.mono);
        ServedGroup* group = context_.groups.find(mark.group);
        if (group == nullptr) continue;
        const auto writer = group->writers.find(mark.transport_writer);
        if (writer == group->writers.end()) continue;
        store::KnownWriter& stored = group->stored[writer->second.source];
        stored.source_writer = writer->second.source;
        stored.last_stored = std::max(stored.last_stored, mark.through);
    }
}

}  // namespace durability::service
