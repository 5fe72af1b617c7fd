#include "sim/application.hpp"

#include "discovery/matching.hpp"
#include "wire/message_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace durability::test {
namespace {

using namespace std::chrono_literals;

wire::Header header_of(const GuidPrefix& prefix, VendorId vendor) {
    wire::Header header;
    header.vendor = vendor;
    header.prefix = prefix;
    return header;
}

discovery::ParticipantData participant_data(const GuidPrefix& prefix,
                                            VendorId vendor,
                                            const Locator& own) {
    discovery::ParticipantData data;
    data.guid = {prefix, entity::participant};
    data.vendor = vendor;
    data.metatraffic_unicast = {own};
    data.default_unicast = {own};
    // It describes no types.
    data.builtin_endpoints =
        discovery::builtin_endpoint::own & ~discovery::builtin_endpoint::type_lookup;
    data.lease = {10, 0};
    data.domain_id = 0;
    return data;
}

discovery::SpdpOptions spdp_options(const Locator& group) {
    discovery::SpdpOptions options;
    options.announce_to = {group};
    return options;
}

}  // namespace

std::string AppReader::numbers_of(const Guid& writer) const {
    std::string text;
    for (const Delivered& sample : received) {
        if (sample.id.writer != writer || sample.is_empty) continue;
        text += fmt::format("{}{}", text.empty() ? "" : " ", sample.id.number.value);
    }
    return text;
}

Application::Application(GuidPrefix prefix, VendorId vendor, Locator own, Locator group, Now now)
    : prefix_(prefix),
      vendor_(vendor),
      locator_(own),
      out_(header_of(prefix, vendor)),
      spdp_(participant_data(prefix, vendor, own), spdp_options(group)),
      sedp_(prefix, {}) {
    spdp_.start(now.mono, out_);
}

void Application::announce_shared_memory_only(Now now) {
    Locator shared_memory;
    shared_memory.kind = static_cast<std::int32_t>(LocatorKind::shared_memory);
    shared_memory.port = 7412;
    spdp_.set_own(participant_data(prefix_, vendor_, shared_memory), now.mono);
}

discovery::EndpointData Application::announce(const EndpointChoice& choice, EntityId id) {
    discovery::EndpointData data;
    data.guid = {prefix_, id};
    data.participant = {prefix_, entity::participant};
    data.topic = choice.topic;
    data.type = "Text";
    data.vendor = vendor_;
    data.qos.durability = choice.durability;
    data.qos.reliability = choice.reliability;
    data.qos.history = {HistoryKind::keep_all, 1};
    if (choice.depth > 0) data.qos.history = {HistoryKind::keep_last, choice.depth};
    data.qos.presentation.coherent_access = choice.coherent;
    sedp_.announce(data);
    return data;
}

ModelWriter& Application::create_writer(const EndpointChoice& choice, Now now) {
    const EntityId id{(next_entity_++ << 8U) |
                      static_cast<std::uint32_t>(EntityKind::writer_no_key)};
    writers_.push_back(std::make_unique<ModelWriter>(announce(choice, id)));
    for (const auto& [guid, reader] : sedp_.readers())
        on_reader(reader, now);
    return *writers_.back();
}

AppReader& Application::create_reader(const EndpointChoice& choice, Now now) {
    const EntityId id{(next_entity_++ << 8U) |
                      static_cast<std::uint32_t>(EntityKind::reader_no_key)};
    readers_.push_back(std::make_unique<AppReader>());
    AppReader& reader = *readers_.back();
    reader.data = announce(choice, id);
    reader.created = now.mono;
    if (!shares_proxies()) {
        rtps::ReaderOptions options;
        options.ack = rtps::AckPolicy::on_receipt;
        reader.own = std::make_unique<rtps::StatefulReader>(id, options);
    }
    for (const auto& [guid, writer] : sedp_.writers())
        join(reader, writer, now);
    return reader;
}

void Application::delete_reader(AppReader& reader) {
    sedp_.retract(reader.data.guid.entity);
    reader.deleted = true;
    reader.own.reset();
    for (auto& [guid, proxy] : proxies_)
        proxy.remove_reader(reader.data.guid);
}

