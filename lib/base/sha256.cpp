#include "base/sha256.hpp"

#include <sha2.h>
#include <sys/types.h>

namespace durability {

std::array<std::uint8_t, 32> sha256(ByteView bytes) {
    SHA2_CTX context;
    ::SHA256Init(&context);
    ::SHA256Update(&context, bytes.data(), bytes.size());
    std::array<std::uint8_t, 32> digest{};
    ::SHA256Final(digest.data(), &context);
    return digest;
}

}  // namespace durability
