// What a reliable writer knows about one remote reader, and when it wants to say something to it.
// Bookkeeping without messages; StatefulWriter sends. Not thread-safe.
#pragma once

#include "base/time.hpp"
#include "model/guid.hpp"
#include "model/sequence_number.hpp"
#include "rtps/outbox.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

namespace durability::rtps {

class ReaderProxy {
  public:
    ReaderProxy(const Guid& guid, DestinationPtr destination, SequenceNumber acked);

    [[nodiscard]] const Guid& guid() const { return guid_; }
    [[nodiscard]] const DestinationPtr& destination() const { return destination_; }

    // Whether the ACKNACK is news: counts grow, but after half a second any count is taken again,
    // so that neither a restarted reader nor a forged count locks a reader out.
    [[nodiscard]] bool accept_acknack_count(std::int32_t count, MonoTime now);
    [[nodiscard]] bool accept_nack_frag_count(std::int32_t count, MonoTime now);

    // Everything up to here is acknowledged by the newest ACKNACK. Never below where the reader
    // began: the numbers before that do not exist for it.
    [[nodiscard]] SequenceNumber acked() const { return acked_; }
    void set_acked(SequenceNumber acked) { acked_ = std::max(acked, start_); }
    // Everything up to here was sent at least once, or declared irrelevant.
    [[nodiscard]] SequenceNumber sent() const { return sent_; }
    void set_sent(SequenceNumber sent) { sent_ = sent; }
    // The reader has shown that it knows this writer.
    [[nodiscard]] bool heard() const { return heard_; }
    void set_heard() { heard_ = true; }
    // The greatest number reported by StatefulWriter::next_event().
    [[nodiscard]] SequenceNumber reported() const { return reported_; }
    void set_reported(SequenceNumber reported) { reported_ = reported; }

    // Whether `fragment` (0: the whole sample) may be repaired now; remembers that it was. The same
    // is not repaired twice within `interval` (R9.4).
    [[nodiscard]] bool may_repair(SequenceNumber number,
                                  std::uint32_t fragment,
                                  Duration interval,
                                  MonoTime now);

    // When to send the next HEARTBEAT unasked; MonoTime::max() for never.
    MonoTime heartbeat_due{MonoTime::max()};
    Duration heartbeat_delay{};
    // How many repetitions after the match have been sent, and HEARTBEATs without any answer.
    std::uint32_t repeats{0};
    std::uint32_t unanswered{0};
    MonoTime matched_at{};
    // One more HEARTBEAT is owed after everything was acknowledged, final, so that a forged
    // acknowledgement does not go unnoticed.
    bool confirmation_due{false};

  private:
    struct Counted {
        std::uint32_t last{0};
        std::optional<MonoTime> accepted_at;
        [[nodiscard]] bool accept(std::int32_t count, MonoTime now);
    };
    struct Piece {
        SequenceNumber number;
        std::uint32_t fragment{0};
        friend auto operator<=>(const Piece&, const Piece&) = default;
    };

    Guid guid_;
    DestinationPtr destination_;
    SequenceNumber start_;
    SequenceNumber acked_;
    SequenceNumber sent_;
    SequenceNumber reported_;
    bool heard_{false};
    Counted acknacks_;
    Counted nack_frags_;
    std::map<Piece, MonoTime> repaired_;
    MonoTime cleaned_at_{};
};

}  // namespace durability::rtps
