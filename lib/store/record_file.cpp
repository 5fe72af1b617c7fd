#include "store/record_file.hpp"

#include "base/byte_writer.hpp"
#include "store/checkpoint.hpp"

#include <tuple>

namespace durability::store {
namespace {

constexpr std::uint64_t rewrite_floor = 256U << 10U;
// Identity, addresses, frontiers: small things. The bound keeps a damaged length from costing
// memory.
constexpr std::uint64_t max_record_body = 1U << 20U;

std::uint64_t size_of(const RecordFile::Key& key, const Buffer& value) {
    return frame_size(8 + key.second.size() + value.size());
}

void encode_record(const RecordFile::Key& key, const Buffer* value, Buffer& out) {
    Buffer body;
    ByteWriter writer(body);
    writer.u8(static_cast<std::uint8_t>(key.first));
    writer.zeros(3);
    writer.u32(static_cast<std::uint32_t>(key.second.size()));
    writer.bytes(key.second);
    if (value != nullptr) writer.bytes(*value);
    encode_frame(value != nullptr ? FrameKind::record : FrameKind::record_erased, 0, body, out);
}

class RecordSink final : public FrameSink {
  public:
    explicit RecordSink(RecordFile::Table& table) : table_(table) {}
    bool on_frame(std::uint64_t, const FrameHeader& header, ByteView body) override {
        if (header.kind == FrameKind::commit) return true;
        const auto entry = decode_record(header, body);
        if (!entry) return false;
        if (header.kind == FrameKind::record) {
            table_[{entry->kind, entry->key}] = entry->value;
        } else {
            table_.erase({entry->kind, entry->key});
        }
        return true;
    }

  private:
    RecordFile::Table& table_;
};

}  // namespace

std::optional<Record> decode_record(const FrameHeader& header, ByteView body) {
    if (header.kind != FrameKind::record && header.kind != FrameKind::record_erased)
        return std::nullopt;
    if (body.size() < 8) return std::nullopt;
    const std::size_t key_size = std::size_t{body[4]} | std::size_t{body[5]} << 8U |
                                 std::size_t{body[6]} << 16U | std::size_t{body[7]} << 24U;
    if (key_size > body.size() - 8) return std::nullopt;
    const ByteView key = body.subspan(8, key_size);
    const ByteView value = body.subspan(8 + key_size);
    return Record{static_cast<RecordKind>(body[0]),
                  Buffer(key.begin(), key.end()),
                  Buffer(value.begin(), value.end())};
}

Status RecordFile::open(FileSystem& files, const std::string& folder, ScanResult& scan) {
    files_ = &files;
    folder_ = folder;
    table_.clear();
    auto file = files.open(path(), OpenMode::read_write);
    if (!file) {
        if (file.error().code != Errc::not_found) return tl::unexpected(std::move(file.error()));
        return rewrite();
    }
    RecordSink sink(table_);
    auto found = scan_file(**file, max_record_body, sink);
    if (!found) return tl::unexpected(std::move(found.error()));
    scan = *found;
    if (scan.verdict == TailVerdict::torn) {
        if (!scan.header_read) return rewrite();
        if (auto cut = (*file)->truncate(scan.good_end); !cut) return cut;
    } else if (scan.verdict != TailVerdict::clean) {
        table_.clear();
        return fail(Errc::corrupt, path());
    }
    file_ = *file;
    size_ = scan.good_end;
    live_ = 0;
    for (const auto& [key, value] : table_)
        live_ += size_of(key, value);
    // What is read may lie in the page cache only, and others will rely on it.
    return file_->sync();
}

Status RecordFile::set(RecordKind kind, Buffer key, Buffer value) {
    // What is longer would be taken for damage when it is read again.
    if (8 + key.size() + value.size() > max_record_body || value.size() > max_record_value) {
        return fail(Errc::invalid_argument,
                    "record of " + std::to_string(value.size()) +
                        " octets: " + std::to_string(max_record_value) + " are possible");
    }
    Key name{kind, std::move(key)};
    const auto at = table_.find(name);
    if (at != table_.end() && at->second == value) return {};
    if (at != table_.end()) live_ -= size_of(name, at->second);
    live_ += size_of(name, value);
    Buffer frame;
    encode_record(name, &value, frame);
    table_.insert_or_assign(std::move(name), std::move(value));
    return write(frame);
}

Status RecordFile::erase(RecordKind kind, const Buffer& key) {
    const Key name{kind, key};
    const auto at = table_.find(name);
    if (at == table_.end()) return {};
    live_ -= size_of(name, at->second);
    Buffer frame;
    encode_record(name, nullptr, frame);
    table_.erase(at);
    return write(frame);
}

Status RecordFile::write(const Buffer& frame) {
    if (rewriting_) since_.insert(since_.end(), frame.begin(), frame.end());
    if (broken_) return {};
    auto done = file_->write(size_, frame);
    if (!done) {
        std::ignore = file_->truncate(size_);
        broken_ = true;
        return done;
    }
    size_ += frame.size();
    dirty_ = true;
    return {};
}

Buffer RecordFile::content() const {
    Buffer content;
    FileHeader header;
    header.type = FileType::records;
    encode_file_header(header, content);
    for (const auto& [key, value] : table_)
        encode_record(key, &value, content);
    return content;
}

bool RecordFile::rewrite_due() const {
    return !held_ && !rewriting_ && (broken_ || size_ > 4 * live_ + rewrite_floor);
}

Buffer RecordFile::begin_rewrite() {
    rewriting_ = true;
    since_.clear();
    Buffer bytes = content();
    new_size_ = bytes.size();
    return bytes;
}

void RecordFile::end_rewrite(const Status& outcome) {
    rewriting_ = false;
    // Whether the old file or the new one has the name now: neither is to be appended to.
    broken_ = true;
    held_ = !outcome;
    if (!outcome) return;
    auto file = files_->open(path(), OpenMode::read_write);
    if (!file) return;
    if (!since_.empty()) {
        if (auto done = (*file)->write(new_size_, since_); !done) return;
    }
    file_ = std::move(*file);
    size_ = new_size_ + since_.size();
    dirty_ = !since_.empty();
    broken_ = false;
}

Status RecordFile::rewrite() {
    Buffer bytes = content();
    const std::uint64_t size = bytes.size();
    broken_ = true;  // until everything below has worked
    if (auto done = replace_file(*files_, folder_, layout::records, std::move(bytes), true); !done)
        return done;
    auto file = files_->open(path(), OpenMode::read_write);
    if (!file) return tl::unexpected(std::move(file.error()));
    file_ = std::move(*file);
    size_ = size;
    live_ = size_ - file_header_size;
    dirty_ = broken_ = held_ = false;
    return {};
}

Status RecordFile::sync() {
    if (broken_) return rewrite();
    if (!dirty_) return {};
    auto done = file_->sync();
    if (!done) {
        broken_ = true;
        return rewrite();
    }
    dirty_ = false;
    return {};
}

}  // namespace durability::store
