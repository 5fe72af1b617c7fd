#include "store/commands.hpp"

#include <algorithm>
#include <cstring>

namespace durability::store {
namespace {

constexpr std::size_t chunk_size = 64U << 10U;

}  // namespace

AppendBatch& AppendBatch::operator=(AppendBatch&& other) noexcept {
    entries_ = std::exchange(other.entries_, {});
    chunks_ = std::exchange(other.chunks_, {});
    adopted_ = std::exchange(other.adopted_, {});
    chunk_free_ = std::exchange(other.chunk_free_, 0);
    chunk_next_ = std::exchange(other.chunk_next_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
}

ByteView AppendBatch::copy(ByteView bytes) {
    if (bytes.empty()) return {};
    if (bytes.size() > chunk_free_) {
        const std::size_t size = std::max(chunk_size, bytes.size());
        chunks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(size));
        chunk_next_ = chunks_.back().get();
        chunk_free_ = size;
    }
    std::uint8_t* const at = chunk_next_;
    std::memcpy(at, bytes.data(), bytes.size());
    chunk_next_ += bytes.size();
    chunk_free_ -= bytes.size();
    return {at, bytes.size()};
}

void AppendBatch::add(GroupHandle group,
                      const Guid& transport_writer,
                      SequenceNumber transport_number,
                      const SampleMeta& meta,
                      WallTime received,
                      Payload payload) {
    ByteView stable;
    // A large owned payload is kept as it is; small ones are cheaper packed together.
    if (payload.is_owned() && payload.size() >= chunk_size / 8) {
        adopted_.push_back(payload.take());
        stable = adopted_.back();
    } else {
        stable = copy(payload.view());
    }
    bytes_ += stable.size() + sizeof(Entry);
    entries_.push_back(
        Entry{group, transport_writer, transport_number, meta, received, stable, false, 0});
}

void AppendBatch::mark(GroupHandle group,
                       const Guid& transport_writer,
                       SequenceNumber transport_number) {
    // Marks of one writer one after the other are one mark.
    if (!entries_.empty()) {
        Entry& last = entries_.back();
        if (last.mark_only && last.group == group && last.transport_writer == transport_writer) {
            last.transport_number = std::max(last.transport_number, transport_number);
            return;
        }
    }
    Entry entry;
    entry.group = group;
    entry.transport_writer = transport_writer;
    entry.transport_number = transport_number;
    entry.mark_only = true;
    entries_.push_back(std::move(entry));
    bytes_ += sizeof(Entry);
}

void AppendBatch::join(std::size_t count) {
    if (count < 2 || count > entries_.size()) return;
    entries_[entries_.size() - count].joined = static_cast<std::uint32_t>(count);
}

}  // namespace durability::store
