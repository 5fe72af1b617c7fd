// What a reader knows of each instance in the end, and whether that is what a test expects.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peer {

struct InstanceReport {
    std::string state;  // as in Received
    std::uint64_t valid{0};
    std::uint64_t duplicates{0};
    std::uint64_t out_of_order{0};
    std::uint32_t last{0};  // number of the valid sample that came last; 0: there was none
    std::uint32_t newest{0};
};

using Instances = std::map<std::uint32_t, InstanceReport>;

// A line for each instance: `instance=1 state=ALIVE valid=3 last=7 duplicates=0 out_of_order=0`.
std::vector<std::string> describe(const Instances& instances);

// Expectations such as "1=ALIVE:7 2=DISPOSED"; empty: none.
class ExpectedStates {
  public:
    // Ends the process when it cannot be understood.
    explicit ExpectedStates(const std::string& text);

    // These instances and no others, each in its state, with its last sample where one is named.
    [[nodiscard]] bool hold(const Instances& instances) const;

  private:
    struct Expected {
        std::string state;
        std::optional<std::uint32_t> last;
    };
    std::map<std::uint32_t, Expected> expected_;
};

}  // namespace peer
