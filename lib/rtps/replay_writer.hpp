// The replay writer of one served group: delivers stored history to late readers (semantics.md,
// section 7). It gives out numbers on demand and per remote process, sends nothing while nobody
// needs history, and holds no payloads but those of open windows: it asks for them with
// next_read().
//
// It decides nothing about who is owed what; that is service/entitlement. A machine: no sockets, no
// clock, no files. Not thread-safe.
#pragma once

#include "base/time.hpp"
#include "rtps/outbox.hpp"
#include "rtps/replay_numbers.hpp"
#include "rtps/replay_reader.hpp"
#include "wire/submessage.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace durability::rtps {

// Payloads a reader's window wants; answered with provide().
struct ReplayRead {
    Guid reader;
    std::vector<Arrival> arrivals;  // ascending
    std::size_t max_octets{0};      // payloads beyond these are not wanted yet, but one at least is
};

// The reader has acknowledged everything it was owed, but for what was left open.
struct ReplayCompleted {
    Guid reader;
};

class ReplayWriter {
  public:
    ReplayWriter(EntityId own, ReplayOptions options);

    // A process that was known to an earlier run of the daemon: its numbers mean what they meant,
    // and it has seen HEARTBEATs of this writer.
    void resume_process(const GuidPrefix& process, ReplayNumbers numbers);
    // A remote reader that matched. Nothing is sent to it but empty ranges until begin().
    void match(const Guid& reader, DestinationPtr destination, ReplayReaderTraits traits);
    void unmatch(const Guid& reader);
    // The participant is gone (disposed, or its lease ran out): its readers and numbers with it.
    void forget_process(const GuidPrefix& process);
    [[nodiscard]] bool is_matched(const Guid& reader) const;
    // A process of which any reader has been shown a HEARTBEAT: readers that do not ask for history
    // can no longer be given any (fact sheet 4.4).
    [[nodiscard]] bool process_contacted(const GuidPrefix& process) const;

    // Gives out numbers for what the reader is to have, ascending (empty: nothing). Sends nothing
    // yet: the numbers must survive a restart first, see numbers().
    // `open`: what may have to be sent after all; close() decides (semantics.md, section 7).
    // `ends_sets`: behind everything follows an empty DATA, which ends a coherent set (8.7.6).
    void prepare(const Guid& reader,
                 std::span<const ArrivalRange> history,
                 std::span<const ArrivalRange> open = {},
                 bool ends_sets = false);
    // The same numbers for several readers of a process that begin together: what one of them is to
    // have, or may have to be sent, is not numbered once more for another. `history` and `open` of
    // all of them, ascending and without a common arrival; prepare() each reader then.
    void number(const GuidPrefix& process,
                std::span<const ArrivalRange> history,
                std::span<const ArrivalRange> open);
    // Delivers what was prepared. `singly`: readers of its process with different shares begin with
    // it.
    void begin(const Guid& reader, MonoTime now, bool singly = false);
    // A reader of the process will begin that asks for its history: what those are shown that have
    // begun, and have not answered, must not bring it in sync. Only where none of them needs an
    // empty HEARTBEAT.
    void expect_single_reader(const GuidPrefix& process);
    // Ends what was left open: `send` of it is delivered, the rest declared irrelevant.
    void close(const Guid& reader, std::span<const ArrivalRange> send, MonoTime now);
    // Both in one, where nothing has to survive.
    void begin(const Guid& reader, std::span<const ArrivalRange> history, MonoTime now);
    // What was given out to a process; null when it is not known.
    [[nodiscard]] const ReplayNumbers* numbers(const GuidPrefix& process) const;
    [[nodiscard]] std::vector<GuidPrefix> processes() const;
    // Of what the reader is to have, the first arrival that it has not acknowledged; nothing when
    // there is none, or it was not begun.
    [[nodiscard]] std::optional<Arrival> first_unacknowledged(const Guid& reader) const;

