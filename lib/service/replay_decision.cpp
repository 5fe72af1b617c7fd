// What a late reader is owed: gathered from the store and from living writers, decided, recorded.
#include "discovery/peer_facts.hpp"
#include "service/replay.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

// Entries of one page of the index: bounds what one answer of the store holds. Small enough for the
// allocator to use the same memory again for every page.
constexpr std::size_t list_page = 2'000;
// Readers of one Cyclone DDS process that do not ask for history get one run in common when they
// appear within this time; a later one cannot be served (fact sheet 12.2).
constexpr Duration common_run_delay = std::chrono::milliseconds{10};

constexpr std::string_view cure_of_late_comer =
    "let it request TRANSIENT_LOCAL, or set compatibility.spdp_vendor: cyclonedds";

bool asks_for_history(const discovery::EndpointData& reader) {
    return discovery::reader_pulls_history(reader.vendor, reader.qos.durability);
}

}  // namespace

bool Replay::can_be_reached(const Key& key, const Late& late) const {
    if (context_.config.compatibility.spdp_vendor == SpdpVendor::cyclonedds) return true;
    if (asks_for_history(late.data)) return true;
    if (!discovery::peer_facts(late.data.vendor).shares_proxy_writer) return true;
    const rtps::ReplayWriter* writer = replay_.replay_writer(key.first);
    return writer != nullptr && !writer->process_contacted(key.second.prefix);
}

void Replay::gather(const Key& key, Late& late, Now now) {
    late.frontier = Frontier{key.second, key.first, 0, 0};
    if (const auto known = frontiers_.find(key); known != frontiers_.end()) {
        late.frontier = known->second;
        late.known_before = true;
        if (late.frontier.is_settled()) {
            serve_nothing(key, late, "has everything it was owed", now);
            return;
        }
    } else if (!can_be_reached(key, late) && !is_of_other(late, now)) {
        context_.events.report(
            make_event(EventKind::ReaderCannotBeServed,
                       {{"topic", late.data.topic},
                        {"reader", to_string(late.data.guid)},
                        {"requests", std::string(name(late.data.qos.durability))},
                        {"reason", "another reader of its process was served before"},
                        {"cure", std::string(cure_of_late_comer)}}),
            to_string(late.data.guid),
            now);
        late.cure = cure_of_late_comer;
        serve_nothing(key, late, "another reader of its process was served before", now);
        return;
    }
    late.phase = Phase::gathering;
    gathering_.insert(key);
    // Readers that do not ask for history share the first run of their process.
    const bool collect =
        !asks_for_history(late.data) && discovery::peer_facts(late.data.vendor).shares_proxy_writer;
    late.not_before = collect ? after(now.mono, common_run_delay) : now.mono;
    if (discovery::peer_facts(late.data.vendor).shares_proxy_writer) {
        wait_for_company(key, late);
        // Its siblings may have begun before it was known.
        if (asks_for_history(late.data) && all_ask(key))
            replay_.expect_single_reader(key.first, key.second.prefix);
    }
    mind(key, late);
    list(key, late, late.known_before ? late.frontier.unsettled_from() : 0);
    probe_writers(late, now);
    proceed(key, late, now);
}

// A reader that asks for history must not start the run that others of its process wait to share.
void Replay::wait_for_company(const Key& key, Late& late) {
    for (const Key& other : gathering_) {
        if (other.first != key.first || other.second.prefix != key.second.prefix) continue;
        late.not_before = std::max(late.not_before, late_.at(other).not_before);
    }
}

void Replay::list(const Key& key, Late& late, Arrival from) {
    store::ListSamples command;
    command.ticket = context_.next_ticket();
    command.group = late.group->handle;
    command.from = from;
    // The first page says where the history of a new reader ends.
    command.to = late.frontier.matched != 0 ? late.frontier.matched : store::max_arrival;
    command.max_entries = list_page;
    tickets_[command.ticket] = key;
    context_.commands.emplace_back(command);
    late.page_pending = true;
}

void Replay::probe_writers(Late& late, Now now) {
    late.probes_until = after(now.mono, context_.config.replay.handover_window);
    for (const auto& [guid, writer] : late.group->writers)
        probe(late, writer, now);
}

void Replay::probe(Late& late, const SourceWriter& writer, Now now) {
    if (discovery::match(writer.data, late.data) != discovery::MismatchReason::none) return;
    const discovery::PeerFacts facts = discovery::peer_facts(late.data.vendor);
    ProbedWriter& probed = late.probed[writer.data.guid];
    // Who serves late readers itself, and whom: a Cyclone DDS reader that does not ask takes
    // history from writers of its own vendor only (fact sheet 4.4, 5.5).
    probed.serves = discovery::serves_own_history(writer.data.vendor, writer.data.qos.durability) &&
                    writer.data.qos.reliability == ReliabilityKind::reliable &&
                    late.data.qos.reliability == ReliabilityKind::reliable &&
                    (asks_for_history(late.data) || writer.data.vendor == late.data.vendor ||
                     !facts.shares_proxy_writer);
    probed.source = writer.source;
    probed.vendor = writer.data.vendor;
    probed.resolved = !probed.serves;
    if (probed.serves) ingest_.probe_writer(writer.data.guid, now.mono);
}

