// A source writer as the daemon meets them (fact sheet 4.1): one that serves its own history to
// late readers (TRANSIENT_LOCAL; Fast DDS), or one that forgets what is acknowledged and serves
// none (Cyclone DDS, TRANSIENT and PERSISTENT).
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "discovery/endpoint_data.hpp"
#include "rtps/outbox.hpp"
#include "wire/submessage.hpp"

#include <cstdint>
#include <map>
#include <set>

namespace durability::test {

class ModelWriter {
  public:
    explicit ModelWriter(discovery::EndpointData announced);

    [[nodiscard]] const Guid& guid() const { return data_.guid; }
    [[nodiscard]] const discovery::EndpointData& data() const { return data_; }
    [[nodiscard]] bool serves_history() const { return serves_history_; }

    // Returns the number of the sample.
    std::int64_t write(Now now, rtps::Outbox& out, std::size_t size = 64);
    // What is written from now on is one coherent set; end_set() ends it with an empty sample.
    void begin_set() { set_ = last_ + 1; }
    void end_set(Now now, rtps::Outbox& out);
    // A sample that another writer wrote, in its name (PID_ORIGINAL_WRITER_INFO), as a router does.
    std::int64_t relay(const SampleId& id, Now now, rtps::Outbox& out);
    [[nodiscard]] std::int64_t last() const { return last_; }
    // When each sample was written, and when the daemon acknowledged it.
    [[nodiscard]] const std::map<std::int64_t, MonoTime>& written() const { return written_; }
    [[nodiscard]] const std::map<std::int64_t, MonoTime>& kept() const { return kept_; }
    // Every matched reader has acknowledged everything.
    [[nodiscard]] bool all_acknowledged() const;
    [[nodiscard]] std::size_t matched() const { return remotes_.size(); }
    [[nodiscard]] bool matched_by(const GuidPrefix& process) const;

    void match(const discovery::EndpointData& reader,
               rtps::DestinationPtr destination,
               Now now,
               rtps::Outbox& out);
    void unmatch(const Guid& reader);
    void on_acknack(const Guid& reader, const wire::AckNack& acknack, Now now, rtps::Outbox& out);
    void tick(Now now, rtps::Outbox& out);
    [[nodiscard]] MonoTime next_deadline() const;

  private:
    struct Stored {
        Buffer payload;
        Timestamp timestamp{};
        Buffer inline_qos;
    };
    std::int64_t publish(Stored sample, Now now, rtps::Outbox& out);
    struct Remote {
        rtps::DestinationPtr destination;
        bool is_daemon{false};
        std::int64_t start{1};  // the first number it is to have
        std::int64_t base{1};   // everything below is acknowledged
        MonoTime due{MonoTime::max()};
        Duration delay{};
    };
    void send_data(const Guid& reader,
                   const Remote& remote,
                   std::int64_t number,
                   rtps::Outbox& out);
    void send_heartbeat(const Guid& reader, Remote& remote, Now now, rtps::Outbox& out);
    void forget_acknowledged();
    [[nodiscard]] std::int64_t first() const {
        return history_.empty() ? last_ + 1 : history_.begin()->first;
    }

    discovery::EndpointData data_;
    bool serves_history_;
    std::int64_t last_{0};
    std::int32_t count_{0};
    std::int64_t set_{0};  // number of the first sample of the set being written; 0: none
    std::map<std::int64_t, Stored> history_;
    std::map<std::int64_t, MonoTime> written_;
    std::map<std::int64_t, MonoTime> kept_;
    std::map<Guid, Remote> remotes_;
};

}  // namespace durability::test
