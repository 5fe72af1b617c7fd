#include "rtps/reader_proxy.hpp"

#include <iterator>
#include <utility>

namespace durability::rtps {

namespace {

constexpr Duration any_count_after = std::chrono::milliseconds{500};

}  // namespace

ReaderProxy::ReaderProxy(const Guid& guid, DestinationPtr destination, SequenceNumber acked)
    : guid_(guid),
      destination_(std::move(destination)),
      start_(acked),
      acked_(acked),
      sent_(acked),
      reported_(acked) {}

bool ReaderProxy::Counted::accept(std::int32_t count, MonoTime now) {
    const auto bits = static_cast<std::uint32_t>(count);
    const bool newer = static_cast<std::int32_t>(bits - last) > 0;
    if (accepted_at && !newer && now - *accepted_at < any_count_after) return false;
    last = bits;
    accepted_at = now;
    return true;
}

bool ReaderProxy::accept_acknack_count(std::int32_t count, MonoTime now) {
    return acknacks_.accept(count, now);
}

bool ReaderProxy::accept_nack_frag_count(std::int32_t count, MonoTime now) {
    return nack_frags_.accept(count, now);
}

bool ReaderProxy::may_repair(SequenceNumber number,
                             std::uint32_t fragment,
                             Duration interval,
                             MonoTime now) {
    // What is older than the interval is of no use; so the table holds at most what one interval
    // repairs.
    if (now - cleaned_at_ >= interval) {
        for (auto at = repaired_.begin(); at != repaired_.end();) {
            at = now - at->second >= interval ? repaired_.erase(at) : std::next(at);
        }
        cleaned_at_ = now;
    }
    const auto [at, fresh] = repaired_.try_emplace(Piece{number, fragment}, now);
    if (fresh) return true;
    if (now - at->second < interval) return false;
    at->second = now;
    return true;
}

}  // namespace durability::rtps