// Until when a writer that lived when the daemon went may still be met again; a process that was
// heard since is given as long again to announce its writers.
MonoTime Replay::awaits_returning_until(const Late& late) const {
    MonoTime until = MonoTime::min();
    for (const auto& [source, stored] : late.group->stored) {
        if (stored.retired || late.group->has_writer_of(source)) continue;
        const discovery::RemoteParticipant* owner = ingest_.spdp().find(source.prefix);
        if (owner == nullptr) continue;
        const Duration more =
            owner->confirmed ? context_.config.replay.handover_window : Duration{};
        until = std::max(until, after(returning_until_, more));
    }
    return until;
}

std::unordered_map<Guid, LivingShare> Replay::shares(const Late& late) const {
    std::unordered_map<Guid, LivingShare> result;
    for (const auto& [guid, probed] : late.probed) {
        LivingShare& share = result[probed.source];
        if (!probed.serves) continue;
        share.history = probed.share;
        share.drops_unregistered = discovery::peer_facts(probed.vendor).drops_unregistered;
        share.operations_understood =
            discovery::understands_operations(late.data.vendor, probed.vendor);
        const auto writer = late.group->writers.find(guid);
        if (writer == late.group->writers.end()) continue;
        // What it wrote since it answered, before the reader came, is in its history too.
        if (const auto status = ingest_.writer_status(guid))
            share.history.last = std::max(share.history.last, status->received);
        for (const auto& [origin, numbers] : writer->second.relayed.within(share.history))
            result[origin].relayed.push_back({numbers, probed.source});
    }
    return result;
}

// The first page of the list is here.
bool Replay::heard_of_history(const Late& late) {
    return late.listed || !late.retained.empty();
}

Replay::Wait Replay::waits_for(const Late& late, Now now) const {
    if (late.phase == Phase::saving) return Wait::store;
    if (late.phase == Phase::watching) return Wait::promised;
    if (late.phase != Phase::gathering) return Wait::nothing;
    if (late.decision) return Wait::store;
    if (late.group->types.is_awaited()) return Wait::type;
    if (!late.known_by_peer) return late.tentative ? Wait::agreement : Wait::announcement;
    if (now.mono < late.left_until) return Wait::other_service;
    if (now.mono < late.not_before) return Wait::company;
    if (now.mono < awaits_returning_until(late)) return Wait::returning_writers;
    const bool asking =
        std::ranges::any_of(late.probed, [](const auto& entry) { return !entry.second.resolved; });
    if (asking && now.mono < late.probes_until) return Wait::living_writers;
    return heard_of_history(late) ? Wait::nothing : Wait::store;
}

bool Replay::can_decide(Late& late, Now now) const {
    if (waits_for(late, now) != Wait::nothing) return false;
    for (auto& [guid, probed] : late.probed) {
        if (probed.resolved) continue;
        // It did not answer within the handover window: it is dead, and the daemon speaks for it.
        probed.resolved = true;
        probed.serves = false;
    }
    return true;
}

// Nobody waits for others longer than they may wait for a writer that does not answer.
MonoTime Replay::company_until(const Late& late) const {
    return after(late.probes_until, context_.config.replay.handover_window);
}

std::vector<Replay::Key> Replay::company(const Key& key, const Late& late) const {
    if (!discovery::peer_facts(late.data.vendor).shares_proxy_writer) return {key};
    std::vector<Key> members;
    auto at = gathering_.lower_bound({key.first, Guid{key.second.prefix, entity::unknown}});
    for (;
         at != gathering_.end() && at->first == key.first && at->second.prefix == key.second.prefix;
         ++at) {
        const Late& other = late_.at(*at);
        if (!other.decision && other.probes_until <= company_until(late)) members.push_back(*at);
    }
    return members;
}

void Replay::begin_round(const std::vector<Key>& members, Now now) {
    const auto round = std::make_shared<Round>();
    round->open = round->undecided = {members.begin(), members.end()};
    for (const Key& key : members) {
        Late& late = late_.at(key);
        late.round = round;
        late.is_ours = true;
        DecisionBasis& decision = late.decision.emplace();
        decision.reader.wants_history = late.wants_history;
        decision.reader.matched_arrival = late.frontier.matched;
        decision.reader.frontier = late.frontier.acknowledged;
        decision.reader.unsettled = late.frontier.open;
        decision.reader.latest_arrival_wins = latest_arrival_wins(late.data);
        decision.living = shares(late);
        decision.time = now.wall;
    }
}

