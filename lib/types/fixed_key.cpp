#include "types/fixed_key.hpp"

#include "types/key_writer.hpp"

#include <algorithm>

namespace durability::types {

namespace {

// More than that is no faster this way, and a large value is not worth the memory.
constexpr std::size_t max_parts = 256;

std::size_t aligned(std::size_t at, std::size_t width, CdrVersion version) {
    const std::size_t alignment = std::min(width, max_alignment(version));
    return (at + alignment - 1) / alignment * alignment;
}

class FixedFinder {
  public:
    FixedFinder(const Shape& shape, CdrVersion version) : shape_(shape), version_(version) {}

    std::optional<FixedKey> find() {
        const ShapeNode& root = shape_[shape_.root];
        if (root.keys.empty() || !pass_structure(root, Part::keys)) return std::nullopt;
        return std::move(key_);
    }

  private:
    enum class Part : std::uint8_t {
        none,  // passed over
        keys,
        all
    };

    bool pass(NodeIndex index, Part part) {
        if (++parts_ > max_parts) return false;
        const ShapeNode& node = shape_[index];
        switch (node.kind) {
            case NodeKind::primitive:
                return pass_values(node.width, 1, part);
            case NodeKind::array:
                return pass_array(node, part);
            case NodeKind::structure:
                return pass_structure(node, part);
            case NodeKind::string:
            case NodeKind::wide_string:
            case NodeKind::sequence:
            case NodeKind::map:
            case NodeKind::choice:
                return false;
        }
        return false;
    }
    bool pass_values(std::size_t width, std::size_t count, Part part) {
        if (count == 0) return true;
        at_ = aligned(at_, width, version_);
        if (part != Part::none) {
            key_.size = aligned(key_.size, width, CdrVersion::xcdr1);
            key_.copies.push_back({at_, key_.size, count, width});
            key_.size += width * count;
            key_.needed = at_ + width * count;
        }
        at_ += width * count;
        return true;
    }
    bool pass_array(const ShapeNode& node, Part part) {
        const ShapeNode& element = shape_[node.element];
        const bool has_header =
            version_ == CdrVersion::xcdr2 && node.header != CollectionHeader::absent;
        if (has_header) return false;
        if (element.kind == NodeKind::primitive)
            return pass_values(element.width, node.count, part);
        for (std::uint32_t i = 0; i < node.count; ++i)
            if (!pass(node.element, part == Part::none ? part : Part::all)) return false;
        return true;
    }
    bool pass_structure(const ShapeNode& node, Part part) {
        if (node.extensibility == Extensibility::mutable_members) return false;
        if (version_ == CdrVersion::xcdr2 && node.extensibility != Extensibility::closed)
            return false;
        for (std::uint32_t i = 0; i < node.members.size(); ++i) {
            if (node.members[i].is_optional) return false;
            const bool is_taken =
                part == Part::all ||
                (part == Part::keys && std::binary_search(node.keys.begin(), node.keys.end(), i));
            if (!pass(node.members[i].node, is_taken ? part : Part::none)) return false;
        }
        return true;
    }

    const Shape& shape_;
    CdrVersion version_;
    FixedKey key_;
    std::size_t at_{0};
    std::size_t parts_{0};
};

}  // namespace

std::optional<Buffer> FixedKey::take(ByteView body, std::endian order) const {
    if (body.size() < needed) return std::nullopt;
    Buffer key(size);
    for (const Copy& copy : copies) {
        const std::uint8_t* source = body.data() + copy.source;
        if (copy.width == 1 || order == std::endian::big) {
            std::memcpy(key.data() + copy.target, source, copy.count * copy.width);
        } else {
            copy_reversed(key.data() + copy.target, source, copy.count, copy.width);
        }
    }
    return key;
}

std::optional<FixedKey> find_fixed_key(const Shape& shape, CdrVersion version) {
    return FixedFinder(shape, version).find();
}

}  // namespace durability::types
