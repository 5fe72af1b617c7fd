// One remote writer as a Cyclone DDS process sees it (fact sheet 12.1): a position that all readers
// in sync share, and one of its own for each reader that is catching up.
#pragma once

#include "sim/sample.hpp"

#include "base/time.hpp"
#include "rtps/outbox.hpp"
#include "wire/submessage.hpp"

#include <functional>
#include <limits>
#include <map>
#include <vector>

namespace durability::test {

class CycloneProxy {
  public:
    // `own_kind`: the writer's participant counts as Cyclone's own, so that every reader catches
    // up.
    CycloneProxy(const Guid& writer, rtps::DestinationPtr destination, bool own_kind)
        : writer_(writer), destination_(std::move(destination)), own_kind_(own_kind) {}

    void add_reader(const Guid& reader,
                    bool transient_local,
                    std::vector<Delivered>* into,
                    Now now);
    void remove_reader(const Guid& reader);

    void on_data(SequenceNumber number, Delivered sample);
    void on_gap(const wire::Gap& gap);
    void on_heartbeat(const wire::Heartbeat& heartbeat, Now now, rtps::Outbox& out);
    void tick(Now now, rtps::Outbox& out);
    [[nodiscard]] MonoTime next_deadline() const;

  private:
    static constexpr std::int64_t unset = std::numeric_limits<std::int64_t>::max();
    using Deliver = std::function<void(const Delivered&)>;
    // Where a stream of numbers stands: what comes next, what waits, what will not come.
    struct Position {
        std::int64_t next{1};
        std::map<std::int64_t, Delivered> held;
        std::map<std::int64_t, std::int64_t> absent;
        void take(std::int64_t number, const Delivered& sample, const Deliver& deliver);
        void skip(std::int64_t first, std::int64_t last, const Deliver& deliver);
        void advance(const Deliver& deliver);
        [[nodiscard]] bool has(std::int64_t number) const;
    };
    struct Member {
        Guid guid;
        std::vector<Delivered>* into{nullptr};
        bool catching_up{false};
        Position position;
        std::int64_t end{unset};  // the history ends here; known from the first HEARTBEAT
        bool greeted{false};      // it saw a HEARTBEAT meant for it
        std::int32_t count{0};
        MonoTime due{MonoTime::max()};
        Duration delay{};
    };
    [[nodiscard]] Deliver to_those_in_sync();
    void settle();
    void answer(Member& member, bool always, Now now, rtps::Outbox& out);

    Guid writer_;
    rtps::DestinationPtr destination_;
    bool own_kind_;
    bool heartbeat_seen_{false};
    std::int64_t last_{0};
    Position primary_;
    std::vector<Member> members_;
};

}  // namespace durability::test
