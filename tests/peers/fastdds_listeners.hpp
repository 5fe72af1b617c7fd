// What Fast DDS reports about an endpoint, passed on to its watcher.
#pragma once

#include "endpoint.hpp"
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>

#include <fmt/format.h>

namespace peer {

namespace dds = eprosima::fastdds::dds;

class WriterListener final : public dds::DataWriterListener {
  public:
    explicit WriterListener(Watcher& watcher) : watcher_(watcher) {}
    void on_publication_matched(dds::DataWriter* /*writer*/,
                                const dds::PublicationMatchedStatus& status) override {
        watcher_.matched(status.current_count, status.current_count_change);
    }
    void on_offered_incompatible_qos(dds::DataWriter* /*writer*/,
                                     const dds::OfferedIncompatibleQosStatus& status) override {
        watcher_.status(fmt::format("kind=offered_incompatible_qos policy={} total={}",
                                    status.last_policy_id,
                                    status.total_count));
    }
    void on_offered_deadline_missed(dds::DataWriter* /*writer*/,
                                    const dds::OfferedDeadlineMissedStatus& status) override {
        watcher_.status(fmt::format("kind=offered_deadline_missed total={}", status.total_count));
    }
    void on_liveliness_lost(dds::DataWriter* /*writer*/,
                            const dds::LivelinessLostStatus& status) override {
        watcher_.status(fmt::format("kind=liveliness_lost total={}", status.total_count));
    }

  private:
    Watcher& watcher_;
};

class ReaderListener final : public dds::DataReaderListener {
  public:
    explicit ReaderListener(Watcher& watcher) : watcher_(watcher) {}
    void on_data_available(dds::DataReader* /*reader*/) override { watcher_.data_available(); }
    void on_subscription_matched(dds::DataReader* /*reader*/,
                                 const dds::SubscriptionMatchedStatus& status) override {
        watcher_.matched(status.current_count, status.current_count_change);
    }
    void on_requested_deadline_missed(
        dds::DataReader* /*reader*/,
        const eprosima::fastrtps::RequestedDeadlineMissedStatus& status) override {
        watcher_.status(fmt::format("kind=requested_deadline_missed total={}", status.total_count));
    }
    void on_liveliness_changed(dds::DataReader* /*reader*/,
                               const eprosima::fastrtps::LivelinessChangedStatus& status) override {
        watcher_.status(fmt::format("kind=liveliness_changed alive={} not_alive={}",
                                    status.alive_count,
                                    status.not_alive_count));
    }
    void on_sample_rejected(dds::DataReader* /*reader*/,
                            const eprosima::fastrtps::SampleRejectedStatus& status) override {
        watcher_.status(fmt::format("kind=sample_rejected total={}", status.total_count));
    }
    void on_requested_incompatible_qos(dds::DataReader* /*reader*/,
                                       const dds::RequestedIncompatibleQosStatus& status) override {
        watcher_.status(fmt::format("kind=requested_incompatible_qos policy={} total={}",
                                    status.last_policy_id,
                                    status.total_count));
    }
    void on_sample_lost(dds::DataReader* /*reader*/, const dds::SampleLostStatus& status) override {
        watcher_.status(fmt::format("kind=sample_lost total={}", status.total_count));
    }

  private:
    Watcher& watcher_;
};

}  // namespace peer
