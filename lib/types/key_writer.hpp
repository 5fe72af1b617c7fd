// Writes keys: values one after the other, aligned as their representation wants, with no headers
// around structures. So the serialized key looks, and so Cyclone DDS sends keys in any
// representation; mutable types in XCDR1 are parameter lists if that is asked for.
#pragma once

#include "types/cdr_cursor.hpp"

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>

namespace durability::types {

struct KeyFormat {
    std::endian order{std::endian::big};
    CdrVersion version{CdrVersion::xcdr1};
    bool is_by_id{false};        // members in the order of their ids, not as declared
    bool has_parameters{false};  // mutable structures as parameter lists (XCDR1)
};

class KeyWriter {
  public:
    KeyWriter(Buffer& out, KeyFormat format)
        : out_(out),
          origin_(out.size()),
          max_alignment_(max_alignment(format.version)),
          format_(format) {}

    [[nodiscard]] const KeyFormat& format() const { return format_; }
    [[nodiscard]] bool is_version_2() const { return format_.version == CdrVersion::xcdr2; }

    // `count` values of `width` octets each, as they stand in the source.
    void values(const std::uint8_t* source,
                std::size_t count,
                std::size_t width,
                std::endian source_order);
    void u16(std::uint16_t value);
    void u32(std::uint32_t value);
    void octets(const std::uint8_t* source, std::size_t count) {
        out_.insert(out_.end(), source, source + count);
    }

    // A DHEADER, completed by end_delimited() with what begin_delimited() returned.
    [[nodiscard]] std::size_t begin_delimited();
    void end_delimited(std::size_t begin) { patch_u32(begin - 4, out_.size() - begin); }

    struct Parameter {
        std::size_t begin{0};
        std::size_t outer_origin{0};
    };
    [[nodiscard]] Parameter begin_parameter(std::uint32_t id);
    void end_parameter(const Parameter& parameter);
    void end_parameters();

  private:
    void align(std::size_t alignment) {
        const std::size_t limited = alignment < max_alignment_ ? alignment : max_alignment_;
        out_.resize(out_.size() + ((origin_ - out_.size()) & (limited - 1)));
    }
    void patch_u32(std::size_t position, std::size_t value);

    Buffer& out_;
    std::size_t origin_;
    std::size_t max_alignment_;
    KeyFormat format_;
};

// Copies values and turns their octets round.
void copy_reversed(std::uint8_t* target,
                   const std::uint8_t* source,
                   std::size_t count,
                   std::size_t width);

}  // namespace durability::types
