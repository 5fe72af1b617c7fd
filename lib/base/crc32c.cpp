#include "base/crc32c.hpp"

#include <boost/crc.hpp>

#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace durability {
namespace {

#if defined(__x86_64__)
#define DURABILITY_CRC_INSTRUCTION 1
bool have_instruction() {
    return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) std::uint32_t with_instruction(ByteView bytes,
                                                                 std::uint32_t crc) {
    std::uint64_t state = ~crc;
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        state = _mm_crc32_u64(state, word);
    }
    auto narrow = static_cast<std::uint32_t>(state);
    for (; left > 0; ++at, --left)
        narrow = _mm_crc32_u8(narrow, *at);
    return ~narrow;
}
#elif defined(__aarch64__)
#define DURABILITY_CRC_INSTRUCTION 1
bool have_instruction() {
    return (::getauxval(AT_HWCAP) & (1UL << 7U)) != 0;
}  // HWCAP_CRC32

__attribute__((target("+crc"))) std::uint32_t with_instruction(ByteView bytes, std::uint32_t crc) {
    std::uint32_t state = ~crc;
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        state = __crc32cd(state, word);
    }
    for (; left > 0; ++at, --left)
        state = __crc32cb(state, *at);
    return ~state;
}
#endif

std::uint32_t reflected(std::uint32_t value) {
    std::uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
        result |= ((value >> bit) & 1U) << (31U - bit);
    return result;
}

}  // namespace

std::uint32_t crc32c_portable(ByteView bytes, std::uint32_t crc) {
    // Boost wants the remainder before the final inversion and reflection; both are involutions.
    using Crc = boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true>;
    Crc state(reflected(~crc));
    state.process_bytes(bytes.data(), bytes.size());
    return state.checksum();
}

std::uint32_t crc32c(ByteView bytes, std::uint32_t crc) {
#if defined(DURABILITY_CRC_INSTRUCTION)
    static const bool instruction = have_instruction();
    if (instruction) return with_instruction(bytes, crc);
#endif
    return crc32c_portable(bytes, crc);
}

}  // namespace durability
