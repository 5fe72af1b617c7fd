// What the scenarios about instances are told with: types of tests/peers/keys.idl, scripts of
// operations, and what a reader has to know of each instance in the end.
#pragma once

#include "harness.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace durability::interop {

// Whether a vendor can have a type. Fast DDS 2.9 knows XCDR1 only, and has no type descriptions
// of the kind Cyclone DDS announces: what needs XCDR2 goes from Cyclone DDS to Cyclone DDS.
struct KeyType {
    std::string_view name;
    bool cyclone_only{false};
    // No key is longer than a key hash. Where one can be, a dispose of Fast DDS, which names the
    // instance by an MD5 alone, says nothing to a Cyclone DDS reader.
    bool fits_hash{true};
};

inline constexpr std::array key_types{
    KeyType{"IntKey"},
    KeyType{"LongKey", false, false},
    KeyType{"PairKey"},
    KeyType{"StringKey", false, false},
    KeyType{"BoundedKey"},
    KeyType{"MiddleKey"},
    KeyType{"NestedKey"},
    KeyType{"EnumKey"},
    KeyType{"WholeKey", true},
    KeyType{"IdKey", true},
    KeyType{"OptionalKey", true},
    KeyType{"AppendableKey", true, false},
    KeyType{"MutableKey", true, false},
    KeyType{"AppendableNestedKey", true},
    KeyType{"MutableNestedKey", true},
};

const KeyType& key_type(std::string_view name);
std::vector<Vendor> vendors_of(const KeyType& type);

// What a reader knows of an instance.
struct Knowledge {
    std::string state;  // ALIVE, DISPOSED or NO_WRITERS
    std::uint64_t valid{0};
    std::uint32_t last{0};  // number of the last valid sample
    std::uint64_t duplicates{0};
    std::uint64_t out_of_order{0};
    friend bool operator==(const Knowledge&, const Knowledge&) = default;
};
using InstanceTable = std::map<std::uint32_t, Knowledge>;

// "1=ALIVE:4 2=DISPOSED:2", as the peers' --expect-states wants it.
std::string expectation(const InstanceTable& table);
// The same with the number of valid samples, for messages.
std::string describe(const InstanceTable& table);

// What a reader of `vendor` that received every operation of `ops` knows in the end. Such a reader
// is there from the start, or comes late and is served a contract that keeps everything.
InstanceTable after(std::string_view ops, bool autodispose, Vendor reader);

// The same where a contract keeps the last `depth` samples of each instance. For writes only.
InstanceTable after_keeping(std::string_view writes, std::uint64_t depth);

// The lines that a subscriber with --report states ends with. Waits for its end.
InstanceTable known_instances(test::Process& subscriber);

// What is wrong with what a subscriber knows in the end; empty when it is `expected`, each sample
// once, in order, with the right members.
std::string table_flaws(test::Process& subscriber, const InstanceTable& expected);

// A writer on a topic of its own whose operations come one script after the other.
class Operator {
  public:
    Operator(const World& world,
             Vendor vendor,
             std::string topic,
             std::string_view type,
             Words options = {});
    // Until so many readers are matched, the daemon's among them.
    void wait_matched(std::size_t readers);
    // Sends the operations off; returns before they are done.
    void run(std::string_view ops);
    // Throws when what was sent off is not acknowledged in time.
    void wait_acknowledged();
    void meet(Fate fate) { interop::meet(*process_, fate); }

  private:
    std::size_t told_{0};  // lines of the process before the last order
    std::unique_ptr<test::Process> process_;
};

// A reader that is late, or there from the start, and ends by itself once it knows `expected`.
struct Question {
    std::string what;  // for messages
    Vendor vendor{Vendor::cyclone};
    std::string topic;
    std::string type;
    InstanceTable expected;
    Words options;
};
std::unique_ptr<test::Process> ask(const World& world, const Question& question);

// Judges late readers, so many at a time.
class Examination {
  public:
    explicit Examination(const World& world) : world_(world) {}
    Examination(const Examination&) = delete;
    Examination& operator=(const Examination&) = delete;
    // Judges those that are left, and says how many had it right.
    void finish(std::string_view title);
    void add(Question question);

  private:
    struct Running {
        Question question;
        std::unique_ptr<test::Process> process;
    };
    void judge_oldest();

    const World& world_;
    std::deque<Running> running_;
    std::size_t good_{0};
    std::size_t total_{0};
};

}  // namespace durability::interop
