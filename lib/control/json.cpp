#include "control/json.hpp"

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace durability::control {
namespace {

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

std::string to_text(const Json& json) {
    // Names were checked to be UTF-8; replacing is the last resort for texts that were not names.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void put_name(Json& json, const char* key, const std::string& text) {
    if (is_utf8(text)) {
        json[key] = text;
        return;
    }
    json[key] = printable(text, text.size() * 4);
    const std::span octets(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    json[std::string(key) + "_hex"] = to_hex(octets);
}

std::optional<std::string> from_hex(std::string_view hex) {
    if (hex.size() % 2 != 0) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const int high = digit(hex[i]);
        const int low = digit(hex[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        text += static_cast<char>(high * 16 + low);
    }
    return text;
}

std::string get_name(const Json& json, const char* key) {
    const std::string hex = json.value(std::string(key) + "_hex", std::string());
    const auto text = hex.empty() ? std::nullopt : from_hex(hex);
    return text ? *text : json.value(key, std::string());
}

std::string_view sync_name(SyncPolicy policy) {
    switch (policy) {
        case SyncPolicy::commit:
            return "commit";
        case SyncPolicy::interval:
            return "interval";
        case SyncPolicy::none:
            return "none";
    }
    return "?";
}

}  // namespace durability::control
