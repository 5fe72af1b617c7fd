// YAML files and the command line -> Config with the origin of every value, or every problem at
// once. Reads files; keeps no state; may be called from any thread. Format: durabilityd.yaml(5).
#pragma once

#include "config/problem.hpp"
#include "durability/config.hpp"

#include <tl/expected.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace durability::config {

// An option given on the command line: checked like one in a file, and stronger.
struct Setting {
    std::string path;                 // "store.directory"
    std::vector<std::string> values;  // one, or more for a list
    bool append{false};               // add to the list of the file instead of replacing it
    std::string name;                 // "--state-dir", for messages
};

struct Sources {
    std::string file;    // empty: built-in defaults
    std::string conf_d;  // folder of rule files (*.yaml, byte order); empty or absent: none
    std::vector<Setting> settings;
};

// "default", "command line", or a file and line.
struct Origin {
    std::string file;
    unsigned line{0};
    unsigned column{0};
    std::string source;  // the line itself, for messages
    [[nodiscard]] std::string text() const;
};
inline constexpr std::string_view command_line = "command line";

struct Loaded {
    Config config;
    // By option path, topics counted ("topics[2].contract.depth"); what is not here has its
    // default.
    std::map<std::string, Origin, std::less<>> origins;
    std::vector<Problem> warnings;
    std::vector<std::string> files;  // read, in order

    // "default", "command line" or "file:line".
    [[nodiscard]] std::string origin(std::string_view path) const;
};

// Everything is read and checked before anything is returned. On failure at least one problem is an
// error; warnings are among them, in the order of the files.
[[nodiscard]] tl::expected<Loaded, std::vector<Problem>> load(const Sources& sources);

// The same for text that was read from elsewhere (tests, fuzzing): no conf.d, no command line.
[[nodiscard]] tl::expected<Loaded, std::vector<Problem>> load_text(std::string file,
                                                                   std::string text);

}  // namespace durability::config
