#include "store/salvage.hpp"

#include "base/crc32c.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace durability::store {
namespace {

constexpr std::size_t block_size = 256U << 10U;

// Any place of the file, mostly in ascending order.
class Reader {
  public:
    Reader(File& file, std::uint64_t size) : file_(file), size_(size) {}

    // Inside the file; valid until the next call.
    Result<ByteView> view(std::uint64_t offset, std::size_t count) {
        if (offset >= start_ && offset + count <= start_ + filled_)
            return ByteView(buffer_).subspan(offset - start_, count);
        const auto want = static_cast<std::size_t>(
            std::min<std::uint64_t>(std::max(count, block_size), size_ - offset));
        if (buffer_.size() < want) buffer_.resize(want);
        start_ = offset;
        filled_ = 0;
        auto got = file_.read(offset, std::span(buffer_).first(want));
        if (!got) return tl::unexpected(std::move(got.error()));
        filled_ = *got;
        if (filled_ < count) return fail(Errc::io, "the file became shorter while it was read");
        return ByteView(buffer_).first(count);
    }

  private:
    File& file_;
    std::uint64_t size_;
    Buffer buffer_;
    std::uint64_t start_{0};
    std::size_t filled_{0};
};

// A header that holds, and whose frame has room in the file.
Result<std::optional<FrameHeader>> header_at(Reader& reader,
                                             std::uint64_t at,
                                             std::uint64_t size,
                                             std::uint64_t max_body) {
    if (size - at < frame_header_size) return std::optional<FrameHeader>{};
    const auto bytes = reader.view(at, frame_header_size);
    if (!bytes) return tl::unexpected(bytes.error());
    FrameHeader header;
    if (!decode_frame_header(bytes->data(), header) || is_from_newer_version(header) ||
        header.payload_length > max_body || header.payload_length > size - at - frame_header_size) {
        return std::optional<FrameHeader>{};
    }
    return std::optional<FrameHeader>{header};
}

// Of the numbers at these places, ascending, so many as possible; of two equal ones the first.
std::vector<std::size_t> longest_ascending(const std::vector<Arrival>& arrivals,
                                           const std::vector<std::size_t>& places) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> ends;  // of the best row of each length, as indices of `places`
    std::vector<std::size_t> before(places.size(), none);
    const auto number = [&](std::size_t i) { return arrivals[places[i]]; };
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto place = std::lower_bound(
            ends.begin(), ends.end(), number(i), [&](std::size_t end, Arrival wanted) {
                return number(end) < wanted;
            });
        if (place != ends.begin()) before[i] = *std::prev(place);
        if (place == ends.end()) {
            ends.push_back(i);
        } else if (number(i) < number(*place)) {
            *place = i;
        }
    }
    std::vector<std::size_t> row;
    for (std::size_t i = ends.empty() ? none : ends.back(); i != none; i = before[i])
        row.push_back(places[i]);
    return row;
}

}  // namespace

Result<SalvageResult> salvage(File& file, std::uint64_t max_body, FrameSink& sink) {
    SalvageResult result;
    const auto size = file.size();
    if (!size) return tl::unexpected(size.error());
    result.file_size = *size;
    std::array<std::uint8_t, file_header_size> front{};
    const auto got = file.read(0, front);
    if (!got) return tl::unexpected(got.error());
    result.header_verdict = decode_file_header({front.data(), *got}, result.header);
    if (result.header_verdict != HeaderVerdict::good) result.unreadable += *got;

    Reader reader(file, *size);
    std::uint64_t at = file_header_size;
    while (at < *size) {
        const auto header = header_at(reader, at, *size, max_body);
        if (!header) return tl::unexpected(header.error());
        std::uint64_t step = frame_alignment;
        bool whole = false;
        if (*header) {
            const FrameHeader& found = **header;
            const std::uint64_t end = std::min(at + frame_size(found.payload_length), *size);
            const auto body = reader.view(at + frame_header_size, found.payload_length);
            if (!body) return tl::unexpected(body.error());
            const bool sound = crc32c(*body) == found.body_crc;
            whole = sound && sink.on_frame(at, found, *body);
            if (sound) {
                step = end - at;
            } else {
                // The header holds, so its length does; what follows says whether it was one.
                bool follows = end == *size;
                if (!follows) {
                    const auto next = header_at(reader, end, *size, max_body);
                    if (!next) return tl::unexpected(next.error());
                    follows = next->has_value();
                }
                if (follows) step = end - at;
            }
        }
        step = std::min(step, *size - at);
        if (whole) ++result.frames;
        if (!whole) result.unreadable += step;
        at += step;
    }
    return result;
}

std::vector<bool> fitting(const std::vector<Arrival>& arrivals, const std::vector<bool>& certain) {
    std::vector<bool> fits(arrivals.size(), false);
    std::vector<std::size_t> row;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        if (certain[i]) row.push_back(i);
    }
    for (const std::size_t i : longest_ascending(arrivals, row))
        fits[i] = true;
    Arrival below = 0;
    for (std::size_t begin = 0; begin < arrivals.size();) {
        std::size_t end = begin;
        while (end < arrivals.size() && !fits[end])
            ++end;
        const Arrival above =
            end < arrivals.size() ? arrivals[end] : std::numeric_limits<Arrival>::max();
        row.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (!certain[i] && arrivals[i] > below && arrivals[i] < above) row.push_back(i);
        }
        below = above;
        for (const std::size_t i : longest_ascending(arrivals, row))
            fits[i] = true;
        begin = end + 1;
    }
    return fits;
}

}  // namespace durability::store
