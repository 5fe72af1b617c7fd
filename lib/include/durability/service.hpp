// The durability service inside a program of yours: what durabilityd does, without a process of its
// own. It records what writers publish with durability TRANSIENT or PERSISTENT, and what is named
// here of TRANSIENT_LOCAL topics, and gives it to readers that come late.
//
//     auto loaded = durability::load_config("robot.yaml");
//     durability::ServiceOptions options;
//     options.config = loaded->config;
//     options.on_event = [](const durability::Event& event) { log(durability::to_line(event)); };
//     auto service = durability::DurabilityService::start(std::move(options));
//     if (!service) return complain(service.error().text());
//     service->serve("rt/map", "nav_msgs::msg::dds_::OccupancyGrid_", durability::KeyedChoice::no);
//
// Errors are values with a code and a sentence a person can act on; nothing here throws, but for
// want of memory. What is promised is in durabilityd(8), what can be set in durabilityd.yaml(5).
#pragma once

#include "durability/config.hpp"
#include "durability/contract.hpp"
#include "durability/error.hpp"
#include "durability/event.hpp"
#include "durability/load_config.hpp"
#include "durability/version.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace durability {

struct ServiceOptions {
    Config config;  // but for log, control and metrics, which are of the daemon alone
    // Whether topics are served that neither a rule of the configuration nor a call of serve()
    // names: those with a writer that offers TRANSIENT or PERSISTENT.
    bool auto_discovery{true};
    // Every event, in order, from the start on. Called on the thread of the service: return soon.
    // It may call the service, but for shutdown().
    std::function<void(const Event&)> on_event;
    // The service cannot go on and stops by itself; shutdown() is still to be called. On its thread
    // too.
    std::function<void(const Error&)> on_failure;
};

// How a topic is served that serve() names. Where its writers differ, those that offer less than
// `weakest` are not served.
struct ServeOptions {
    ContractOverride contract;                // what is kept
    ServeKind weakest{ServeKind::transient};  // `never` is refused
    StorageChoice storage{StorageChoice::automatic};
    std::string partition{"*"};  // a glob as fnmatch(3)
};

// Where the key lies in a sample: the members it begins with, such as {"int32", "string"};
// {"skip int64"} is one beside the key. As topics[].key in durabilityd.yaml(5).
struct KeyLayout {
    std::vector<std::string> members;
};
// A type as its vendor's compiler describes it (XTypes 1.3): the value of PID_TYPE_INFORMATION
// (7.6.3.2.2; little-endian XCDR2 without encapsulation header), and the serialized TypeObjects
// (7.3.4; likewise, with their DHEADER) of the type and of all that it depends on.
struct TypeObjects {
    std::vector<std::uint8_t> information;
    std::vector<std::vector<std::uint8_t>> objects;
};
using TypeDescription = std::variant<KeyLayout, TypeObjects>;

// A topic as it is served: writers whose QoS or type differs such that other readers match them are
// served apart (durabilityd(8)), each with an entry of its own.
struct ServedTopic {
    std::uint32_t domain{0};
    std::string topic;
    std::string type;
    bool keyed{false};
    std::vector<std::string> partitions;         // empty: the default partition
    ServeKind durability{ServeKind::transient};  // what its readers may request
    StorageKind storage{StorageKind::disk};
    Contract contract;  // in force
    ContractSource contract_source{ContractSource::daemon_default};
    // Why it could not be opened: its writers are not acknowledged and its readers get nothing.
    // Empty while all is well.
    std::string problem;
};

