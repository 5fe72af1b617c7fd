#include "types/type_check.hpp"

#include "types/topic_keys.hpp"
#include "types/type_information.hpp"
#include "types/type_object.hpp"

#include <algorithm>

namespace durability::types {
namespace {

// As deep as a chain of base types is followed.
constexpr int most_bases = 64;

bool has_key(const TypeLibrary& library, TypeId id) {
    for (int depth = 0; depth < most_bases; ++depth) {
        const Buffer* object = library.find(id);
        if (object == nullptr) return false;
        const auto description = decode_type_object(*object);
        if (!description) return false;
        if (std::ranges::any_of(description->members,
                                [](const MemberDescription& member) { return member.is_key; }))
            return true;
        if (!description->related.is_hash()) return false;
        id = description->related.id;
    }
    return false;
}

}  // namespace

Result<bool> check_description(const Buffer& information, const std::vector<Buffer>& objects) {
    if (!decode_type_information(information))
        return fail(Errc::invalid_argument, "the type information cannot be read");
    GroupMeta meta;
    meta.qos.type_information = information;
    meta.type_objects = objects;
    const auto type = described_type(meta);
    if (!type) {
        return fail(Errc::invalid_argument,
                    "the type objects do not hold all that the type information names");
    }
    const TypeLibrary library = library_of(meta);
    if (!has_key(library, *type)) return false;
    const auto plan = KeyPlan::from_type(library, *type);
    if (!plan) return tl::unexpected(plan.error());
    return true;
}

}  // namespace durability::types
