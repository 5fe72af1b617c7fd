#include "base/crc32c.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string_view>

using namespace durability;

namespace {

ByteView bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

TEST_CASE("the checksum gives the values published for CRC-32C") {
    // RFC 3720, B.4, and the customary check value of "123456789".
    CHECK(crc32c(bytes_of("123456789")) == 0xe3069283U);
    CHECK(crc32c(Buffer(32, 0x00)) == 0x8a9136aaU);
    CHECK(crc32c(Buffer(32, 0xff)) == 0x62a8ab43U);
    Buffer rising(32);
    for (std::size_t i = 0; i < rising.size(); ++i)
        rising[i] = static_cast<std::uint8_t>(i);
    CHECK(crc32c(rising) == 0x46dd794eU);
    CHECK(crc32c({}) == 0);
}

TEST_CASE("the portable implementation gives the published values as well") {
    CHECK(crc32c_portable(bytes_of("123456789")) == 0xe3069283U);
    CHECK(crc32c_portable(Buffer(32, 0x00)) == 0x8a9136aaU);
    CHECK(crc32c_portable({}) == 0);
}

TEST_CASE("both implementations agree for every length and any alignment") {
    std::mt19937 random(20);  // NOLINT(cert-msc51-cpp): the same bytes in every run
    Buffer bytes(300);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    for (std::size_t begin = 0; begin < 9; ++begin) {
        for (std::size_t size = 0; begin + size <= bytes.size(); ++size) {
            const ByteView view = ByteView(bytes).subspan(begin, size);
            REQUIRE(crc32c(view) == crc32c_portable(view));
        }
    }
}

TEST_CASE("a checksum can be continued at any point") {
    const ByteView all = bytes_of("a frame is checksummed in two pieces");
    for (std::size_t cut = 0; cut <= all.size(); ++cut) {
        REQUIRE(crc32c(all.subspan(cut), crc32c(all.first(cut))) == crc32c(all));
        REQUIRE(crc32c_portable(all.subspan(cut), crc32c_portable(all.first(cut))) == crc32c(all));
    }
}

TEST_CASE("every single flipped bit changes the checksum") {
    Buffer bytes(64, 0x5a);
    const std::uint32_t intact = crc32c(bytes);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
        REQUIRE(crc32c(bytes) != intact);
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
    }
}
