#include "store/entry_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <tuple>

#include <sys/mman.h>

namespace durability::store {

EntryPool::Header* EntryPool::block_with_room() {
    if (current_ != nullptr && has_room(*current_)) return current_;
    const auto found = std::find_if(
        blocks_.begin(), blocks_.end(), [this](const Block& block) { return has_room(*block); });
    if (found != blocks_.end()) return current_ = found->get();
    void* const memory = std::aligned_alloc(block_bytes, block_bytes);
    if (memory == nullptr) throw std::bad_alloc();  // as any container here would
    // A wish: without huge pages the block works just as well.
    std::ignore = ::madvise(memory, block_bytes, MADV_HUGEPAGE);
    blocks_.emplace_back(new (memory) Header);
    return current_ = blocks_.back().get();
}

void* EntryPool::take() {
    Header* const block = block_with_room();
    ++block->used;
    if (block->free_pieces != nullptr) {
        void* const piece = block->free_pieces;
        std::memcpy(&block->free_pieces, piece, sizeof(void*));
        return piece;
    }
    return reinterpret_cast<std::byte*>(block) + header_bytes + piece_bytes_ * block->fresh++;
}

void EntryPool::give(void* piece) {
    // Blocks are aligned to their size, so the address of a piece leads to its block.
    const auto address = reinterpret_cast<std::uintptr_t>(piece);
    auto* const block = reinterpret_cast<Header*>(address & ~std::uintptr_t{block_bytes - 1});
    std::memcpy(piece, &block->free_pieces, sizeof(void*));
    block->free_pieces = piece;
    if (--block->used > 0 || block == current_) return;
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [block](const Block& other) {
        return other.get() == block;
    });
    blocks_.erase(found);
}

}  // namespace durability::store
