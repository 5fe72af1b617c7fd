// Gathers the samples of coherent sets (RTPS 2.5, 8.7.6; semantics.md, section 4): a set reaches
// the store as a whole or not at all. Pure: knows no clock, no sockets, no store.
//
// A set is samples of one writer that follow each other and carry the same PID_COHERENT_SET, the
// number of the first of them. It ends with the next sample that is not of it; an empty DATA is
// such a sample. Of a set in a group of writers that comes with PID_GROUP_COHERENT_SET alone, what
// each writer contributes is a set.
//
// Not thread-safe; belongs to the loop.
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "model/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace durability::service {

// What the samples of one set have in common.
struct SetName {
    SequenceNumber value;      // of the parameter
    bool of_publisher{false};  // of PID_GROUP_COHERENT_SET, in the publisher's numbering
    friend bool operator==(const SetName&, const SetName&) = default;
};

struct SetMember {
    SequenceNumber number;  // at the writer that sent it to us
    SampleMeta meta;
    WallTime received{};
    Payload payload;
};

struct EndedSet {
    SequenceNumber first;  // of it that was received
    SequenceNumber last;
    std::uint64_t samples{0};        // received of it
    std::string_view reason;         // why it is not whole; empty when it is
    std::vector<SetMember> members;  // what is to be stored of a whole one, ascending
    [[nodiscard]] bool is_whole() const { return reason.empty(); }
};

struct SetLimits {
    std::uint64_t sets{0};       // in progress at once
    std::uint64_t set_bytes{0};  // of one set
    std::uint64_t bytes{0};      // of all of them
};

// One writer's place in its sets. Tell CoherentSets before one that is in a set goes away.
class WriterSets {
  public:
    // `stored`: everything up to here is known to have been dealt with.
    explicit WriterSets(SequenceNumber stored = {}) : previous_(stored) {}
    [[nodiscard]] bool is_held() const { return state_ == State::held; }
    // Samples of the set it is in, and the number of the first.
    [[nodiscard]] std::size_t held() const { return members_.size(); }
    [[nodiscard]] SequenceNumber first() const { return first_; }

  private:
    friend class CoherentSets;
    enum class State : std::uint8_t {
        outside,
        held,     // in a set of which everything has come so far
        dropped,  // in a set that will not be whole
    };
    State state_{State::outside};
    SetName name_{};
    SequenceNumber first_{};
    SequenceNumber last_{};
    SequenceNumber previous_;  // the greatest sample received; nothing is missing behind it when
                               // the next number follows
    std::uint64_t samples_{0};
    std::uint64_t bytes_{0};
    std::string_view reason_;
    std::vector<SetMember> members_;
};

class CoherentSets {
  public:
    enum class Fate : std::uint8_t {
        alone,    // in no set: to be stored now
        held,     // give it to hold(), unless there is nothing in it to be stored
        dropped,  // of a set that is not stored
    };
    struct Step {
        std::optional<EndedSet> ended;  // by this sample; to be dealt with before it
        Fate fate{Fate::alone};
    };
    // The writer's next sample, numbers ascending. `name`: the set it says it belongs to; nothing
    // also for one that only ends a set.
    [[nodiscard]] Step on_sample(WriterSets& writer,
                                 SequenceNumber number,
                                 const std::optional<SetName>& name);
    // Keeps a sample that on_sample() said is to be held. False when a limit forbids that: then the
    // set is dropped, what was held of it too.
    [[nodiscard]] bool hold(WriterSets& writer, SetMember member, const SetLimits& limits);
    // Numbers that will not come, or a sample that cannot be stored: the set they fall into is not
    // whole.
    void on_missing(WriterSets& writer);
    void on_unusable(WriterSets& writer, SequenceNumber number);
    // The writer sends no more of it. Nothing when it was in no set.
    [[nodiscard]] std::optional<EndedSet> end(WriterSets& writer, std::string_view reason);

    [[nodiscard]] std::uint64_t in_progress() const { return sets_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  private:
    void begin(WriterSets& writer, SequenceNumber number, const SetName& name, bool follows);
    void drop(WriterSets& writer, std::string_view reason);
    [[nodiscard]] EndedSet finish(WriterSets& writer);

    std::uint64_t sets_{0};   // of which something is held, or may be
    std::uint64_t bytes_{0};  // held
};

// The set a sample belongs to by its inline QoS; nothing when it is in none, or ends
// one (a value below 1).
[[nodiscard]] std::optional<SetName> set_name(const std::optional<SequenceNumber>& of_writer,
                                              const std::optional<SequenceNumber>& of_publisher);

}  // namespace durability::service
