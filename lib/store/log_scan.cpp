#include "store/log_scan.hpp"

#include "base/crc32c.hpp"

#include <algorithm>
#include <cstring>

namespace durability::store {
namespace {

constexpr std::size_t read_size = 256U << 10U;  // stays in the second-level cache

// A window over the file that slides forward and grows for a frame larger than itself.
class Window {
  public:
    Window(File& file, std::uint64_t size) : file_(file), size_(size) {}

    // `count` bytes at `offset`, which never decreases and stays inside the file together with
    // count.
    Result<const std::uint8_t*> bytes(std::uint64_t offset, std::size_t count) {
        if (offset + count <= start_ + filled_ && offset >= start_) {
            return buffer_.data() + (offset - start_);
        }
        return refill(offset, count);
    }

  private:
    Result<const std::uint8_t*> refill(std::uint64_t offset, std::size_t count) {
        const std::size_t kept = offset < start_ + filled_ ? start_ + filled_ - offset : 0;
        if (kept > 0) std::memmove(buffer_.data(), buffer_.data() + filled_ - kept, kept);
        // Most logs are small, and there may be thousands of them.
        const std::size_t usual = std::min<std::uint64_t>(read_size, size_);
        if (buffer_.size() < std::max(count, usual)) buffer_.resize(std::max(count, usual));
        start_ = offset;
        filled_ = kept;
        const std::uint64_t rest = size_ - offset - kept;
        const auto want =
            static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size() - kept, rest));
        auto got = file_.read(offset + kept, std::span(buffer_).subspan(kept, want));
        if (!got) return tl::unexpected(std::move(got.error()));
        filled_ += *got;
        if (filled_ < count) return fail(Errc::io, "the file became shorter while it was read");
        return buffer_.data();
    }

    File& file_;
    std::uint64_t size_;
    Buffer buffer_;
    std::uint64_t start_{0};
    std::size_t filled_{0};
};

// Whether a commit frame behind `bad` vouches for the bytes at `bad`. Frames begin at multiples of
// eight; a commit frame names its own offset, so that nothing else is taken for one.
Result<bool> is_vouched_for(File& file, std::uint64_t size, std::uint64_t bad) {
    Window window(file, size);
    constexpr auto body = std::uint64_t{commit_frame_size} - frame_header_size;
    const std::uint64_t begin = (bad + frame_alignment) / frame_alignment * frame_alignment;
    for (std::uint64_t at = begin; at + commit_frame_size <= size; at += frame_alignment) {
        const auto bytes = window.bytes(at, commit_frame_size);
        if (!bytes) return tl::unexpected(bytes.error());
        const std::uint8_t* const frame = *bytes;
        if (frame[0] != body || frame[4] != static_cast<std::uint8_t>(FrameKind::commit)) continue;
        FrameHeader header;
        if (!decode_frame_header(frame, header) || header.payload_length != body) continue;
        const ByteView content(frame + frame_header_size, body);
        if (crc32c(content) != header.body_crc) continue;
        const auto commit = decode_commit(content);
        if (commit && commit->offset == at && commit->length <= at && commit->length > bad)
            return true;
    }
    return false;
}

struct Step {
    TailVerdict verdict{TailVerdict::clean};  // torn: not sound, whether torn or damaged is open
    std::string_view reason;
    std::uint64_t size{0};
};

struct Frame {
    FrameHeader header{};
    ByteView body;
};

// The frame at `at`, when the step is clean.
Result<Step> look_at(Window& window,
                     std::uint64_t at,
                     std::uint64_t file_size,
                     std::uint64_t max_body,
                     Frame& frame) {
    const std::uint64_t left = file_size - at;
    if (left < frame_header_size) return Step{TailVerdict::torn, "incomplete frame header", 0};
    auto front = window.bytes(at, frame_header_size);
    if (!front) return tl::unexpected(std::move(front.error()));
    FrameHeader& header = frame.header;
    if (!decode_frame_header(*front, header)) {
        return Step{TailVerdict::torn, "frame header checksum", 0};
    }
    if (is_from_newer_version(header))
        return Step{TailVerdict::newer, "unknown frame kind or flag", 0};
    if (header.payload_length > max_body) {
        return Step{TailVerdict::over_limit, "frame longer than limits.sample_size allows", 0};
    }
    const std::uint64_t size = frame_size(header.payload_length);
    if (size > left) return Step{TailVerdict::torn, "frame runs past the end", 0};
    auto whole = window.bytes(at, static_cast<std::size_t>(size));
    if (!whole) return tl::unexpected(std::move(whole.error()));
    frame.body = ByteView(*whole + frame_header_size, header.payload_length);
    if (crc32c(frame.body) != header.body_crc)
        return Step{TailVerdict::torn, "frame body checksum", 0};
    return Step{TailVerdict::clean, {}, size};
}

