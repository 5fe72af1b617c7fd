#include "payload.hpp"

#include <algorithm>
#include <cstring>

namespace peer {
namespace {

// splitmix64: eight well mixed bytes per step, which keeps up with a sample of 8 MiB.
class Stream {
  public:
    Stream(std::uint64_t seed, std::uint32_t id, std::uint32_t seq)
        : state_(seed ^ ((std::uint64_t{id} << 32U) | seq)) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

  private:
    std::uint64_t state_;
};

}  // namespace

void fill_payload(std::span<std::uint8_t> out,
                  std::uint64_t seed,
                  std::uint32_t id,
                  std::uint32_t seq) {
    Stream stream(seed, id, seq);
    while (!out.empty()) {
        const std::uint64_t word = stream.next();
        const std::size_t n = std::min(out.size(), sizeof word);
        std::memcpy(out.data(), &word, n);
        out = out.subspan(n);
    }
}

bool is_payload(std::span<const std::uint8_t> bytes,
                std::uint64_t seed,
                std::uint32_t id,
                std::uint32_t seq) {
    Stream stream(seed, id, seq);
    while (!bytes.empty()) {
        const std::uint64_t word = stream.next();
        const std::size_t n = std::min(bytes.size(), sizeof word);
        if (std::memcmp(bytes.data(), &word, n) != 0) return false;
        bytes = bytes.subspan(n);
    }
    return true;
}

std::uint64_t fnv1a64(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::uint8_t byte : bytes)
        hash = (hash ^ byte) * 0x100000001b3U;
    return hash;
}

}  // namespace peer
