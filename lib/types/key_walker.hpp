// Reads the key of a value and writes it in another format: out of a whole sample, or out of what
// holds the key alone.
#pragma once

#include "types/cdr_cursor.hpp"
#include "types/key_writer.hpp"
#include "types/shape.hpp"

#include <cstdint>
#include <vector>

namespace durability::types {

// What is read. A whole sample looks as its type says. Of payloads with the key alone there are
// two sorts: key members one after the other (the serialized key; Cyclone DDS), and the type
// reduced to its key members, with the headers its extensibility asks for (the standard).
struct KeySource {
    bool has_only_keys{false};
    bool has_headers{true};
    bool is_by_id{false};  // without headers: in the order of the ids, not as declared
};

class KeyWalker {
  public:
    KeyWalker(const Shape& shape, CdrCursor& cursor, KeySource source)
        : shape_(shape), cursor_(cursor), source_(source) {}

    // Appends the key of the root. False when the value is not of the shape; what was written then
    // is worthless. Of a whole sample nothing behind the last key member is looked at.
    [[nodiscard]] bool take_key(KeyWriter& out);

  private:
    // Which members of a structure are taken: those of its key, or, inside a collection, all.
    enum class Scope : std::uint8_t {
        keys,
        all
    };
    enum class Tail : std::uint8_t {
        open,    // the cursor has to stand behind the value afterwards
        ignored  // nothing is read any more
    };
    struct Place {
        bool is_found{false};
        std::size_t position{0};
        CdrCursor::Window window;
    };

    void take(NodeIndex index, Scope scope, Tail tail, KeyWriter& out);
    void take_text(const ShapeNode& node, KeyWriter& out);
    void take_wide_text(const ShapeNode& node, KeyWriter& out);
    void take_collection(const ShapeNode& node, KeyWriter& out);
    void take_elements(const ShapeNode& node, std::uint32_t count, KeyWriter& out);

    void take_structure(const ShapeNode& node, Scope scope, Tail tail, KeyWriter& out);
    void take_in_order(const ShapeNode& node, Scope scope, Tail tail, KeyWriter& out);
    void take_keys_among_others(const ShapeNode& node, Tail tail, KeyWriter& out);
    void take_located(const ShapeNode& node, Scope scope, Tail tail, KeyWriter& out);
    void take_member(
        const ShapeNode& node, std::uint32_t member, Scope scope, Tail tail, KeyWriter& out);

    // Find the members in `wanted` (positions in `node.members`).
    std::vector<Place> locate_tagged(const ShapeNode& node,
                                     Tail tail,
                                     const std::vector<std::uint32_t>& wanted);
    std::vector<Place> locate_in_order(const ShapeNode& node,
                                       Scope scope,
                                       const std::vector<std::uint32_t>& wanted);

    [[nodiscard]] bool is_tagged(const ShapeNode& node) const;
    [[nodiscard]] bool is_delimited(const ShapeNode& node) const;

    const Shape& shape_;
    CdrCursor& cursor_;
    KeySource source_;
};

}  // namespace durability::types
