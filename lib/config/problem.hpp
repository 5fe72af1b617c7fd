// What is wrong with a configuration, and where: shown the way a compiler shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace durability::config {

enum class Gravity : unsigned char {
    error,
    warning
};

struct Problem {
    std::string file;    // a path, or "command line"
    unsigned line{0};    // from 1; 0: the problem has no line
    unsigned column{0};  // from 1, in bytes
    std::string path;    // "topics[2].contract"; may be empty
    std::string message;
    std::string hint;    // "did you mean 'depth'?"; may be empty
    std::string source;  // the line of the file; may be empty
    unsigned width{1};   // bytes the problem covers, from the column on
    Gravity gravity{Gravity::error};
};

// FILE:LINE:COLUMN: error: PATH: MESSAGE; HINT, then the line and a mark under the place, where
// known. Several lines, each ended; text from the file is made safe to print.
[[nodiscard]] std::string to_text(const Problem& problem);

// All of them, and "2 errors" at the end.
[[nodiscard]] std::string to_text(const std::vector<Problem>& problems);

}  // namespace durability::config
