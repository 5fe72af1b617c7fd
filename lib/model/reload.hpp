// What became of a reload of the configuration: all or nothing, and for each thing that changed
// whether it is in force now (surface.md: SIGHUP; cases R11.4). Values only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace durability {

// An option that is written otherwise than before.
struct OptionChange {
    std::string option;  // "log.level"
    std::string before;  // as in a file; empty: not set
    std::string now;
    friend bool operator==(const OptionChange&, const OptionChange&) = default;
};

// A topic that is served otherwise than before.
struct TopicEffect {
    enum class Kind : std::uint8_t {
        served,       // its history is recorded and given to late readers from now on
        not_served,   // neither any more; what is stored is kept
        contract,     // another contract is in force; what is beyond it goes
        storage_kept  // the rule names another storage; what is stored stays where it is
    };
    std::uint32_t domain{0};
    std::string topic;
    std::string type;
    Kind kind{Kind::served};
    friend bool operator==(const TopicEffect&, const TopicEffect&) = default;
};
[[nodiscard]] std::string_view name(TopicEffect::Kind kind);

// Something wrong with a file, or worth a remark; located as far as that is known.
struct ReloadProblem {
    bool is_error{true};
    std::string file;
    std::uint64_t line{0};    // from 1; 0: none
    std::uint64_t column{0};  // likewise
    std::string path;         // "topics[2].contract"; may be empty
    std::string message;
    std::string hint;  // may be empty
    // As a compiler shows it, with the line of the file; several lines, each ended.
    std::string text;
    friend bool operator==(const ReloadProblem&, const ReloadProblem&) = default;
};

struct ReloadVerdict {
    bool accepted{false};  // else nothing has changed
    std::vector<ReloadProblem> problems;
    std::vector<std::string> files;     // read, in order
    std::vector<OptionChange> applied;  // in force now
    std::vector<OptionChange> restart;  // in force after the next start
    std::uint64_t rules{0};             // in force
    std::uint64_t rules_added{0};
    std::uint64_t rules_removed{0};
    std::uint64_t rules_changed{0};
    bool rules_reordered{false};
    std::vector<TopicEffect> topics;
    friend bool operator==(const ReloadVerdict&, const ReloadVerdict&) = default;
};

}  // namespace durability
