// A local best-effort reader: takes what comes, in increasing order of numbers, asks for nothing.
// No sockets, no clock; not thread-safe, belongs to its participant.
#pragma once

#include "base/time.hpp"
#include "model/guid.hpp"
#include "rtps/fragment_buffer.hpp"
#include "rtps/received_sample.hpp"
#include "wire/submessage.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace durability::rtps {

struct BestEffortStatus {
    SequenceNumber last{0};       // the last number delivered
    std::uint64_t received{0};    // samples delivered
    std::uint64_t lost{0};        // numbers that were passed over
    std::uint64_t duplicates{0};  // not newer than what was delivered before
    std::uint64_t dropped{0};     // fragments that a limit refused
};

class BestEffortReader {
  public:
    explicit BestEffortReader(EntityId own, const FragmentLimits& limits = {});

    [[nodiscard]] EntityId id() const { return own_; }
    // Nothing at or below `resume_after` is delivered. A second match starts over.
    void match(const Guid& writer, SequenceNumber resume_after = {0});
    void unmatch(const Guid& writer);
    [[nodiscard]] bool matched(const Guid& writer) const { return writers_.count(writer) != 0; }

    // Appends the sample to `out` if it is newer than all before. Ignored unless `writer` is
    // matched; the caller takes the prefix from the message header, so that a peer speaks for
    // itself only.
    void on_data(const Guid& writer,
                 const wire::Data& data,
                 Timestamp timestamp,
                 MonoTime now,
                 std::vector<ReceivedSample>& out);
    void on_data_frag(const Guid& writer,
                      const wire::DataFrag& data_frag,
                      Timestamp timestamp,
                      MonoTime now,
                      std::vector<ReceivedSample>& out);

    // Nothing when `writer` is not matched.
    [[nodiscard]] std::optional<BestEffortStatus> status(const Guid& writer) const;

  private:
    // A step over more numbers than a network loses: from the last number before it to the first
    // behind.
    struct Leap {
        SequenceNumber from;
        SequenceNumber to;
    };
    struct Writer {
        SequenceNumber last{0};
        std::optional<Leap> leap;
        SequenceNumber previous_older{0};
        std::uint32_t older_run{0};
        BestEffortStatus status;
    };
    [[nodiscard]] static bool below_leap(const Writer& writer, SequenceNumber number);
    [[nodiscard]] static bool takes_leap_back(Writer& writer, SequenceNumber number);
    [[nodiscard]] static bool accept(Writer& writer, SequenceNumber number);

    EntityId own_;
    FragmentBuffer fragments_;
    std::unordered_map<Guid, Writer> writers_;
};

}  // namespace durability::rtps
