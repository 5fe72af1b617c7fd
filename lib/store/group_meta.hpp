// A group's metadata as bytes: its key, mirrored QoS and contract. Used for the meta file, for the
// group frame at the start of each log, and (the key alone) for the name of the folder. Layout:
// LOG-FORMAT.md, section 8. Nothing may be reordered; what is added later goes to the end.
#pragma once

#include "base/bytes.hpp"
#include "model/group.hpp"
#include "store/log_format.hpp"

#include <optional>

namespace durability::store {

void encode_group_key(const GroupKey& key, Buffer& out);
void encode_group_meta(const GroupMeta& meta, Buffer& out);
// The same as a frame of kind group.
void encode_group_frame(const GroupMeta& meta, Buffer& out);
// The whole meta file of the group whose key has that hash.
[[nodiscard]] Buffer encode_meta_file(const GroupMeta& meta, const GroupHash& hash);
// Nothing when the bytes are not such an encoding; bytes beyond the known fields are ignored.
[[nodiscard]] std::optional<GroupMeta> decode_group_meta(ByteView bytes);

}  // namespace durability::store
