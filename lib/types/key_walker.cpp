#include "types/key_walker.hpp"

#include "types/member_header.hpp"
#include "types/value_skip.hpp"

#include <algorithm>
#include <numeric>

namespace durability::types {

namespace {

std::vector<std::uint32_t> all_members(const ShapeNode& node) {
    std::vector<std::uint32_t> all(node.members.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
}

bool writes_parameters(const ShapeNode& node, const KeyWriter& out) {
    return out.format().has_parameters && node.extensibility == Extensibility::mutable_members;
}

}  // namespace

bool KeyWalker::take_key(KeyWriter& out) {
    take(shape_.root, Scope::keys, source_.has_only_keys ? Tail::open : Tail::ignored, out);
    return cursor_.ok();
}

bool KeyWalker::is_tagged(const ShapeNode& node) const {
    return source_.has_headers && node.extensibility == Extensibility::mutable_members;
}

bool KeyWalker::is_delimited(const ShapeNode& node) const {
    return source_.has_headers && cursor_.is_version_2() &&
           node.extensibility != Extensibility::closed;
}

void KeyWalker::take(NodeIndex index, Scope scope, Tail tail, KeyWriter& out) {
    if (!cursor_.step()) return;
    const ShapeNode& node = shape_[index];
    switch (node.kind) {
        case NodeKind::primitive:
            return take_elements(node, 1, out);
        case NodeKind::string:
            return take_text(node, out);
        case NodeKind::wide_string:
            return take_wide_text(node, out);
        case NodeKind::sequence:
        case NodeKind::array:
            return take_collection(node, out);
        case NodeKind::structure:
            return take_structure(node, scope, tail, out);
        case NodeKind::choice:
        case NodeKind::map:
            return cursor_.set_failed();  // refused when the plan was made
    }
}

// The length counts the terminating zero, of which there is one, at the end. A length of zero is
// how some write the empty string.
void KeyWalker::take_text(const ShapeNode& node, KeyWriter& out) {
    static constexpr std::uint8_t terminator = 0;
    const std::uint32_t length = cursor_.u32();
    const std::uint8_t* text = cursor_.take(length);
    if (text == nullptr) return;
    if (length == 0) {
        out.u32(1);
        return out.octets(&terminator, 1);
    }
    const auto* end = text + length;
    const bool is_too_long = node.count != 0 && length - 1 > node.count;
    if (is_too_long || std::find(text, end, std::uint8_t{0}) != end - 1)
        return cursor_.set_failed();
    out.u32(length);
    out.octets(text, length);
}

// The length counts octets, and nothing terminates the text (XTypes 1.3, 7.4.4.4).
void KeyWalker::take_wide_text(const ShapeNode& node, KeyWriter& out) {
    const std::uint32_t length = cursor_.u32();
    const std::uint8_t* text = cursor_.take(length);
    if (text == nullptr) return;
    const bool is_too_long = node.count != 0 && length / 2 > node.count;
    if (length % 2 != 0 || is_too_long) return cursor_.set_failed();
    out.u32(length);
    out.values(text, length / 2, 2, cursor_.order());
}

void KeyWalker::take_collection(const ShapeNode& node, KeyWriter& out) {
    const bool is_delimited = has_delimiter(node, shape_[node.element], cursor_);
    if (is_delimited) (void)cursor_.u32();
    const bool writes_delimiter = out.is_version_2() && node.header != CollectionHeader::absent;
    const std::size_t begin = writes_delimiter ? out.begin_delimited() : 0;
    std::uint32_t count = node.count;
    if (node.kind == NodeKind::sequence) {
        count = cursor_.u32();
        if (node.count != 0 && count > node.count) return cursor_.set_failed();
        out.u32(count);
    }
    const ShapeNode& element = shape_[node.element];
    if (element.kind == NodeKind::primitive) {
        take_elements(element, count, out);
    } else {
        for (std::uint32_t left = count; left > 0 && cursor_.ok(); --left)
            take(node.element, Scope::all, Tail::open, out);
    }
    if (writes_delimiter) out.end_delimited(begin);
}

void KeyWalker::take_elements(const ShapeNode& node, std::uint32_t count, KeyWriter& out) {
    if (count == 0) return;
    cursor_.align(node.width);
    const std::uint8_t* values = cursor_.take(std::size_t{count} * node.width);
    if (values != nullptr) out.values(values, count, node.width, cursor_.order());
}

void KeyWalker::take_structure(const ShapeNode& node, Scope scope, Tail tail, KeyWriter& out) {
    const bool is_same_order =
        scope == Scope::all || node.is_ordered_by_id || source_.is_by_id == out.format().is_by_id;
    const CdrCursor::Window outer =
        is_delimited(node) ? cursor_.enter(cursor_.u32()) : cursor_.window();
    if (is_tagged(node) || !is_same_order) {
        take_located(node, scope, tail, out);
    } else {
        take_in_order(node, scope, tail, out);
    }
    if (is_delimited(node) && tail == Tail::open) cursor_.leave(outer);
    if (writes_parameters(node, out)) out.end_parameters();
}

void KeyWalker::take_in_order(const ShapeNode& node, Scope scope, Tail tail, KeyWriter& out) {
    if (scope == Scope::all) {
        for (std::uint32_t i = 0; i < node.members.size(); ++i)
            take_member(node, i, scope, Tail::open, out);
    } else if (source_.has_only_keys) {
        for (const std::uint32_t i : source_.is_by_id ? node.keys_by_id : node.keys)
            take_member(node, i, scope, Tail::open, out);
    } else {
        take_keys_among_others(node, tail, out);
    }
}

void KeyWalker::take_keys_among_others(const ShapeNode& node, Tail tail, KeyWriter& out) {
    auto key = node.keys.begin();
    for (std::uint32_t i = 0; i < node.members.size() && cursor_.ok(); ++i) {
        if (key == node.keys.end() && tail == Tail::ignored) return;
        if (key != node.keys.end() && *key == i) {
            ++key;
            const Tail rest = key == node.keys.end() ? tail : Tail::open;
            take_member(node, i, Scope::keys, rest, out);
        } else if (is_delimited(node) && cursor_.remaining() == 0) {
            // An older version of the type ends here.
            if (key != node.keys.end()) cursor_.set_failed();
            return;
        } else {
            skip_member(shape_, node.members[i], cursor_);
        }
    }
}

void KeyWalker::take_member(
    const ShapeNode& node, std::uint32_t member, Scope scope, Tail tail, KeyWriter& out) {
    const NodeIndex value = node.members[member].node;
    if (!writes_parameters(node, out)) return take(value, scope, tail, out);
    const KeyWriter::Parameter parameter = out.begin_parameter(node.members[member].id);
    take(value, scope, tail, out);
    out.end_parameter(parameter);
}

// The members stand in another order than they are written in: they are found first.
void KeyWalker::take_located(const ShapeNode& node, Scope scope, Tail tail, KeyWriter& out) {
    const bool is_by_id = out.format().is_by_id;
    const std::vector<std::uint32_t> wanted = scope == Scope::all ? all_members(node)
                                              : is_by_id          ? node.keys_by_id
                                                                  : node.keys;
    const std::vector<Place> places =
        is_tagged(node) ? locate_tagged(node, tail, wanted) : locate_in_order(node, scope, wanted);
    const CdrCursor::Window window = cursor_.window();
    const std::size_t end = cursor_.position();
    for (std::size_t i = 0; i < wanted.size() && cursor_.ok(); ++i) {
        if (!places[i].is_found) return cursor_.set_failed();
        cursor_.restore(places[i].window, places[i].position);
        take_member(node, wanted[i], scope, Tail::open, out);
    }
    cursor_.restore(window, end);
}

std::vector<KeyWalker::Place> KeyWalker::locate_tagged(const ShapeNode& node,
                                                       Tail tail,
                                                       const std::vector<std::uint32_t>& wanted) {
    std::vector<Place> places(wanted.size());
    std::size_t missing = wanted.size();
    const bool is_list = !cursor_.is_version_2();
    while (cursor_.ok() && (is_list || cursor_.remaining() > 0)) {
        if (missing == 0 && tail == Tail::ignored) break;
        const auto header = is_list ? read_parameter_header(cursor_) : read_member_header(cursor_);
        if (!header) break;
        const CdrCursor::Window outer = cursor_.enter(header->size);
        if (is_list) cursor_.set_origin();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (node.members[wanted[i]].id != header->id || places[i].is_found) continue;
            places[i] = {true, cursor_.position(), cursor_.window()};
            --missing;
        }
        cursor_.leave(outer);
    }
    return places;
}

std::vector<KeyWalker::Place> KeyWalker::locate_in_order(const ShapeNode& node,
                                                         Scope scope,
                                                         const std::vector<std::uint32_t>& wanted) {
    std::vector<Place> places(wanted.size());
    Buffer unused;
    KeyWriter nowhere(unused, {});
    const auto pass = [&](std::uint32_t i) {
        const auto found = std::find(wanted.begin(), wanted.end(), i);
        if (found == wanted.end()) return skip_member(shape_, node.members[i], cursor_);
        places[static_cast<std::size_t>(found - wanted.begin())] = {
            true, cursor_.position(), cursor_.window()};
        if (source_.has_only_keys) return take(node.members[i].node, scope, Tail::open, nowhere);
        skip_member(shape_, node.members[i], cursor_);
    };
    if (source_.has_only_keys) {
        for (const std::uint32_t i : source_.is_by_id ? node.keys_by_id : node.keys)
            pass(i);
    } else {
        for (std::uint32_t i = 0; i < node.members.size() && cursor_.ok(); ++i)
            if (!is_delimited(node) || cursor_.remaining() > 0) pass(i);
    }
    return places;
}

}  // namespace durability::types