// Whether the samples of a set are all there, from `at` on. What ends them is what ends the log in
// front of the set.
Result<Step> look_through_set(Window& window,
                              std::uint64_t at,
                              std::uint64_t file_size,
                              std::uint64_t max_body,
                              const SetFrame& set) {
    if (set.length > file_size - at)
        return Step{TailVerdict::torn, "coherent set runs past the end", 0};
    const std::uint64_t end = at + set.length;
    for (std::uint32_t i = 0; i < set.samples; ++i) {
        Frame frame;
        const auto found = look_at(window, at, end, max_body, frame);
        if (!found || found->verdict != TailVerdict::clean) return found;
        if (frame.header.kind != FrameKind::sample)
            return Step{TailVerdict::damaged, "coherent set not valid", 0};
        at += found->size;
    }
    if (at != end) return Step{TailVerdict::damaged, "coherent set not valid", 0};
    return Step{};
}

class Walk {
  public:
    Walk(File& file, std::uint64_t size, std::uint64_t max_body, FrameSink& sink)
        : window_(file, size), ahead_(file, size), size_(size), max_body_(max_body), sink_(sink) {}

    // One frame at `at`; hands it to the sink when it is sound.
    Result<Step> step(std::uint64_t at, std::uint64_t& covered) {
        Frame frame;
        auto found = look_at(window_, at, size_, max_body_, frame);
        if (!found || found->verdict != TailVerdict::clean) return found;
        if (frame.header.kind == FrameKind::commit) {
            const auto commit = decode_commit(frame.body);
            if (!commit || commit->length > commit->offset) {
                return Step{TailVerdict::damaged, "commit frame not valid", 0};
            }
            // Moved here with frames that another file did not take, it speaks about that file.
            if (commit->offset == at) covered = std::max(covered, commit->length);
        }
        if (frame.header.kind == FrameKind::set) {
            const auto set = decode_set(frame.body);
            if (!set) return Step{TailVerdict::damaged, "coherent set not valid", 0};
            const auto whole = look_through_set(ahead_, at + found->size, size_, max_body_, *set);
            if (!whole || whole->verdict != TailVerdict::clean) return whole;
        }
        if (!sink_.on_frame(at, frame.header, frame.body)) {
            return Step{TailVerdict::damaged, "frame content not valid", 0};
        }
        return found;
    }

  private:
    Window window_;
    Window ahead_;  // to the ends of sets
    std::uint64_t size_;
    std::uint64_t max_body_;
    FrameSink& sink_;
};

// Reads the file's own header; the verdict is clean when the frames may be read.
Result<ScanResult> scan_header(File& file) {
    ScanResult result;
    auto size = file.size();
    if (!size) return tl::unexpected(std::move(size.error()));
    result.file_size = *size;
    std::array<std::uint8_t, file_header_size> bytes{};
    auto got = file.read(0, bytes);
    if (!got) return tl::unexpected(std::move(got.error()));
    switch (decode_file_header({bytes.data(), *got}, result.header)) {
        case HeaderVerdict::good:
            result.header_read = true;
            result.good_end = file_header_size;
            return result;
        case HeaderVerdict::truncated:
            // Too short, or zeros where it should be: the file was being made. Unless something
            // behind says that it had been synced.
            result.verdict = TailVerdict::torn;
            result.reason = "incomplete file header";
            return result;
        case HeaderVerdict::foreign:
            result.verdict = TailVerdict::foreign;
            result.reason = "not a file of this store";
            return result;
        case HeaderVerdict::newer:
            result.verdict = TailVerdict::newer;
            result.reason = "written by a newer version";
            return result;
        case HeaderVerdict::damaged:
            result.verdict = TailVerdict::damaged;
            result.reason = "file header checksum";
            return result;
    }
    return result;
}

}  // namespace

std::string_view name(TailVerdict verdict) {
    switch (verdict) {
        case TailVerdict::clean:
            return "clean";
        case TailVerdict::torn:
            return "torn";
        case TailVerdict::damaged:
            return "damaged";
        case TailVerdict::newer:
            return "newer";
        case TailVerdict::over_limit:
            return "over limit";
        case TailVerdict::foreign:
            return "foreign";
    }
    return "?";
}

Result<ScanResult> scan_file(File& file, std::uint64_t max_body, FrameSink& sink) {
    auto begun = scan_header(file);
    if (!begun) return begun;
    ScanResult result = *begun;
    if (!result.header_read) {
        if (result.verdict == TailVerdict::torn) {
            const auto vouched = is_vouched_for(file, result.file_size, 0);
            if (!vouched) return tl::unexpected(vouched.error());
            if (*vouched) result.verdict = TailVerdict::damaged;
        }
        return result;
    }
    Walk walk(file, result.file_size, max_body, sink);
    while (result.good_end < result.file_size) {
        const auto done = walk.step(result.good_end, result.covered);
        if (!done) return tl::unexpected(done.error());
        if (done->verdict != TailVerdict::clean) {
            result.verdict = done->verdict;
            result.reason = done->reason;
            break;
        }
        result.good_end += done->size;
        ++result.frames;
    }
    if (result.verdict == TailVerdict::torn) {
        const auto vouched = is_vouched_for(file, result.file_size, result.good_end);
        if (!vouched) return tl::unexpected(vouched.error());
        if (*vouched) result.verdict = TailVerdict::damaged;
    }
    return result;
}

}  // namespace durability::store
