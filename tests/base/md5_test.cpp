#include "base/md5.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

using namespace durability;

namespace {

std::string md5_of(std::string_view text) {
    return to_hex(md5({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

}  // namespace

TEST_CASE("digests are those of RFC 1321, A.5") {
    CHECK(md5_of("") == "d41d8cd98f00b204e9800998ecf8427e");
    CHECK(md5_of("a") == "0cc175b9c0f1b6a831c399e269772661");
    CHECK(md5_of("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
    CHECK(md5_of(
              "12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
          "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("the key hash of a long string key is the one both peers send") {
    // Fact sheet 6.5: big-endian length with the NUL, the characters, the NUL.
    const std::string name = "instance-name-longer-than-16-0";
    std::string key{'\0', '\0', '\0', static_cast<char>(name.size() + 1)};
    key += name;
    key.push_back('\0');
    CHECK(md5_of(key) == "1eb2be517a366b6be3657a4a205e903e");
}