// Once everything is known: decide, page by page where that is possible; make the frontier survive;
// then deliver.
void Replay::proceed(const Key& key, Late& late, Now now) {
    if (late.phase != Phase::gathering) return;
    if (late.decision) return decide_on_page(key, late, now);
    if (is_left_to_other(key, late, now)) return;
    if (!can_decide(late, now)) return;
    std::vector<Key> members = company(key, late);
    if (now.mono < company_until(late)) {
        for (const Key& other : members) {
            if (!can_decide(late_.at(other), now)) return;
        }
    } else {
        members = {key};
    }
    begin_round(members, now);
    for (const Key& member : members)
        decide_on_page(member, late_.at(member), now);
}

void Replay::decide_on_page(const Key& key, Late& late, Now now) {
    // The store looks for the next page while this one is worked through.
    if (!late.listed && !late.page_pending) list(key, late, late.retained.back().arrival + 1);
    const DecisionBasis& decision = *late.decision;
    if (!late.listed && needs_whole_history(decision.reader, decision.living)) return;
    decide({late.retained,
            late.group->meta.qos.lifespan,
            decision.reader,
            decision.living,
            decision.time},
           late.result);
    late.retained.clear();
    if (!late.listed) return;
    late.retained = {};
    gathering_.erase(key);
    if (had_its_share(late, now)) take_share_for_sent(late);
    if (late.is_open()) watch(key, late, now);
    if (!late.result.owed.empty() || !late.is_open()) {
        late.phase = Phase::saving;
        return note_decided(key, late.round, now);
    }
    // Nothing is shown to it as long as there may be nothing to show.
    late.phase = Phase::watching;
    leave_round(key, late, false, now);
}

// When the last reader of the round is decided on, all get their numbers: what is left open comes
// after everything that any of them is owed, and nothing is numbered twice. A reader of Cyclone DDS
// takes what is sent to another one of its process, and would deliver a sample under each of its
// numbers (fact sheet 12.2, Race).
void Replay::note_decided(const Key& key, const std::shared_ptr<Round>& round, Now now) {
    round->undecided.erase(key);
    if (!round->undecided.empty() || round->open.empty()) return;
    std::vector<Key> members(round->open.begin(), round->open.end());
    std::vector<ArrivalRange> owed;
    std::vector<ArrivalRange> open;
    for (const Key& member : members) {
        const Late& late = late_.at(member);
        owed.insert(owed.end(), late.result.owed.begin(), late.result.owed.end());
        const std::vector<ArrivalRange> tail = late.tail();
        open.insert(open.end(), tail.begin(), tail.end());
    }
    owed = merge(std::move(owed));
    open = merge(std::move(open));
    // What is left open for one and owed to another has to be numbered twice: then for the former,
    // and last.
    const auto is_apart = [&](const Key& member) {
        return !overlap(owed, late_.at(member).tail());
    };
    const auto twice = std::stable_partition(members.begin(), members.end(), is_apart);
    if (members.size() > 1) {
        const std::span<const ArrivalRange> tail(open.data(),
                                                 twice == members.end() ? open.size() : 0);
        replay_.number_history(key.first, key.second.prefix, owed, tail);
    }
    for (const Key& member : members)
        save_frontier(member, late_.at(member), now);
}

std::vector<ArrivalRange> Replay::Late::tail() const {
    std::vector<ArrivalRange> open = fallen_due;
    open.insert(open.end(), result.deferred.begin(), result.deferred.end());
    for (const auto& [source, ranges] : result.promised)
        open.insert(open.end(), ranges.begin(), ranges.end());
    return merge(std::move(open));
}

// What is sent must be known to have been sent by the next run of the daemon; so the record goes
// first.
void Replay::save_frontier(const Key& key, Late& late, Now now) {
    late.phase = Phase::saving;
    const std::vector<ArrivalRange> open = late.tail();
    // Nothing owed is as good as acknowledged: what a living writer gave it must not be given
    // again by a later run, when that writer is gone.
    if (late.result.owed.empty() && open.empty()) {
        late.frontier.acknowledged = late.frontier.matched;
        late.frontier.open.clear();
    }
    const bool ends_sets = late.data.qos.presentation.coherent_access &&
                           !discovery::peer_facts(late.data.vendor).ignores_coherent_sets;
    replay_.prepare_history(key.first, key.second, late.result.owed, open, ends_sets);
    const rtps::ReplayWriter* writer = replay_.replay_writer(key.first);
    const auto* numbers = writer == nullptr ? nullptr : writer->numbers(key.second.prefix);
    if (numbers != nullptr && !late.result.owed.empty()) {
        context_.save(store::RecordKind::frontier,
                      numbers_key(key.first, key.second.prefix),
                      encode(*numbers));
    }
    store::SaveRecord command;
    command.ticket = context_.next_ticket();
    command.kind = store::RecordKind::frontier;
    command.key = frontier_key(key.second, key.first);
    command.value = encode(late.frontier);
    tickets_[command.ticket] = key;
    context_.commands.emplace_back(std::move(command));
    remember(key, late.frontier);
    if (late.is_open()) watch(key, late, now);
}

