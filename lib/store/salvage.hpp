// What can still be read of a damaged file: every whole frame, in front of the damage and behind
// it. Reads only, and knows nothing of what becomes of it (repair.hpp). Rules: LOG-FORMAT.md,
// section 11a.
#pragma once

#include "store/log_scan.hpp"

#include <cstdint>
#include <vector>

namespace durability::store {

struct SalvageResult {
    HeaderVerdict header_verdict{HeaderVerdict::truncated};
    FileHeader header{};  // meaningful when the verdict is good
    std::uint64_t file_size{0};
    std::uint64_t frames{0};
    std::uint64_t unreadable{0};  // bytes that belong to no whole frame
};

// Hands every whole frame to `sink` in the order of the file. A frame whose body the sink refuses
// counts as unreadable. What lies inside a frame whose header holds is never taken for a frame of
// its own, unless nothing sound follows where that header says the frame ends.
[[nodiscard]] Result<SalvageResult> salvage(File& file, std::uint64_t max_body, FrameSink& sink);

// Arrival numbers ascend in a file, and a payload may hold the bytes of another one. Says which of
// the numbers, in the order of the file, can be this file's: the longest ascending row of those
// that are `certain`, and between two of these the longest row of others that fits there.
[[nodiscard]] std::vector<bool> fitting(const std::vector<Arrival>& arrivals,
                                        const std::vector<bool>& certain);

}  // namespace durability::store
