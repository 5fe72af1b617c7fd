// How a replay writer of liveliness MANUAL_BY_TOPIC says that it is alive: by HEARTBEATs with the
// liveliness flag that tell nothing else (8.7.2.2.3). What an older HEARTBEAT said holds.
#include "rtps/replay_writer.hpp"

namespace durability::rtps {

void ReplayWriter::assert_liveliness(MonoTime now, Outbox& out) {
    if (assertion_period_ == infinite_duration || index_.empty()) return;
    if (asserted_ != MonoTime::min() && now < after(asserted_, assertion_period_)) return;
    asserted_ = now;
    for (auto& [prefix, process] : processes_) {
        // One is enough: the lease is that of the writer, whoever of the process is told.
        if (const ReplayReader* reader = hearer(process))
            reader->put_liveliness(context(process, *reader), out);
    }
}

// Readers that share a position hear every HEARTBEAT to any of them. One that has not begun would
// take it for the end of its history, one that is catching up for all there is; the latter hears
// DATA, which says the same.
ReplayReader* ReplayWriter::hearer(const Process& process) {
    ReplayReader* complete = nullptr;
    ReplayReader* waiting = nullptr;
    bool catching_up = false;
    for (const auto& reader : process.readers) {
        if (!reader->traits().reliable) continue;
        if (!reader->begun()) {
            waiting = reader.get();
        } else if (reader->complete()) {
            complete = reader.get();
        } else {
            catching_up = true;
        }
    }
    const bool mixed = (complete != nullptr || catching_up) && waiting != nullptr;
    const ReplayReader* any = complete != nullptr ? complete : waiting;
    if (any == nullptr) return nullptr;
    if (any->traits().shares_position && (mixed || catching_up)) return nullptr;
    return complete != nullptr ? complete : waiting;
}

}  // namespace durability::rtps