// At the limit the oldest one is forgotten, of a reader that is not there if possible: should it
// come back, it is a new reader.
void Replay::remember(const Key& key, const Frontier& frontier) {
    if (!frontiers_.contains(key) && frontiers_.size() >= context_.config.limits.frontiers) {
        const auto age = [&](const auto& entry) {
            return std::pair(late_.contains(entry.first), entry.second.matched);
        };
        const auto oldest = std::ranges::min_element(frontiers_, {}, age);
        erase_frontier(oldest->first);
        frontiers_.erase(oldest);
    }
    frontiers_[key] = frontier;
}

void Replay::erase_frontier(const Key& key) {
    context_.erase(store::RecordKind::frontier, frontier_key(key.second, key.first));
}

void Replay::on_record_saved(const store::RecordSaved& saved, Now now) {
    const auto entry = take_ticket(saved.ticket);
    if (entry == late_.end() || entry->second.phase != Phase::saving) return;
    auto& [key, late] = *entry;
    // A record that could not be written costs at most duplicates after the next restart; the
    // history itself must not wait for the disk.
    if (late.round) return leave_round(key, late, true, now);
    begin(key, late, false, now);
}

// Ordered by replay writer, then by reader: those of one process stand together.
Replay::Siblings Replay::of_process(const Key& key) const {
    constexpr EntityId above_all{~std::uint32_t{0}};
    const GuidPrefix& process = key.second.prefix;
    return {late_.lower_bound({key.first, Guid{process, entity::unknown}}),
            late_.upper_bound({key.first, Guid{process, above_all}})};
}

// Whether an empty HEARTBEAT may be left out for a process: readers that do not ask for history
// need one, and to others it says that their history ends there.
bool Replay::all_ask(const Key& key) const {
    return std::ranges::all_of(of_process(key), [](const auto& entry) {
        return !entry.second.wants_history || asks_for_history(entry.second.data);
    });
}

// Others of its process are still being looked at, and all of them begin by themselves.
bool Replay::others_wait(const Key& key) const {
    return all_ask(key) && std::ranges::any_of(of_process(key), [&](const auto& entry) {
               const Late& late = entry.second;
               return entry.first != key && late.wants_history &&
                      (late.phase == Phase::gathering || late.phase == Phase::watching);
           });
}

void Replay::begin(const Key& key, Late& late, bool singly, Now now) {
    late.phase = late.result.owed.empty() && !late.is_open() ? Phase::delivered : Phase::serving;
    replay_.begin_history(key.first, key.second, now.mono, singly || others_wait(key));
    late.result.owed = {};
    if (late.phase == Phase::delivered) mind_no_more(key, late);
}

void Replay::leave_round(const Key& key, Late& late, bool ready, Now now) {
    const std::shared_ptr<Round> round = std::exchange(late.round, nullptr);
    if (!round) return;
    round->open.erase(key);
    if (ready) round->ready.push_back(key);
    // It may have been the one the others waited for to be decided on.
    if (round->undecided.contains(key)) note_decided(key, round, now);
    std::erase_if(round->ready, [this](const Key& member) { return !late_.contains(member); });
    if (!round->open.empty() || round->ready.empty()) return;
    const std::vector<ArrivalRange> first = late_.at(round->ready.front()).result.owed;
    const bool uneven = std::ranges::any_of(
        round->ready, [&](const Key& member) { return late_.at(member).result.owed != first; });
    for (const Key& member : round->ready)
        begin(member, late_.at(member), uneven, now);
}

void Replay::on_listed(store::SamplesListed& listed, Now now) {
    const auto entry = take_ticket(listed.ticket);
    if (entry == late_.end() || entry->second.phase != Phase::gathering) return;
    auto& [key, late] = *entry;
    late.page_pending = false;
    late.listed = !listed.more || listed.samples.empty();
    if (late.frontier.matched == 0) late.frontier.matched = listed.last_arrival;
    if (late.retained.empty()) {
        late.retained = std::move(listed.samples);
    } else {
        late.retained.insert(late.retained.end(), listed.samples.begin(), listed.samples.end());
    }
    proceed(key, late, now);
}

}  // namespace durability::service
