// A simulated application process: one RTPS participant with writers and readers that behave like
// those of a vendor. Discovery and Fast-DDS-like readers are the machines of lib/, driven by hand;
// writers and Cyclone-DDS-like readers are models of their own, after the fact sheet (4.1, 12.1).
#pragma once

#include "sim/cyclone_proxy.hpp"
#include "sim/model_writer.hpp"
#include "sim/sample.hpp"

#include "base/time.hpp"
#include "discovery/sedp.hpp"
#include "discovery/spdp.hpp"
#include "rtps/outbox.hpp"
#include "rtps/stateful_reader.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace durability::test {

struct EndpointChoice {
    std::string topic{"chatter"};
    DurabilityKind durability{DurabilityKind::transient_local};
    ReliabilityKind reliability{ReliabilityKind::reliable};
    std::int32_t depth{0};  // of KEEP_LAST; 0: KEEP_ALL
    bool coherent{false};   // offers, or requests, coherent access
};

class AppReader {
  public:
    discovery::EndpointData data;
    MonoTime created{};
    std::vector<Delivered> received;
    bool deleted{false};

    // "1 2 3": the numbers received of one writer, in the order of arrival.
    [[nodiscard]] std::string numbers_of(const Guid& writer) const;
    [[nodiscard]] std::size_t count() const { return received.size(); }

  private:
    friend class Application;
    std::unique_ptr<rtps::StatefulReader> own;  // of vendors whose readers keep a position each
};

class Application {
  public:
    Application(GuidPrefix prefix, VendorId vendor, Locator own, Locator group, Now now);

    ModelWriter& create_writer(const EndpointChoice& choice, Now now);
    AppReader& create_reader(const EndpointChoice& choice, Now now);
    void delete_reader(AppReader& reader);
    void write(ModelWriter& writer, Now now, std::size_t size) { writer.write(now, out_, size); }
    void end_set(ModelWriter& writer, Now now) { writer.end_set(now, out_); }
    void relay(ModelWriter& writer, const SampleId& id, Now now) { writer.relay(id, now, out_); }
    // In place of its UDP address it names one that only its own machine can use.
    void announce_shared_memory_only(Now now);
    void goodbye() { spdp_.goodbye(out_); }

    void receive(ByteView datagram, const Locator& from, Now now);
    void turn(Now now);
    [[nodiscard]] MonoTime next_deadline() const;
    [[nodiscard]] std::optional<rtps::Transmit> next_transmit() { return out_.next_transmit(); }
    [[nodiscard]] const Locator& locator() const { return locator_; }
    [[nodiscard]] const GuidPrefix& prefix() const { return prefix_; }
    [[nodiscard]] bool knows(const GuidPrefix& other) const { return spdp_.find(other) != nullptr; }
    [[nodiscard]] const std::vector<std::unique_ptr<AppReader>>& readers() const {
        return readers_;
    }
    [[nodiscard]] const std::vector<std::unique_ptr<ModelWriter>>& writers() const {
        return writers_;
    }

  private:
    discovery::EndpointData announce(const EndpointChoice& choice, EntityId id);
    void dispatch(const wire::Submessage& submessage,
                  const wire::ReceiverState& state,
                  const Locator& from,
                  Now now);
    void collect(Now now);
    void on_writer(const discovery::EndpointData& writer, Now now);
    void on_reader(const discovery::EndpointData& reader, Now now);
    void on_gone(const Guid& endpoint);
    void join(AppReader& reader, const discovery::EndpointData& writer, Now now);
    void take_received(AppReader& reader);
    [[nodiscard]] rtps::DestinationPtr destination(const GuidPrefix& prefix) const;
    [[nodiscard]] bool shares_proxies() const { return vendor_ == vendor::eclipse; }

    GuidPrefix prefix_;
    VendorId vendor_;
    Locator locator_;
    rtps::Outbox out_;
    discovery::Spdp spdp_;
    discovery::Sedp sedp_;
    std::uint32_t next_entity_{1};
    std::vector<std::unique_ptr<ModelWriter>> writers_;
    std::vector<std::unique_ptr<AppReader>> readers_;
    std::map<Guid, CycloneProxy> proxies_;
    std::vector<rtps::ReceivedSample> samples_;
};

}  // namespace durability::test
