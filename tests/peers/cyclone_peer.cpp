// peer_cyclone: the test peer on an unmodified Cyclone DDS.
#include "cyclone_types.hpp"
#include "endpoint.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include <dds/dds.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv

namespace peer {
namespace {

// Long enough for a daemon that restarts while a writer waits for it on a full history, short
// enough that a test which hangs says why.
constexpr dds_duration_t max_blocking = DDS_SECS(60);

// On an address that others may have been told of, Cyclone listens at the ports of the standard.
std::string configuration(const Options& options) {
    const bool is_told = !options.address.empty();
    return fmt::format(
        "<CycloneDDS><Domain Id=\"any\"><General><Interfaces>"
        "<NetworkInterface {} multicast=\"true\"/>"
        "</Interfaces><AllowMulticast>true</AllowMulticast></General>"
        "<Discovery><ParticipantIndex>{}</ParticipantIndex></Discovery>"
        "<Internal><GenerateKeyhash>{}</GenerateKeyhash></Internal></Domain></CycloneDDS>",
        is_told ? fmt::format("address=\"{}\"", options.address) : "name=\"lo\"",
        is_told ? "auto" : "none",
        options.key_hashes);
}

dds_entity_t need(dds_entity_t entity, std::string_view what) {
    if (entity < 0) fail(exit_middleware, fmt::format("{}: {}", what, dds_strretcode(entity)));
    return entity;
}

dds_duration_t duration(std::chrono::milliseconds ms) {
    return DDS_MSECS(ms.count());
}

dds_durability_kind_t kind_of(Durability durability) {
    switch (durability) {
        case Durability::volatile_kind:
            return DDS_DURABILITY_VOLATILE;
        case Durability::transient_local:
            return DDS_DURABILITY_TRANSIENT_LOCAL;
        case Durability::transient:
            return DDS_DURABILITY_TRANSIENT;
        case Durability::persistent:
            return DDS_DURABILITY_PERSISTENT;
    }
    return DDS_DURABILITY_VOLATILE;
}

dds_history_kind_t kind_of(HistoryKind kind) {
    return kind == HistoryKind::keep_all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST;
}

dds_liveliness_kind_t kind_of(LivelinessKind kind) {
    switch (kind) {
        case LivelinessKind::automatic:
            return DDS_LIVELINESS_AUTOMATIC;
        case LivelinessKind::manual_by_participant:
            return DDS_LIVELINESS_MANUAL_BY_PARTICIPANT;
        case LivelinessKind::manual_by_topic:
            return DDS_LIVELINESS_MANUAL_BY_TOPIC;
    }
    return DDS_LIVELINESS_AUTOMATIC;
}

dds_presentation_access_scope_kind_t kind_of(AccessScope scope) {
    switch (scope) {
        case AccessScope::instance:
            return DDS_PRESENTATION_INSTANCE;
        case AccessScope::topic:
            return DDS_PRESENTATION_TOPIC;
        case AccessScope::group:
            return DDS_PRESENTATION_GROUP;
    }
    return DDS_PRESENTATION_INSTANCE;
}

class Qos {
  public:
    Qos() : qos_(dds_create_qos()) {}
    Qos(const Qos&) = delete;
    Qos& operator=(const Qos&) = delete;
    ~Qos() { dds_delete_qos(qos_); }
    dds_qos_t* get() const { return qos_; }

  private:
    dds_qos_t* qos_;
};

class Listener {
  public:
    explicit Listener(Watcher& watcher) : listener_(dds_create_listener(&watcher)) {}
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { dds_delete_listener(listener_); }
    dds_listener_t* get() const { return listener_; }

