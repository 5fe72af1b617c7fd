#include "discovery/spdp.hpp"

#include "discovery/departure.hpp"
#include "discovery/locator_choice.hpp"
#include "model/rtps_time.hpp"
#include "wire/parameter_id.hpp"

#include <algorithm>
#include <array>

namespace durability::discovery {
namespace {

// Metatraffic for a participant that names no locator for it goes where its other data goes.
std::vector<Locator> metatraffic_of(const ParticipantData& data,
                                    const std::optional<Locator>& came_from,
                                    std::span<const Locator> current = {}) {
    auto chosen =
        choose_locators(data.metatraffic_unicast, data.metatraffic_multicast, came_from, current);
    if (chosen.empty()) {
        chosen = choose_locators(data.default_unicast, data.default_multicast, came_from, current);
    }
    return chosen;
}

// And the other way round.
std::vector<Locator> user_of(const ParticipantData& data,
                             const std::optional<Locator>& came_from,
                             std::span<const Locator> current = {}) {
    auto chosen = choose_locators(data.default_unicast, data.default_multicast, came_from, current);
    if (chosen.empty()) {
        chosen = choose_locators(
            data.metatraffic_unicast, data.metatraffic_multicast, came_from, current);
    }
    return chosen;
}

}  // namespace

Spdp::Spdp(ParticipantData own, SpdpOptions options)
    : own_(std::move(own)),
      options_(std::move(options)),
      announcement_(encode_participant(own_)),
      everybody_(std::make_shared<rtps::Destination>(
          rtps::Destination{unknown_prefix, options_.announce_to, vendor::unknown})),
      next_number_(options_.first_number) {}

void Spdp::ignore(GuidPrefix prefix) {
    ignored_.push_back(prefix);
}

bool Spdp::is_ignored(GuidPrefix prefix) const {
    return prefix == own_.guid.prefix || prefix == unknown_prefix ||
           std::find(ignored_.begin(), ignored_.end(), prefix) != ignored_.end();
}

bool Spdp::restore(const ParticipantData& data, MonoTime now) {
    const GuidPrefix prefix = data.guid.prefix;
    if (is_ignored(prefix) || find(prefix) != nullptr || !is_for_us(data, prefix)) return false;
    const RemoteParticipant* remote = add(data, data.vendor, std::nullopt, now);
    if (remote == nullptr) return false;
    events_.push_back(ParticipantFound{remote->data, remote->metatraffic, remote->user, true});
    return true;
}

void Spdp::start(MonoTime now, rtps::Outbox& outbox) {
    announce_soon(now);
    next_directed_ = now;
    tick(now, outbox);
}

Duration Spdp::period() const {
    const Duration lease = to_duration(own_.lease);
    const Duration wanted =
        std::clamp<Duration>(lease / 10, std::chrono::seconds{1}, std::chrono::seconds{3});
    return std::max<Duration>(std::min<Duration>(wanted, lease / 3), std::chrono::milliseconds{10});
}

void Spdp::on_data(const wire::ReceiverState& from,
                   const std::optional<Locator>& came_from,
                   const wire::Data& data,
                   MonoTime now,
                   rtps::Outbox& outbox) {
    if (data.writer != entity::spdp_writer || is_ignored(from.source)) return;
    const auto qos = wire::decode_inline_qos(data.inline_qos, data.order);
    if (!qos) {
        events_.push_back(MalformedAnnouncement{{from.source, data.writer}, qos.error()});
        return;
    }
    if (qos->has_unknown_must_understand) return;
    if (is_departure(*qos)) {
        on_departure(from, *qos, data);
        return;
    }
    if (data.has_data) on_announcement(from, came_from, data, now, outbox);
}

void Spdp::on_announcement(const wire::ReceiverState& from,
                           const std::optional<Locator>& came_from,
                           const wire::Data& data,
                           MonoTime now,
                           rtps::Outbox& outbox) {
    auto decoded = decode_participant(data.payload, options_.string_limits, from.source_vendor);
    if (!decoded) {
        events_.push_back(MalformedAnnouncement{{from.source, data.writer}, decoded.error()});
        return;
    }
    if (!is_for_us(*decoded, from.source)) return;
    const auto known = participants_.find(from.source);
    if (known != participants_.end()) {
        const bool was_confirmed = std::exchange(known->second.confirmed, true);
        update(known->second, std::move(*decoded), came_from, now);
        // It may have been away when start() addressed it.
        if (!was_confirmed) {
            send(known->second.metatraffic, {}, announcement_, PayloadKind::data, outbox);
            known->second.found = now;
            schedule_greeting(known->second);
        }
        return;
    }
    RemoteParticipant* remote = add(std::move(*decoded), from.source_vendor, came_from, now);
    if (remote == nullptr) return;
    remote->confirmed = true;
    schedule_greeting(*remote);
    // The answer that is not waited for saves the other side up to a period (fact sheet 12.6). It
    // is given to directed messages too; no loop, because only the first message finds somebody
    // new.
    send(remote->metatraffic, {}, announcement_, PayloadKind::data, outbox);
    events_.push_back(ParticipantFound{remote->data, remote->metatraffic, remote->user, false});
}

// Nobody takes leave for somebody else (R8.3).
void Spdp::on_departure(const wire::ReceiverState& from,
                        const wire::InlineQos& qos,
                        const wire::Data& data) {
    const auto key =
        departed_guid(qos, data.payload_kind(), data.payload, wire::pid::participant_guid);
    if (!key) {
        events_.push_back(MalformedAnnouncement{{from.source, data.writer}, key.error()});
        return;
    }
    if (*key == Guid{from.source, entity::participant}) remove(from.source, LossReason::disposed);
}

bool Spdp::is_for_us(const ParticipantData& data, GuidPrefix source) const {
    if (data.guid.prefix != source) return false;
    // Absent counts as equal (fact sheet 1.2).
    if (data.domain_id && own_.domain_id && *data.domain_id != *own_.domain_id) return false;
    return data.domain_tag == own_.domain_tag;
}

RemoteParticipant* Spdp::add(ParticipantData data,
                             VendorId vendor,
                             const std::optional<Locator>& came_from,
                             MonoTime now) {
    const GuidPrefix prefix = data.guid.prefix;
    if (participants_.size() >= options_.max_participants) {
        events_.push_back(LimitReached{DiscoveryLimit::remote_participants, data.guid});
        return nullptr;
    }
    auto metatraffic = metatraffic_of(data, came_from);
    // Nothing to answer to: Cyclone DDS and Fast DDS ignore such a participant as well.
    if (metatraffic.empty()) {
        note_unreachable(data, vendor, now);
        return nullptr;
    }
    std::erase_if(unreachable_, [&](const auto& one) { return one.guid == data.guid; });

    RemoteParticipant remote;
    remote.metatraffic = std::make_shared<rtps::Destination>(
        rtps::Destination{prefix, std::move(metatraffic), vendor});
    remote.user = std::make_shared<rtps::Destination>(
        rtps::Destination{prefix, user_of(data, came_from), vendor});
    remote.data = std::move(data);
    remote.heard = now;
    remote.found = now;
    RemoteParticipant& added = participants_.emplace(prefix, std::move(remote)).first->second;
    schedule_lease(prefix, added);
    return &added;
}

void Spdp::note_unreachable(const ParticipantData& data, VendorId vendor, MonoTime now) {
    constexpr std::size_t most_remembered = 16;
    std::erase_if(unreachable_,
                  [&](const auto& one) { return one.guid == data.guid || one.until < now; });
    if (unreachable_.size() >= most_remembered) unreachable_.erase(unreachable_.begin());
    const Duration lease = std::min(to_duration(data.lease), options_.longest_lease);
    unreachable_.push_back({data.guid, vendor, data.entity_name, after(now, lease)});
}

std::vector<UnreachableParticipant> Spdp::unreachable(MonoTime now) const {
    std::vector<UnreachableParticipant> result = unreachable_;
    std::erase_if(result, [now](const auto& one) { return one.until < now; });
    return result;
}

void Spdp::update(RemoteParticipant& remote,
                  ParticipantData data,
                  const std::optional<Locator>& came_from,
                  MonoTime now) {
    remote.heard = now;
    if (data == remote.data) return;
    auto metatraffic = metatraffic_of(data, came_from, remote.metatraffic->locators);
    auto user = user_of(data, came_from, remote.user->locators);
    // Announcing no address at all would only make it unreachable; the old ones stay.
    if (!metatraffic.empty()) remote.metatraffic->locators = std::move(metatraffic);
    if (!user.empty()) remote.user->locators = std::move(user);
    remote.data = std::move(data);
    const GuidPrefix prefix = remote.data.guid.prefix;
    lease_checks_.erase({remote.checked_at, prefix});
    schedule_lease(prefix, remote);
    events_.push_back(ParticipantChanged{remote.data});
}

void Spdp::remove(GuidPrefix prefix, LossReason reason) {
    const auto found = participants_.find(prefix);
    if (found == participants_.end()) return;
    lease_checks_.erase({found->second.checked_at, prefix});
    cancel_greeting(found->second);
    participants_.erase(found);
    events_.push_back(ParticipantLost{prefix, reason});
}

Duration Spdp::lease_of(const RemoteParticipant& remote) const {
    return std::clamp(
        to_duration(remote.data.lease), options_.shortest_lease, options_.longest_lease);
}

void Spdp::schedule_lease(GuidPrefix prefix, RemoteParticipant& remote) {
    remote.checked_at = after(remote.heard, lease_of(remote));
    lease_checks_.emplace(remote.checked_at, prefix);
}

void Spdp::renew(GuidPrefix prefix, MonoTime now, Addressed addressed) {
    const auto found = participants_.find(prefix);
    if (found == participants_.end()) return;
    RemoteParticipant& remote = found->second;
    remote.heard = std::max(remote.heard, now);
    if (addressed != Addressed::us || remote.knows_us) return;
    remote.knows_us = true;
    cancel_greeting(remote);
}

void Spdp::schedule_greeting(RemoteParticipant& remote) {
    cancel_greeting(remote);
    if (remote.knows_us || remote.greetings >= options_.greet_again_after.size()) return;
    remote.greet_at = after(remote.found, options_.greet_again_after[remote.greetings]);
    greetings_.emplace(remote.greet_at, remote.data.guid.prefix);
}

void Spdp::cancel_greeting(RemoteParticipant& remote) {
    greetings_.erase({remote.greet_at, remote.data.guid.prefix});
}

void Spdp::greet_again(MonoTime now, rtps::Outbox& outbox) {
    while (!greetings_.empty() && greetings_.begin()->first <= now) {
        RemoteParticipant& remote = participants_.at(greetings_.begin()->second);
        send(remote.metatraffic, {}, announcement_, PayloadKind::data, outbox);
        ++remote.greetings;
        schedule_greeting(remote);
    }
}

void Spdp::expire_leases(MonoTime now) {
    while (!lease_checks_.empty() && lease_checks_.begin()->first <= now) {
        const GuidPrefix prefix = lease_checks_.begin()->second;
        RemoteParticipant& remote = participants_.at(prefix);
        if (after(remote.heard, lease_of(remote)) <= now) {
            remove(prefix, LossReason::lease_expired);
        } else {
            lease_checks_.erase(lease_checks_.begin());
            schedule_lease(prefix, remote);
        }
    }
}

void Spdp::tick(MonoTime now, rtps::Outbox& outbox) {
    expire_leases(now);
    greet_again(now, outbox);
    if (next_announcement_ <= now) {
        announce(outbox);
        if (initial_left_ > 0) --initial_left_;
        next_announcement_ = after(now, initial_left_ > 0 ? options_.initial_period : period());
    }
    if (next_directed_ <= now) {
        announce_to_all_known(outbox);
        next_directed_ = after(now, std::max<Duration>(to_duration(own_.lease) / 3, period()));
    }
}

MonoTime Spdp::next_deadline() const {
    const MonoTime lease = lease_checks_.empty() ? MonoTime::max() : lease_checks_.begin()->first;
    const MonoTime greeting = greetings_.empty() ? MonoTime::max() : greetings_.begin()->first;
    return std::min({lease, greeting, next_announcement_, next_directed_});
}

std::optional<SpdpEvent> Spdp::next_event() {
    if (events_.empty()) return std::nullopt;
    SpdpEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
}

void Spdp::announce_soon(MonoTime now) {
    initial_left_ = options_.initial_announcements;
    next_announcement_ = now;
}

void Spdp::set_own(ParticipantData own, MonoTime now) {
    own_ = std::move(own);
    announcement_ = encode_participant(own_);
    announce_soon(now);
    next_directed_ = now;
}

void Spdp::set_announce_to(std::vector<Locator> locators, MonoTime now) {
    options_.announce_to = std::move(locators);
    everybody_ = std::make_shared<rtps::Destination>(
        rtps::Destination{unknown_prefix, options_.announce_to, vendor::unknown});
    announce_soon(now);
}

// Without INFO_DST: Cyclone DDS does not answer a directed announcement (fact sheet 1.3).
void Spdp::announce(rtps::Outbox& outbox) {
    if (options_.announce_to.empty()) return;
    send(everybody_, {}, announcement_, PayloadKind::data, outbox);
}

// Whoever found us through its own peer list need not hear our multicast; without other traffic
// between us it would lose us at the end of the lease.
void Spdp::announce_to_all_known(rtps::Outbox& outbox) {
    for (const auto& [prefix, remote] : participants_) {
        send(remote.metatraffic, {}, announcement_, PayloadKind::data, outbox);
    }
}

void Spdp::send(const rtps::DestinationPtr& destination,
                ByteView inline_qos,
                ByteView payload,
                PayloadKind kind,
                rtps::Outbox& outbox) {
    wire::DataFields fields;
    fields.reader = entity::spdp_reader;
    fields.writer = entity::spdp_writer;
    fields.number = next_number_;
    fields.inline_qos = inline_qos;
    fields.payload = payload;
    fields.payload_kind = kind;
    ++next_number_;
    outbox.data(destination, fields, invalid_timestamp);
}

void Spdp::goodbye(rtps::Outbox& outbox) {
    const Buffer inline_qos = encode_departure(own_.guid);
    const Buffer key = encode_participant_key(own_.guid);
    if (!options_.announce_to.empty()) send(everybody_, inline_qos, key, PayloadKind::key, outbox);
    for (const auto& [prefix, remote] : participants_) {
        send(remote.metatraffic, inline_qos, key, PayloadKind::key, outbox);
    }
    next_announcement_ = MonoTime::max();
    next_directed_ = MonoTime::max();
    greetings_.clear();
}

const RemoteParticipant* Spdp::find(GuidPrefix prefix) const {
    const auto found = participants_.find(prefix);
    return found == participants_.end() ? nullptr : &found->second;
}

}  // namespace durability::discovery
