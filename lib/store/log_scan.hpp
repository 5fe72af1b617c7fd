// Walks the frames of a file to the longest prefix of whole frames and says what ends it: nothing,
// a torn tail, or damage. Reads only; what to do about it is decided by the caller (catalog.cpp,
// verify.cpp). Rules: lib/store/LOG-FORMAT.md, section 6.
#pragma once

#include "store/file_system.hpp"
#include "store/log_format.hpp"

#include <cstdint>
#include <string_view>

namespace durability::store {

enum class TailVerdict : std::uint8_t {
    clean,       // whole frames up to the end
    torn,        // what follows the good frames was never known to be on disk
    damaged,     // what follows the good frames had been synced
    newer,       // a frame or header that only a newer version can have written
    over_limit,  // a sound header whose length is above the limit for records
    foreign,     // not a file of ours
};
[[nodiscard]] std::string_view name(TailVerdict verdict);

struct ScanResult {
    TailVerdict verdict{TailVerdict::clean};
    std::uint64_t good_end{0};  // where the good prefix ends, and what the verdict is about begins
    std::uint64_t file_size{0};
    std::uint64_t frames{0};   // in the good prefix
    std::uint64_t covered{0};  // the greatest length that a commit frame of the prefix vouches for
    std::string_view reason;   // for people: "body checksum", "frame runs past the end", ...
    FileHeader header{};       // meaningful when the file's own header was read
    bool header_read{false};
};

class FrameSink {
  public:
    FrameSink() = default;
    FrameSink(const FrameSink&) = delete;
    FrameSink& operator=(const FrameSink&) = delete;
    virtual ~FrameSink() = default;
    // A whole frame whose checksums hold; of a coherent set, all frames of which are whole. `body`
    // is valid during the call. False when the body is
    // not what its kind demands: the frame then counts as damaged.
    virtual bool on_frame(std::uint64_t offset, const FrameHeader& header, ByteView body) = 0;
};

// `max_body` bounds the memory for one frame. Errors are those of reading the file.
[[nodiscard]] Result<ScanResult> scan_file(File& file, std::uint64_t max_body, FrameSink& sink);

// Limit for the body of any frame, given the limit for a sample's payload.
[[nodiscard]] constexpr std::uint64_t max_body_size(std::uint64_t sample_size) {
    constexpr std::uint64_t floor = 1U
                                    << 20U;  // metadata and lists have room whatever is configured
    constexpr std::uint64_t ceiling = 0xffff0000U;
    const std::uint64_t wanted =
        sample_size > ceiling ? ceiling : sample_size + sample_fixed_size + sample_optional_size;
    return wanted < floor ? floor : wanted > ceiling ? ceiling : wanted;
}

}  // namespace durability::store
