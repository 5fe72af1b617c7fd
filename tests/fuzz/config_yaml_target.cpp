// The text of a configuration file: is taken or refused with at least one error, each problem can
// be shown, and the same text is always taken for the same.
#include "config/loader.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

using namespace durability;
using namespace durability::config;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

bool is_error(const Problem& problem) {
    return problem.gravity == Gravity::error;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto loaded = load_text("durabilityd.yaml", text);
    if (!loaded) {
        require(std::any_of(loaded.error().begin(), loaded.error().end(), is_error));
        require(!to_text(loaded.error()).empty());
        return 0;
    }
    require(std::none_of(loaded->warnings.begin(), loaded->warnings.end(), is_error));
    (void)to_text(loaded->warnings);
    // What stands in the file has its place there, and nothing else has.
    for (const auto& [path, origin] : loaded->origins)
        require(origin.line > 0 && loaded->origin(path) == origin.text());
    const auto again = load_text("durabilityd.yaml", text);
    require(again && again->config.topics.size() == loaded->config.topics.size());
    return 0;
}
