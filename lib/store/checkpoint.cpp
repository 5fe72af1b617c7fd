#include "store/checkpoint.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "store/chore.hpp"

#include <algorithm>

namespace durability::store {
namespace {

constexpr std::size_t arrivals_per_frame = 64U << 10U;

class CheckpointSink final : public FrameSink {
  public:
    bool on_frame(std::uint64_t, const FrameHeader& header, ByteView body) override {
        if (complete) return false;
        if (header.kind == FrameKind::checkpoint) return add(body);
        if (header.kind != FrameKind::checkpoint_end || body.size() != 16) return false;
        ByteReader in(body);
        checkpoint.as_of = in.u64();
        complete = in.u64() == checkpoint.retained.size() &&
                   (checkpoint.retained.empty() || checkpoint.retained.back() <= checkpoint.as_of);
        return complete;
    }
    Checkpoint checkpoint;
    bool complete{false};

  private:
    bool add(ByteView body) {
        ByteReader in(body);
        Arrival last = checkpoint.retained.empty() ? 0 : checkpoint.retained.back();
        while (in.ok() && in.remaining() > 0) {
            const std::uint64_t step = in.varint();
            if (!in.ok() || step == 0 || step > UINT64_MAX - last) return false;
            last += step;
            checkpoint.retained.push_back(last);
        }
        return in.ok();
    }
};

}  // namespace

Buffer encode_checkpoint(const Checkpoint& checkpoint, const GroupHash& group) {
    Buffer out;
    FileHeader header;
    header.type = FileType::checkpoint;
    header.group = group;
    encode_file_header(header, out);
    Buffer body;
    Arrival last = 0;
    for (std::size_t i = 0; i < checkpoint.retained.size(); ++i) {
        ByteWriter(body).varint(checkpoint.retained[i] - last);
        last = checkpoint.retained[i];
        if ((i + 1) % arrivals_per_frame == 0 || i + 1 == checkpoint.retained.size()) {
            encode_frame(FrameKind::checkpoint, 0, body, out);
            body.clear();
        }
    }
    ByteWriter end(body);
    end.u64(checkpoint.as_of);
    end.u64(checkpoint.retained.size());
    encode_frame(FrameKind::checkpoint_end, 0, body, out);
    return out;
}

Result<std::optional<CheckpointFile>> read_checkpoint(FileSystem& files,
                                                      const std::string& folder) {
    auto file = files.open(join(folder, layout::checkpoint), OpenMode::read_only);
    if (!file) {
        if (file.error().code == Errc::not_found) return std::optional<CheckpointFile>{};
        return tl::unexpected(std::move(file.error()));
    }
    CheckpointSink sink;
    auto scan = scan_file(**file, max_body_size(0), sink);
    if (!scan) return tl::unexpected(std::move(scan.error()));
    CheckpointFile result;
    result.scan = *scan;
    if (scan->verdict == TailVerdict::clean && sink.complete) {
        result.checkpoint = std::move(sink.checkpoint);
    } else if (scan->verdict == TailVerdict::clean) {
        result.scan.verdict = TailVerdict::torn;
        result.scan.reason = "the list has no end";
    }
    return std::optional<CheckpointFile>{std::move(result)};
}

Status replace_file(FileSystem& files,
                    const std::string& folder,
                    std::string_view name,
                    Buffer content,
                    bool durable) {
    std::vector<Chore::Step> steps;
    add_replacement(steps, folder, name, std::move(content), durable);
    if (durable) steps.emplace_back(Chore::SyncDirectory{folder});
    return carry_out(files, steps);
}

}  // namespace durability::store