    // From the reader `reader` only; anything from an unknown one is ignored (cases R8.2, R8.3).
    void on_acknack(const Guid& reader, const wire::AckNack& acknack, MonoTime now, Outbox& out);
    void on_nack_frag(const Guid& reader, const wire::NackFrag& nack, MonoTime now, Outbox& out);
    void tick(MonoTime now, Outbox& out);
    // When tick() is due without further input; MonoTime::max() for never.
    [[nodiscard]] MonoTime next_deadline() const;

    // Readers take turns: none with a long history keeps the others waiting.
    [[nodiscard]] std::optional<ReplayRead> next_read();
    void provide(const Guid& reader, std::vector<ReplaySample> samples, MonoTime now, Outbox& out);
    // See ReplayReader::supersede().
    std::size_t supersede(const Guid& reader,
                          std::uint64_t instance,
                          const std::function<bool(Timestamp)>& is_replaced,
                          MonoTime now);
    [[nodiscard]] std::optional<ReplayCompleted> next_completed();

    // For a writer of liveliness MANUAL_BY_TOPIC (8.7.2.2.3): tells every remote process that it is
    // alive, each time `period` has passed; infinite_duration: never. The daemon speaks for writers
    // that are gone, so it is alive as long as the daemon is.
    void assert_liveliness_every(Duration period) { assertion_period_ = period; }

    struct ReaderStatus {
        bool begun{false};
        bool complete{false};
        std::uint64_t owed{0};  // samples it is to have in all
        std::uint64_t samples_sent{0};
        std::uint64_t samples_acknowledged{0};
        SequenceNumber acknowledged{0};
        SequenceNumber high{0};
    };
    [[nodiscard]] std::optional<ReaderStatus> status(const Guid& reader) const;
    [[nodiscard]] std::size_t reader_count() const { return index_.size(); }

  private:
    struct Process {
        ReplayNumbers numbers;
        bool contacted{false};  // a HEARTBEAT went out to one of its readers
        bool confirmed{false};  // an ACKNACK showed that one arrived
        bool singly{false};     // see ReplayContext
        std::vector<std::unique_ptr<ReplayReader>> readers;
        // Numbers that are not sent until the readers they do not belong to know that.
        struct Barrier {
            SequenceNumber from;
            SequenceNumber to;
            MonoTime give_up;
        };
        std::vector<Barrier> barriers;
        struct Prepared {
            std::vector<SequenceRange> owned;
            std::vector<SequenceRange> open;
            std::optional<SequenceNumber> end;  // see ReplayReader::begin
        };
        std::unordered_map<Guid, Prepared> prepared;
    };
    [[nodiscard]] ReplayReader* find(const Guid& reader);
    [[nodiscard]] ReplayContext context(Process& process, const ReplayReader& reader);
    [[nodiscard]] bool others_confirmed(const Process& process,
                                        const Process::Barrier& barrier) const;
    // Others of the process must know that numbers are not theirs before these are used.
    static void guard(Process& process, const ReplayReader& target, MonoTime now);
    void lift_barriers(Process& process, MonoTime now);
    // Not to be spoken to now: it is owed nothing, and a HEARTBEAT for it would tell another reader
    // of the process, whose share is still being worked out, that its history ends there (fact
    // sheet 12.1).
    [[nodiscard]] static bool held(const Process& process, const ReplayReader& reader);
    void pump(Process& process, ReplayReader& reader, MonoTime now, Outbox& out);
    [[nodiscard]] ReplayReader* next_to_read() const;
    void note_completion(const ReplayReader& reader, bool was_settled);
    void assert_liveliness(MonoTime now, Outbox& out);
    // Whom of the process it may be said to; null when everything that can be said would mislead.
    [[nodiscard]] static ReplayReader* hearer(const Process& process);

    EntityId own_;
    ReplayOptions options_;
    std::int32_t heartbeat_count_;
    std::unordered_map<GuidPrefix, Process> processes_;
    std::unordered_map<Guid, ReplayReader*> index_;
    std::deque<ReplayCompleted> completed_;
    Guid read_last_;  // the reader that next_read() was last for
    Duration assertion_period_{infinite_duration};
    MonoTime asserted_{MonoTime::min()};
};

}  // namespace durability::rtps