  private:
    dds_listener_t* listener_;
};

Watcher& watcher_of(void* argument) {
    return *static_cast<Watcher*>(argument);
}

void fill_common(const Options& options, Durability durability, dds_qos_t* qos) {
    dds_qset_durability(qos, kind_of(durability));
    dds_qset_reliability(qos,
                         options.reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
                         max_blocking);
    dds_qset_history(qos, kind_of(options.history.kind), options.history.depth);
    dds_qset_ownership(qos, options.exclusive ? DDS_OWNERSHIP_EXCLUSIVE : DDS_OWNERSHIP_SHARED);
    dds_qset_destination_order(qos,
                               options.by_source ? DDS_DESTINATIONORDER_BY_SOURCE_TIMESTAMP
                                                 : DDS_DESTINATIONORDER_BY_RECEPTION_TIMESTAMP);
    if (!options.user_data.empty()) {
        dds_qset_userdata(qos, options.user_data.data(), options.user_data.size());
    }
    if (options.deadline) dds_qset_deadline(qos, duration(*options.deadline));
    if (options.latency_budget) dds_qset_latency_budget(qos, duration(*options.latency_budget));
    if (options.liveliness_lease) {
        dds_qset_liveliness(qos, kind_of(options.liveliness), duration(*options.liveliness_lease));
    }
    if (options.representation != Representation::vendor_default) {
        const dds_data_representation_id_t id = options.representation == Representation::xcdr1
                                                    ? DDS_DATA_REPRESENTATION_XCDR1
                                                    : DDS_DATA_REPRESENTATION_XCDR2;
        dds_qset_data_representation(qos, 1, &id);
    }
}

// Publisher and subscriber carry the group's policies.
void fill_group(const Options& options, dds_qos_t* qos) {
    dds_qset_presentation(qos, kind_of(options.access_scope), false, options.ordered_access);
    if (!options.group_data.empty()) {
        dds_qset_groupdata(qos, options.group_data.data(), options.group_data.size());
    }
    if (options.partitions.empty()) return;
    std::vector<const char*> names;
    for (const auto& name : options.partitions)
        names.push_back(name.c_str());
    dds_qset_partition(qos, static_cast<std::uint32_t>(names.size()), names.data());
}

void fill_writer(const Options& options, dds_qos_t* qos) {
    fill_common(options, options.durability, qos);
    dds_qset_writer_data_lifecycle(qos, options.autodispose);
    if (options.exclusive) dds_qset_ownership_strength(qos, options.ownership_strength);
    if (options.lifespan) dds_qset_lifespan(qos, duration(*options.lifespan));
    if (!options.durability_service) return;
    const auto& service = *options.durability_service;
    const dds_duration_t cleanup_delay =
        std::isinf(service.cleanup_delay_s)
            ? DDS_INFINITY
            : static_cast<dds_duration_t>(service.cleanup_delay_s * 1e9);
    dds_qset_durability_service(qos,
                                cleanup_delay,
                                kind_of(service.history.kind),
                                service.history.depth,
                                service.max_samples,
                                service.max_instances,
                                service.max_samples_per_instance);
}

class CycloneParticipant final : public Participant {
  public:
    explicit CycloneParticipant(const Options& options)
        : options_(options), type_(find_cyclone_type(options.type)) {
        if (options.loopback || !options.address.empty()) {
            ::setenv("CYCLONEDDS_URI", configuration(options).c_str(), 0);
        }
        participant_ =
            need(dds_create_participant(options.domain, nullptr, nullptr), "create participant");
        // Applies to the domains that exist, so only now; writers created from here on batch.
        if (options.batch) dds_write_set_batch(true);
        const Qos qos;
        if (!options.topic_data.empty()) {
            dds_qset_topicdata(qos.get(), options.topic_data.data(), options.topic_data.size());
        }
        auto descriptor = descriptor_of(type_, options.type_information);
        if (!options.type_name.empty()) descriptor.m_typename = options.type_name.c_str();
        topic_ = need(
            dds_create_topic(participant_, &descriptor, options.topic.c_str(), qos.get(), nullptr),
            "create topic");
    }
    ~CycloneParticipant() override { dds_delete(participant_); }

    std::unique_ptr<Writer> create_writer(Watcher& watcher) override;
    std::unique_ptr<Reader> create_reader(Durability durability, Watcher& watcher) override;

