// Rows of a reply that more than one command has, both ways. Private to this folder.
#pragma once

#include "control/json.hpp"
#include "model/explanation.hpp"
#include "model/reload.hpp"
#include "model/shown_topic.hpp"
#include "model/status.hpp"

#include <cstdint>

namespace durability::control {

[[nodiscard]] Json topic_json(std::uint32_t domain, const TopicStatus& topic);
[[nodiscard]] Json reader_json(std::uint32_t domain, const ReaderStatus& reader);

// A member that is missing or of another type leaves the default.
[[nodiscard]] DurabilityKind read_durability(const Json& json);
[[nodiscard]] TopicStatus read_topic(const Json& json);
[[nodiscard]] ReaderStatus read_reader(const Json& json);
// Of a reply to `explain`.
[[nodiscard]] Explanation read_explanation(const Json& data);
// Of a reply to `reload`; nothing of another one.
[[nodiscard]] bool is_reload(const Json& data);
[[nodiscard]] ReloadVerdict read_reload(const Json& data);
// Of a reply to `show`.
[[nodiscard]] Shown read_shown(const Json& data);

}  // namespace durability::control
