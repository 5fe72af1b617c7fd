// Memory for the chunks of a large index: blocks of one huge page each, cut into equal pieces.
// First use of a page is what filling an index costs most, and a huge page is used for the first
// time once instead of 512 times. Pieces that are given back are handed out again, so a history
// that slides along touches no new memory. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace durability::store {

class EntryPool {
  public:
    // `piece_bytes` is a multiple of the alignment of what is put there, and far below a block.
    explicit EntryPool(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {}

    [[nodiscard]] void* take();
    // Something take() returned.
    void give(void* piece);
    // Bytes of all blocks.
    [[nodiscard]] std::size_t memory() const { return blocks_.size() * block_bytes; }

  private:
    static constexpr std::size_t block_bytes = 2U << 20U;
    // At the start of a block; the pieces follow. A free piece begins with the address of the next.
    struct Header {
        void* free_pieces{nullptr};
        std::size_t fresh{0};  // pieces never handed out begin with this one
        std::size_t used{0};
    };
    struct Free {
        void operator()(Header* block) const { std::free(block); }
    };
    using Block = std::unique_ptr<Header, Free>;
    static constexpr std::size_t header_bytes = 64;

    [[nodiscard]] std::size_t pieces() const { return (block_bytes - header_bytes) / piece_bytes_; }
    [[nodiscard]] bool has_room(const Header& block) const {
        return block.free_pieces != nullptr || block.fresh < pieces();
    }
    Header* block_with_room();

    std::size_t piece_bytes_;
    std::vector<Block> blocks_;
    Header* current_{nullptr};
};

}  // namespace durability::store
