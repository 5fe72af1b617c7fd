// peer_fastdds: the test peer on an unmodified Fast DDS.
#include "endpoint.hpp"
#include "fastdds_listeners.hpp"
#include "fastdds_types.hpp"
#include "output.hpp"
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>

#include <fmt/format.h>

#include <cmath>
#include <random>

#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

namespace peer {
namespace {

namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastrtps::Duration_t;
using eprosima::fastrtps::types::ReturnCode_t;

Duration_t duration(std::chrono::milliseconds ms) {
    const auto count = ms.count();
    return Duration_t(static_cast<std::int32_t>(count / 1000),
                      static_cast<std::uint32_t>(count % 1000) * 1'000'000U);
}

// Set as in cyclone_peer.cpp, for the same reason.
const Duration_t max_blocking(60, 0);

template <class T>
T* need(T* entity, std::string_view what) {
    if (entity == nullptr) fail(exit_middleware, fmt::format("{}: refused", what));
    return entity;
}

dds::DurabilityQosPolicyKind kind_of(Durability durability) {
    switch (durability) {
        case Durability::volatile_kind:
            return dds::VOLATILE_DURABILITY_QOS;
        case Durability::transient_local:
            return dds::TRANSIENT_LOCAL_DURABILITY_QOS;
        case Durability::transient:
            return dds::TRANSIENT_DURABILITY_QOS;
        case Durability::persistent:
            return dds::PERSISTENT_DURABILITY_QOS;  // refused by Fast DDS 2.9
    }
    return dds::VOLATILE_DURABILITY_QOS;
}

dds::HistoryQosPolicyKind kind_of(HistoryKind kind) {
    return kind == HistoryKind::keep_all ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
}

dds::LivelinessQosPolicyKind kind_of(LivelinessKind kind) {
    switch (kind) {
        case LivelinessKind::automatic:
            return dds::AUTOMATIC_LIVELINESS_QOS;
        case LivelinessKind::manual_by_participant:
            return dds::MANUAL_BY_PARTICIPANT_LIVELINESS_QOS;
        case LivelinessKind::manual_by_topic:
            return dds::MANUAL_BY_TOPIC_LIVELINESS_QOS;
    }
    return dds::AUTOMATIC_LIVELINESS_QOS;
}

dds::PresentationQosPolicyAccessScopeKind kind_of(AccessScope scope) {
    switch (scope) {
        case AccessScope::instance:
            return dds::INSTANCE_PRESENTATION_QOS;
        case AccessScope::topic:
            return dds::TOPIC_PRESENTATION_QOS;
        case AccessScope::group:
            return dds::GROUP_PRESENTATION_QOS;
    }
    return dds::INSTANCE_PRESENTATION_QOS;
}

// A persistence GUID must be new for each endpoint unless the caller wants to resume one: a reader
// that returns under an old one is not given again what it had.
std::string random_guid() {
    std::random_device random;
    std::string text;
    for (int i = 0; i < 16; ++i) {
        if (i > 0) text += i == 12 ? '|' : '.';
        text += fmt::format("{:02x}", random() & 0xffU);
    }
    return text;
}

// Without these Fast DDS refuses TRANSIENT endpoints.
void fill_persistence(const Options& options, rtps::PropertySeq& properties) {
    properties.emplace_back("dds.persistence.plugin", "builtin.SQLITE3");
    properties.emplace_back("dds.persistence.sqlite3.filename", options.persistence_file);
    properties.emplace_back(
        "dds.persistence.guid",
        options.persistence_guid.empty() ? random_guid() : options.persistence_guid);
}

std::vector<rtps::octet> octets(const std::string& text) {
    return {text.begin(), text.end()};
}

// Qos is DataWriterQos or DataReaderQos.
template <class Qos>
void fill_common(const Options& options, Durability durability, Qos& qos) {
    qos.durability().kind = kind_of(durability);
    qos.reliability().kind =
        options.reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
    qos.reliability().max_blocking_time = max_blocking;
    qos.history().kind = kind_of(options.history.kind);
    qos.history().depth = options.history.depth;
    // Zero is "no limit" in all three; LENGTH_UNLIMITED makes a 2.9 writer refuse the first
    // instance.
    qos.resource_limits().max_samples = 0;
    qos.resource_limits().max_instances = 0;
    qos.resource_limits().max_samples_per_instance = 0;
    // With the dynamic policies a reader never accepts a dispose that comes without a payload, and
    // asks for it again and again.
    qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    qos.ownership().kind =
        options.exclusive ? dds::EXCLUSIVE_OWNERSHIP_QOS : dds::SHARED_OWNERSHIP_QOS;
    qos.destination_order().kind = options.by_source
                                       ? dds::BY_SOURCE_TIMESTAMP_DESTINATIONORDER_QOS
                                       : dds::BY_RECEPTION_TIMESTAMP_DESTINATIONORDER_QOS;
    if (!options.user_data.empty()) qos.user_data().data_vec(octets(options.user_data));
    if (options.deadline) qos.deadline().period = duration(*options.deadline);
    if (options.latency_budget) qos.latency_budget().duration = duration(*options.latency_budget);
    if (options.liveliness_lease) {
        qos.liveliness().kind = kind_of(options.liveliness);
        qos.liveliness().lease_duration = duration(*options.liveliness_lease);
        qos.liveliness().announcement_period = duration(*options.liveliness_lease / 3);
    }
    if (durability == Durability::transient && !options.persistence_file.empty()) {
        fill_persistence(options, qos.properties().properties());
    }
    if (options.representation == Representation::xcdr2) {
        fail(exit_unsupported, "Fast DDS 2.9 has no XCDR2");
    }
}

// Qos is PublisherQos or SubscriberQos.
template <class Qos>
void fill_group(const Options& options, Qos& qos) {
    qos.presentation().access_scope = kind_of(options.access_scope);
    qos.presentation().ordered_access = options.ordered_access;
    for (const auto& name : options.partitions)
        qos.partition().push_back(name.c_str());
    if (!options.group_data.empty()) qos.group_data().data_vec(octets(options.group_data));
}

void fill_durability_service(const DurabilityService& from, dds::DurabilityServiceQosPolicy& to) {
    to.history_kind = kind_of(from.history.kind);
    to.history_depth = from.history.depth;
    to.max_samples = from.max_samples;
    to.max_instances = from.max_instances;
    to.max_samples_per_instance = from.max_samples_per_instance;
    to.service_cleanup_delay = std::isinf(from.cleanup_delay_s)
                                   ? eprosima::fastrtps::c_TimeInfinite
                                   : duration(std::chrono::milliseconds(
                                         static_cast<std::int64_t>(from.cleanup_delay_s * 1000)));
}

std::string refusal(ReturnCode_t code) {
    return code == ReturnCode_t::RETCODE_OK ? std::string() : fmt::format("code {}", code());
}

// A value of a type that only the type itself can make, read and destroy.
class Sample {
  public:
    explicit Sample(FastType& type) : type_(type), data_(type.createData()) {}
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
    ~Sample() { type_.deleteData(data_); }
    void* data() { return data_; }
    FastType& type() { return type_; }

