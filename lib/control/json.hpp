// JSON as the control socket writes it. Private to this folder.
#pragma once

#include "durability/config.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace durability::control {

// Objects keep the order in which members were written, so that output is stable and readable.
using Json = nlohmann::ordered_json;

[[nodiscard]] std::string to_text(const Json& json);
// Names from the network may hold any octets, JSON strings may not. One that is no UTF-8 is shown
// escaped, and exactly given in hexadecimal beside it.
void put_name(Json& json, const char* key, const std::string& text);
// A member that is missing or of another type leaves the default.
[[nodiscard]] std::string get_name(const Json& json, const char* key);
// Octets of such a text; nothing when it is not pairs of lower-case digits.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view hex);
// "commit", "interval", "none"
[[nodiscard]] std::string_view sync_name(SyncPolicy policy);

}  // namespace durability::control