rtps::DestinationPtr Application::destination(const GuidPrefix& prefix) const {
    const discovery::RemoteParticipant* remote = spdp_.find(prefix);
    return remote == nullptr ? nullptr : remote->user;
}

void Application::on_reader(const discovery::EndpointData& reader, Now now) {
    const auto to = destination(reader.guid.prefix);
    if (to == nullptr) return;
    for (const auto& writer : writers_) {
        if (discovery::match(writer->data(), reader) != discovery::MismatchReason::none) continue;
        writer->match(reader, to, now, out_);
    }
}

void Application::on_writer(const discovery::EndpointData& writer, Now now) {
    for (const auto& reader : readers_)
        join(*reader, writer, now);
}

void Application::join(AppReader& reader, const discovery::EndpointData& writer, Now now) {
    const auto to = destination(writer.guid.prefix);
    if (to == nullptr || reader.deleted) return;
    if (discovery::match(writer, reader.data) != discovery::MismatchReason::none) return;
    if (reader.own) {
        reader.own->match(writer.guid, to, {}, now.mono);
        return;
    }
    const bool own_kind = writer.vendor == vendor::eclipse;
    auto proxy = proxies_.try_emplace(writer.guid, writer.guid, to, own_kind).first;
    const bool transient_local = reader.data.qos.durability == DurabilityKind::transient_local;
    proxy->second.add_reader(reader.data.guid, transient_local, &reader.received, now);
}

void Application::on_gone(const Guid& endpoint) {
    for (const auto& writer : writers_)
        writer->unmatch(endpoint);
    for (const auto& reader : readers_) {
        if (reader->own) reader->own->unmatch(endpoint);
    }
    proxies_.erase(endpoint);
}

void Application::receive(ByteView datagram, const Locator& from, Now now) {
    wire::MessageReader message(datagram);
    if (!message.header() || message.header()->prefix == prefix_) return;
    while (auto submessage = message.next()) {
        if (!*submessage) return;
        const wire::ReceiverState& state = message.state();
        if (state.destination != unknown_prefix && state.destination != prefix_) continue;
        spdp_.renew(state.source,
                    now.mono,
                    state.destination == prefix_ ? discovery::Addressed::us
                                                 : discovery::Addressed::everybody);
        dispatch(**submessage, state, from, now);
        collect(now);
    }
}

void Application::dispatch(const wire::Submessage& submessage,
                           const wire::ReceiverState& state,
                           const Locator& from,
                           Now now) {
    const auto is_sedp = [](const auto& part) {
        return discovery::Sedp::concerns(part.reader, part.writer);
    };
    const auto readers_for = [&](EntityId id, auto action) {
        for (const auto& reader : readers_) {
            if (reader->own && (id == entity::unknown || id == reader->data.guid.entity))
                action(*reader);
        }
    };
    if (const auto* data = std::get_if<wire::Data>(&submessage)) {
        if (data->writer == entity::spdp_writer)
            return spdp_.on_data(state, from, *data, now.mono, out_);
        if (is_sedp(*data)) return sedp_.on_data(state, *data, now.mono);
        const Guid writer{state.source, data->writer};
        if (const auto proxy = proxies_.find(writer); proxy != proxies_.end()) {
            proxy->second.on_data(
                data->number,
                to_delivered(writer, data->number, data->inline_qos, data->order, data->payload));
        }
        readers_for(data->reader, [&](AppReader& reader) {
            reader.own->on_data(writer, *data, state.timestamp, now.mono, samples_);
            take_received(reader);
        });
    } else if (const auto* fragment = std::get_if<wire::DataFrag>(&submessage)) {
        if (is_sedp(*fragment)) return sedp_.on_data_frag(state, *fragment, now.mono);
        readers_for(fragment->reader, [&](AppReader& reader) {
            reader.own->on_data_frag(
                {state.source, fragment->writer}, *fragment, state.timestamp, now.mono, samples_);
            take_received(reader);
        });
    } else if (const auto* heartbeat = std::get_if<wire::Heartbeat>(&submessage)) {
        if (is_sedp(*heartbeat)) return sedp_.on_heartbeat(state, *heartbeat, now.mono, out_);
        const Guid writer{state.source, heartbeat->writer};
        if (const auto proxy = proxies_.find(writer); proxy != proxies_.end())
            proxy->second.on_heartbeat(*heartbeat, now, out_);
        readers_for(heartbeat->reader, [&](AppReader& reader) {
            reader.own->on_heartbeat(writer, *heartbeat, now.mono, out_, samples_);
            take_received(reader);
        });
    } else if (const auto* gap = std::get_if<wire::Gap>(&submessage)) {
        if (is_sedp(*gap)) return sedp_.on_gap(state, *gap, now.mono);
        const Guid writer{state.source, gap->writer};
        if (const auto proxy = proxies_.find(writer); proxy != proxies_.end())
            proxy->second.on_gap(*gap);
        readers_for(gap->reader, [&](AppReader& reader) {
            reader.own->on_gap(writer, *gap, now.mono, samples_);
            take_received(reader);
        });
    } else if (const auto* acknack = std::get_if<wire::AckNack>(&submessage)) {
        if (is_sedp(*acknack)) return sedp_.on_acknack(state, *acknack, now.mono, out_);
        for (const auto& writer : writers_) {
            if (writer->guid().entity == acknack->writer)
                writer->on_acknack({state.source, acknack->reader}, *acknack, now, out_);
        }
    } else if (const auto* hb_frag = std::get_if<wire::HeartbeatFrag>(&submessage)) {
        if (is_sedp(*hb_frag)) sedp_.on_heartbeat_frag(state, *hb_frag, now.mono, out_);
    } else if (const auto* nack_frag = std::get_if<wire::NackFrag>(&submessage)) {
        if (is_sedp(*nack_frag)) sedp_.on_nack_frag(state, *nack_frag, now.mono, out_);
    }
}