// A running service. Every function may be called from any thread; the service has a thread of its
// own that runs the protocol, and threads of the store behind it. A call waits until that thread
// has done what it asks for, the serve functions until the store has the topics open as well. What
// takes longer than 10 s, as with a disk that does not answer, is Errc::unavailable and goes on in
// the background. From on_event and on_failure nothing waits: the serve functions then say what is
// known at once.
//
// After a failure and after shutdown() every function gives Errc::unavailable.
class DurabilityService {
  public:
    // Takes the leases of the store directories, recovers them, binds the sockets, announces both
    // participants of each domain: as durabilityd does. Returns when everything that is stored and
    // served is there for late readers. Without arguments: the defaults of durabilityd.yaml(5).
    // Errors: configuration (every problem in the detail; see check_config()), unsupported
    // (threads.* without DURABILITYD_RT), in_use (another process has the directory; named),
    // version (stored by a newer one), io, permission (path named), unavailable (port or interface
    // named).
    static Result<DurabilityService> start();
    static Result<DurabilityService> start(ServiceOptions options);
    static Result<DurabilityService> start(Config config);
    // With a file as durabilityd --config, or its text; problems as load_config() gives them, in
    // the detail.
    static Result<DurabilityService> start_from_file(const std::string& file,
                                                     const std::string& conf_d = {});
    static Result<DurabilityService> start_from_text(std::string_view yaml);

    DurabilityService(DurabilityService&&) noexcept;
    DurabilityService& operator=(DurabilityService&&) noexcept;
    // As shutdown().
    ~DurabilityService();

    // Serves a topic from now on, in every domain: its writers are recorded, late readers get what
    // they are owed. As a rule in front of those of the configuration; the same topic, type and
    // partition again replaces what was said before. With KeyedChoice::yes or ::no late readers
    // find it at once, with ::automatic from its first writer on. Topics served already go on with
    // the new contract; a smaller one discards at once.
    // Names are those on the wire ("rt/map" for the ROS 2 topic /map) and no patterns. Errors:
    // invalid_argument (names, contract; nothing was changed), resource_limit (the rules are too
    // many), io (the store cannot open it; the rule stays).
    Status serve(const std::string& topic,
                 const std::string& type,
                 KeyedChoice keyed,
                 const ServeOptions& options = {});

    // The same for a topic whose samples come without key hashes and whose writers do not describe
    // their type: instances are found by this description. Whether the topic has a key follows from
    // it; a KeyLayout means that it has. A description by the writers wins over it. Error beside
    // those of serve(): unsupported (a type whose keys this version does not find).
    Status serve_typed(const std::string& topic,
                       const std::string& type,
                       const TypeDescription& description,
                       const ServeOptions& options = {});

    // Serves a topic that the store knows from an earlier run and that no rule serves: with its
    // stored type, QoS and contract, before any writer is there. Fine when it is served already.
    // Error: not_found (nothing of that name is stored).
    Status serve_if_stored(const std::string& topic);

    // Serves a topic as its writers that are there announce it: their types, their durability down
    // to TRANSIENT_LOCAL, their contract. Fine when it is served already. Errors: not_found (nobody
    // writes it), invalid_argument (its writers offer VOLATILE only).
    Status serve_discovered(const std::string& topic);

    // Whether topics are served that nothing names, see ServiceOptions::auto_discovery. Enabled,
    // writers that are there already count. Disabled, what is served at that moment goes on being
    // served, until the service ends.
    Status enable_auto_discovery();
    Status disable_auto_discovery();

    // How a topic is served, its contract in force above all. Where the topic is served in several
    // ways: the first in the order of served_topics(), of that type where one is given. Error:
    // not_found (it is not served).
    Result<ServedTopic> contract_of(const std::string& topic, const std::string& type = {}) const;
    // Ordered by domain, topic, type.
    Result<std::vector<ServedTopic>> served_topics() const;

    // The latest 256 events, oldest first; also after the service has ended.
    std::vector<Event> events() const;

    // Neither failed nor shut down.
    bool is_running() const;
    // Stops accepting, commits what was received, leaves as Config::shutdown says (or as given),
    // releases the directories. Bounded: a stuck disk delays it by at most 5 s. Further calls do
    // nothing. Not from on_event or on_failure.
    void shutdown();
    void shutdown(ShutdownMode mode);

  private:
    class Impl;
    explicit DurabilityService(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace durability
