#include "types/type_values.hpp"

#include "types/topic_keys.hpp"
#include "types/type_id.hpp"
#include "types/type_information.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace durability::types {

std::vector<ShownValue> type_values(const GroupMeta& meta) {
    std::vector<ShownValue> values;
    values.push_back({"type", printable(meta.key.type), ValueOrigin::writer, {}});
    const auto information = decode_type_information(meta.qos.type_information);
    std::string hash = "none announced";
    if (information && information->minimal) hash = to_string(*information->minimal);
    if (information && information->complete)
        hash += fmt::format(", {}", to_string(*information->complete));
    values.push_back({"type_hash", std::move(hash), ValueOrigin::writer, {}});
    values.push_back({"type_description",
                      described_type(meta) ? "stored" : "not known",
                      ValueOrigin::writer,
                      {}});
    return values;
}

}  // namespace durability::types