void Application::take_received(AppReader& reader) {
    for (const rtps::ReceivedSample& sample : samples_) {
        if (sample.irrelevant) continue;
        reader.received.push_back(to_delivered(
            sample.writer, sample.number, sample.inline_qos, sample.order, sample.payload.view()));
    }
    samples_.clear();
}

void Application::collect(Now now) {
    while (auto event = spdp_.next_event()) {
        if (auto* found = std::get_if<discovery::ParticipantFound>(&*event)) {
            sedp_.add_participant(*found, now.mono, out_);
        } else if (auto* changed = std::get_if<discovery::ParticipantChanged>(&*event)) {
            sedp_.change_participant(changed->data, now.mono, out_);
        } else if (auto* lost = std::get_if<discovery::ParticipantLost>(&*event)) {
            sedp_.remove_participant(lost->prefix, lost->reason);
        }
    }
    while (auto event = sedp_.next_event()) {
        if (auto* writer = std::get_if<discovery::WriterFound>(&*event))
            on_writer(writer->data, now);
        if (auto* reader = std::get_if<discovery::ReaderFound>(&*event))
            on_reader(reader->data, now);
        if (auto* gone = std::get_if<discovery::WriterLost>(&*event)) on_gone(gone->guid);
        if (auto* left = std::get_if<discovery::ReaderLost>(&*event)) on_gone(left->guid);
    }
}

void Application::turn(Now now) {
    if (spdp_.next_deadline() <= now.mono) spdp_.tick(now.mono, out_);
    collect(now);
    if (sedp_.next_deadline() <= now.mono) sedp_.tick(now.mono, out_);
    for (const auto& writer : writers_)
        writer->tick(now, out_);
    for (auto& [guid, proxy] : proxies_)
        proxy.tick(now, out_);
    for (const auto& reader : readers_) {
        if (!reader->own) continue;
        reader->own->tick(now.mono, out_, samples_);
        take_received(*reader);
    }
    collect(now);
}

MonoTime Application::next_deadline() const {
    MonoTime due = std::min(spdp_.next_deadline(), sedp_.next_deadline());
    for (const auto& writer : writers_)
        due = std::min(due, writer->next_deadline());
    for (const auto& [guid, proxy] : proxies_)
        due = std::min(due, proxy.next_deadline());
    for (const auto& reader : readers_) {
        if (reader->own) due = std::min(due, reader->own->next_deadline());
    }
    return due;
}

}  // namespace durability::test