  private:
    const Options& options_;
    const CycloneType& type_;
    dds_entity_t participant_{};
    dds_entity_t topic_{};
};

void listen_to_writer(dds_listener_t* listener) {
    dds_lset_publication_matched(
        listener, [](dds_entity_t, const dds_publication_matched_status_t status, void* arg) {
            watcher_of(arg).matched(static_cast<std::int32_t>(status.current_count),
                                    status.current_count_change);
        });
    dds_lset_offered_incompatible_qos(
        listener, [](dds_entity_t, const dds_offered_incompatible_qos_status_t status, void* arg) {
            watcher_of(arg).status(fmt::format("kind=offered_incompatible_qos policy={} total={}",
                                               status.last_policy_id,
                                               status.total_count));
        });
    dds_lset_offered_deadline_missed(
        listener, [](dds_entity_t, const dds_offered_deadline_missed_status_t status, void* arg) {
            watcher_of(arg).status(
                fmt::format("kind=offered_deadline_missed total={}", status.total_count));
        });
    dds_lset_liveliness_lost(
        listener, [](dds_entity_t, const dds_liveliness_lost_status_t status, void* arg) {
            watcher_of(arg).status(
                fmt::format("kind=liveliness_lost total={}", status.total_count));
        });
}

void listen_to_reader(dds_listener_t* listener) {
    dds_lset_subscription_matched(
        listener, [](dds_entity_t, const dds_subscription_matched_status_t status, void* arg) {
            watcher_of(arg).matched(static_cast<std::int32_t>(status.current_count),
                                    status.current_count_change);
        });
    dds_lset_data_available(listener,
                            [](dds_entity_t, void* arg) { watcher_of(arg).data_available(); });
    dds_lset_requested_incompatible_qos(
        listener,
        [](dds_entity_t, const dds_requested_incompatible_qos_status_t status, void* arg) {
            watcher_of(arg).status(fmt::format("kind=requested_incompatible_qos policy={} total={}",
                                               status.last_policy_id,
                                               status.total_count));
        });
    dds_lset_requested_deadline_missed(
        listener, [](dds_entity_t, const dds_requested_deadline_missed_status_t status, void* arg) {
            watcher_of(arg).status(
                fmt::format("kind=requested_deadline_missed total={}", status.total_count));
        });
    dds_lset_liveliness_changed(
        listener, [](dds_entity_t, const dds_liveliness_changed_status_t status, void* arg) {
            watcher_of(arg).status(fmt::format("kind=liveliness_changed alive={} not_alive={}",
                                               status.alive_count,
                                               status.not_alive_count));
        });
    dds_lset_sample_lost(
        listener, [](dds_entity_t, const dds_sample_lost_status_t status, void* arg) {
            watcher_of(arg).status(fmt::format("kind=sample_lost total={}", status.total_count));
        });
    dds_lset_sample_rejected(
        listener, [](dds_entity_t, const dds_sample_rejected_status_t status, void* arg) {
            watcher_of(arg).status(
                fmt::format("kind=sample_rejected total={}", status.total_count));
        });
}

std::unique_ptr<Writer> CycloneParticipant::create_writer(Watcher& watcher) {
    const Qos group;
    fill_group(options_, group.get());
    const dds_entity_t publisher =
        need(dds_create_publisher(participant_, group.get(), nullptr), "create publisher");
    const Qos qos;
    fill_writer(options_, qos.get());
    const Listener listener(watcher);
    listen_to_writer(listener.get());
    const dds_entity_t writer =
        need(dds_create_writer(publisher, topic_, qos.get(), listener.get()), "create writer");
    return type_.make_writer(writer);
}

std::unique_ptr<Reader> CycloneParticipant::create_reader(Durability durability, Watcher& watcher) {
    const Qos group;
    fill_group(options_, group.get());
    const dds_entity_t subscriber =
        need(dds_create_subscriber(participant_, group.get(), nullptr), "create subscriber");
    const Qos qos;
    fill_common(options_, durability, qos.get());
    const Listener listener(watcher);
    listen_to_reader(listener.get());
    const dds_entity_t reader =
        need(dds_create_reader(subscriber, topic_, qos.get(), listener.get()), "create reader");
    return type_.make_reader(reader);
}

}  // namespace
}  // namespace peer

int main(int argc, char** argv) {
    return peer::run_peer(argc, argv, [](const peer::Options& options) {
        return std::make_unique<peer::CycloneParticipant>(options);
    });
}