  private:
    FastType& type_;
    void* data_;
};

class FastWriter final : public Writer {
  public:
    FastWriter(dds::Publisher* publisher,
               dds::Topic* topic,
               FastType& type,
               const dds::DataWriterQos& qos,
               Watcher& watcher)
        : sample_(type),
          publisher_(publisher),
          listener_(watcher),
          writer_(need(publisher->create_datawriter(topic, qos, &listener_), "create writer")) {}
    ~FastWriter() override { publisher_->delete_datawriter(writer_); }

    std::string write(std::uint32_t id,
                      std::uint32_t seq,
                      std::span<const std::uint8_t> payload) override {
        sample_.type().fill(sample_.data(), id, seq, payload);
        return writer_->write(sample_.data()) ? std::string() : std::string("refused or timed out");
    }
    std::string dispose(std::uint32_t id) override {
        sample_.type().fill(sample_.data(), id, 0, {});
        return refusal(writer_->dispose(sample_.data(), dds::HANDLE_NIL));
    }
    std::string write_dispose(std::uint32_t /*id*/,
                              std::uint32_t /*seq*/,
                              std::span<const std::uint8_t> /*payload*/) override {
        fail(exit_unsupported, "Fast DDS 2.9 has no write-dispose");
    }
    std::string unregister(std::uint32_t id) override {
        sample_.type().fill(sample_.data(), id, 0, {});
        return refusal(writer_->unregister_instance(sample_.data(), dds::HANDLE_NIL));
    }
    void flush() override {}
    bool wait_acks(std::chrono::milliseconds timeout) override {
        return writer_->wait_for_acknowledgments(duration(timeout)) == ReturnCode_t::RETCODE_OK;
    }

  private:
    Sample sample_;
    dds::Publisher* publisher_;
    WriterListener listener_;
    dds::DataWriter* writer_;
};

std::string_view name(dds::InstanceStateKind state) {
    switch (state) {
        case dds::ALIVE_INSTANCE_STATE:
            return "alive";
        case dds::NOT_ALIVE_DISPOSED_INSTANCE_STATE:
            return "disposed";
        case dds::NOT_ALIVE_NO_WRITERS_INSTANCE_STATE:
            return "no_writers";
    }
    return "unknown";
}

std::string hex(const rtps::GUID_t& guid) {
    std::string text;
    for (const auto octet : guid.guidPrefix.value)
        text += fmt::format("{:02x}", octet);
    for (const auto octet : guid.entityId.value)
        text += fmt::format("{:02x}", octet);
    return text;
}

class FastReader final : public Reader {
  public:
    FastReader(dds::Subscriber* subscriber,
               dds::Topic* topic,
               FastType& type,
               const dds::DataReaderQos& qos,
               Watcher& watcher)
        : sample_(type),
          subscriber_(subscriber),
          listener_(watcher),
          reader_(need(subscriber->create_datareader(topic, qos, &listener_), "create reader")) {}
    ~FastReader() override { subscriber_->delete_datareader(reader_); }

