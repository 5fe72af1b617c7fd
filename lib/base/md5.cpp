#include "base/md5.hpp"

#include <md5.h>
#include <sys/types.h>

namespace durability {

std::array<std::uint8_t, 16> md5(ByteView bytes) {
    MD5_CTX context;
    ::MD5Init(&context);
    ::MD5Update(&context, bytes.data(), bytes.size());
    std::array<std::uint8_t, 16> digest{};
    ::MD5Final(digest.data(), &context);
    return digest;
}

}  // namespace durability
