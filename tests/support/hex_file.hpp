// Files of annotated bytes: '#' begins a comment, a line "= name" begins an entry, all other lines
// are hexadecimal digits that belong to it. Without any "= name" each line is an entry of its own.
#pragma once

#include "support/hex.hpp"

#include <fstream>
#include <string>
#include <vector>

namespace durability::test {

struct HexEntry {
    std::string name;
    Buffer bytes;
};

// Throws when the file cannot be read: a test without its input must not pass.
[[nodiscard]] inline std::vector<HexEntry> read_hex_file(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot open " + path);
    std::vector<HexEntry> entries;
    std::string line;
    bool named = false;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
        line.erase(std::min(line.find('#'), line.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        if (line.starts_with("= ")) {
            named = true;
            entries.push_back({line.substr(2), {}});
            continue;
        }
        const Buffer bytes = from_hex(line);
        if (!named) entries.push_back({path + ":" + std::to_string(number), {}});
        entries.back().bytes.insert(entries.back().bytes.end(), bytes.begin(), bytes.end());
    }
    return entries;
}

}  // namespace durability::test
