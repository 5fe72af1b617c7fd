// One configuration file as a tree of our own: the YAML library stays behind read_document(), and
// what it lets through (duplicate keys, second documents, merge keys, open quotations) has been
// refused there.
#pragma once

#include "config/problem.hpp"
#include "config/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace durability::config {

struct Node {
    enum class Kind : std::uint8_t {
        null,
        scalar,
        list,
        map
    };
    Kind kind{Kind::null};
    unsigned line{0};    // from 1
    unsigned column{0};  // from 1
    Scalar scalar;
    std::vector<Node> items;  // of a list; of a map: the values, in the order of keys
    std::vector<Node> keys;   // of a map; all scalars
};

struct Document {
    std::string file;
    std::string text;
    Node root;
    std::vector<std::size_t> line_starts;  // offsets; made by index_lines() from the text

    void index_lines();
    // Offset of a line's first byte; the length of the text beyond the file.
    [[nodiscard]] std::size_t line_start(unsigned number) const;
    // The line without its end; empty beyond the file.
    [[nodiscard]] std::string line(unsigned number) const;
    // A problem at a node of this document.
    [[nodiscard]] Problem problem(const Node& node,
                                  std::string path,
                                  std::string message,
                                  std::string hint = {}) const;
};

// Parses text that was read from `file`. Structural problems are appended; the root is then what
// could be read, so that the problems of the rest are found in the same run.
[[nodiscard]] Document read_document(std::string file,
                                     std::string text,
                                     std::vector<Problem>& problems);

}  // namespace durability::config