    void take(const std::function<void(const Received&)>& each) override {
        dds::SampleInfo info;
        while (reader_->take_next_sample(sample_.data(), &info) == ReturnCode_t::RETCODE_OK) {
            Received received;
            received.valid = info.valid_data;
            if (info.valid_data) {
                sample_.type().read(sample_.data(), received);
            } else {
                received.id = sample_.type().id_of(info.instance_handle);
            }
            received.source_ns = info.source_timestamp.to_ns();
            received.state = name(info.instance_state);
            const auto& guid = info.sample_identity.writer_guid();
            if (guid != publication_) {
                publication_ = guid;
                publication_text_ = hex(guid);
            }
            received.publication = publication_text_;
            each(received);
        }
    }

  private:
    Sample sample_;
    dds::Subscriber* subscriber_;
    ReaderListener listener_;
    dds::DataReader* reader_;
    rtps::GUID_t publication_;
    std::string publication_text_;
};

dds::DomainParticipantQos participant_qos(const Options& options) {
    dds::DomainParticipantQos qos = dds::PARTICIPANT_QOS_DEFAULT;
    qos.name("peer_fastdds");
    if (!options.loopback && options.address.empty()) return qos;
    // UDP on one address only. Shared memory would carry the data past the network under test.
    auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back(options.address.empty() ? "127.0.0.1" : options.address);
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    return qos;
}

class FastParticipant final : public Participant {
  public:
    explicit FastParticipant(const Options& options)
        : options_(options), own_type_(make_fast_type(options.type).release()), type_(own_type_) {
        // Before the middleware can refuse: an exit status of its own tells a test to skip the
        // cell.
        std::ignore = kind_of(options.durability);
        auto* factory = dds::DomainParticipantFactory::get_instance();
        participant_ =
            need(factory->create_participant(
                     options.domain, participant_qos(options), nullptr, dds::StatusMask::none()),
                 "create participant");
        if (!options.type_name.empty()) own_type_->setName(options.type_name.c_str());
        if (type_.register_type(participant_) != ReturnCode_t::RETCODE_OK) {
            fail(exit_middleware, "register type: refused");
        }
        dds::TopicQos qos = dds::TOPIC_QOS_DEFAULT;
        if (!options.topic_data.empty()) qos.topic_data().data_vec(octets(options.topic_data));
        topic_ = need(participant_->create_topic(options.topic, type_.get_type_name(), qos),
                      "create topic");
    }
    ~FastParticipant() override {
        participant_->delete_contained_entities();
        dds::DomainParticipantFactory::get_instance()->delete_participant(participant_);
    }

    std::unique_ptr<Writer> create_writer(Watcher& watcher) override {
        dds::PublisherQos group = dds::PUBLISHER_QOS_DEFAULT;
        fill_group(options_, group);
        auto* publisher = need(participant_->create_publisher(group), "create publisher");
        dds::DataWriterQos qos = dds::DATAWRITER_QOS_DEFAULT;
        fill_common(options_, options_.durability, qos);
        qos.writer_data_lifecycle().autodispose_unregistered_instances = options_.autodispose;
        if (options_.exclusive) {
            qos.ownership_strength().value =
                static_cast<std::uint32_t>(options_.ownership_strength);
        }
        if (options_.lifespan) qos.lifespan().duration = duration(*options_.lifespan);
        if (options_.durability_service) {
            fill_durability_service(*options_.durability_service, qos.durability_service());
        }
        return std::make_unique<FastWriter>(publisher, topic_, *own_type_, qos, watcher);
    }

    std::unique_ptr<Reader> create_reader(Durability durability, Watcher& watcher) override {
        dds::SubscriberQos group = dds::SUBSCRIBER_QOS_DEFAULT;
        fill_group(options_, group);
        auto* subscriber = need(participant_->create_subscriber(group), "create subscriber");
        dds::DataReaderQos qos = dds::DATAREADER_QOS_DEFAULT;
        fill_common(options_, durability, qos);
        return std::make_unique<FastReader>(subscriber, topic_, *own_type_, qos, watcher);
    }

  private:
    const Options& options_;
    FastType* own_type_;  // belongs to type_
    dds::TypeSupport type_;
    dds::DomainParticipant* participant_{};
    dds::Topic* topic_{};
};

}  // namespace
}  // namespace peer

int main(int argc, char** argv) {
    return peer::run_peer(argc, argv, [](const peer::Options& options) {
        return std::make_unique<peer::FastParticipant>(options);
    });
}
