#include "types/key_plan.hpp"

#include "types/fixed_key.hpp"
#include "types/key_text.hpp"
#include "types/key_walker.hpp"
#include "types/shape_builder.hpp"

#include "base/md5.hpp"
#include "base/sha256.hpp"
#include "wire/cdr.hpp"

#include <algorithm>
#include <array>

namespace durability::types {

struct KeyPlan::Program {
    Shape shape;
    std::size_t maximum{unlimited_key};        // of the serialized key
    std::size_t maximum_xcdr2{unlimited_key};  // of the key in XCDR2
    std::optional<FixedKey> fixed_xcdr1;
    std::optional<FixedKey> fixed_xcdr2;
    bool is_closed{true};

    // Whether Cyclone DDS sends keys of the type in this version: members without headers, by id.
    // In XCDR1 it has final types only.
    [[nodiscard]] bool is_bare_in(CdrVersion version) const {
        return version == CdrVersion::xcdr2 || is_closed;
    }
};

namespace {

namespace kinds = wire::encapsulation;

// The parts of a payload: what its encapsulation header says, and what follows.
struct Encoding {
    CdrVersion version{CdrVersion::xcdr1};
    std::endian order{std::endian::little};
    Extensibility extensibility{Extensibility::closed};
    std::size_t padding{0};  // octets at the end
    ByteView body;
};

Extensibility extensibility_of(std::uint16_t kind) {
    const unsigned big_endian = kind & 0xfffeU;
    if (big_endian == kinds::d_cdr2_be) return Extensibility::appendable;
    const bool is_list = big_endian == kinds::pl_cdr_be || big_endian == kinds::pl_cdr2_be;
    return is_list ? Extensibility::mutable_members : Extensibility::closed;
}

std::optional<Encoding> decode_encoding(ByteView payload) {
    const auto header = wire::decode_encapsulation(payload);
    if (!header) return std::nullopt;
    const auto representation = wire::representation_of(header->kind);
    if (!representation) return std::nullopt;
    Encoding encoding;
    encoding.version = *representation == 2 ? CdrVersion::xcdr2 : CdrVersion::xcdr1;
    encoding.order = header->order();
    encoding.extensibility = extensibility_of(header->kind);
    encoding.padding = header->options & 3U;
    encoding.body = payload.subspan(wire::encapsulation_size);
    return encoding;
}

// Whether samples of the type are encoded so. XCDR1 has nothing of its own for appendable types.
bool is_encoding_of(const Shape& shape, const Encoding& encoding) {
    const Extensibility root = shape[shape.root].extensibility;
    if (shape.is_layout) return encoding.extensibility != Extensibility::mutable_members;
    if (encoding.extensibility == root) return true;
    return encoding.version == CdrVersion::xcdr1 && root == Extensibility::appendable &&
           encoding.extensibility == Extensibility::closed;
}

constexpr KeyFormat serialized_format{};

// The key in `encoding`, written in another format. Nothing when it is not a key, or when more
// than `max_rest` octets follow it.
std::optional<Buffer> convert(const Shape& shape,
                              const Encoding& encoding,
                              KeySource source,
                              KeyFormat format,
                              std::size_t max_rest) {
    CdrCursor cursor(encoding.body, encoding.order, encoding.version);
    Buffer key;
    KeyWriter out(key, format);
    if (!KeyWalker(shape, cursor, source).take_key(out)) return std::nullopt;
    if (source.has_only_keys && cursor.remaining() > max_rest) return std::nullopt;
    return key;
}

// The serialized key, written in another format.
std::optional<Buffer> rewrite(const Shape& shape, ByteView serialized_key, KeyFormat format) {
    const Encoding encoding{
        CdrVersion::xcdr1, std::endian::big, Extensibility::closed, 0, serialized_key};
    return convert(shape, encoding, {true, false, false}, format, 0);
}

KeyFormat format_of(const HashRule& rule) {
    const CdrVersion version = rule.representation == 2 ? CdrVersion::xcdr2 : CdrVersion::xcdr1;
    return {std::endian::big, version, rule.is_by_id, false};
}

KeyHash padded(ByteView key) {
    KeyHash hash{};
    std::copy_n(key.begin(), std::min(key.size(), hash.size()), hash.begin());
    return hash;
}

std::uint64_t tag_of(ByteView serialized_key) {
    const auto digest = sha256(serialized_key);
    std::uint64_t tag = 0;
    for (std::size_t i = 0; i < sizeof tag; ++i)
        tag = tag << 8U | digest[i];
    return tag == 0 ? 1 : tag;  // 0 says that the hash holds the key itself
}

std::uint16_t key_payload_kind(const Shape& shape, CdrVersion version) {
    const Extensibility root = shape[shape.root].extensibility;
    if (version == CdrVersion::xcdr1)
        return root == Extensibility::mutable_members ? kinds::pl_cdr_le : kinds::cdr_le;
    if (root == Extensibility::mutable_members) return kinds::pl_cdr2_le;
    return root == Extensibility::appendable ? kinds::d_cdr2_le : kinds::cdr2_le;
}

}  // namespace

Result<KeyPlan> KeyPlan::from_program(Program program) {
    const auto maximum = maximum_key_size(program.shape, CdrVersion::xcdr1);
    if (!maximum) return tl::unexpected(maximum.error());
    program.maximum = *maximum;
    program.maximum_xcdr2 =
        maximum_key_size(program.shape, CdrVersion::xcdr2).value_or(unlimited_key);
    program.is_closed = types::is_closed(program.shape);
    program.fixed_xcdr1 = find_fixed_key(program.shape, CdrVersion::xcdr1);
    program.fixed_xcdr2 = find_fixed_key(program.shape, CdrVersion::xcdr2);
    return KeyPlan(std::make_shared<const Program>(std::move(program)));
}

Result<KeyPlan> KeyPlan::from_type(const TypeLibrary& library, const TypeId& type) {
    auto shape = shape_of_type(library, type);
    if (!shape) return tl::unexpected(shape.error());
    Program program;
    program.shape = std::move(*shape);
    return from_program(std::move(program));
}

Result<KeyPlan> KeyPlan::from_layout(const std::vector<std::string>& layout) {
    auto shape = shape_of_layout(layout);
    if (!shape) return tl::unexpected(shape.error());
    Program program;
    program.shape = std::move(*shape);
    return from_program(std::move(program));
}

std::optional<Buffer> KeyPlan::key_of_data(ByteView payload) const {
    auto encoding = decode_encoding(payload);
    if (!encoding || !is_encoding_of(program_->shape, *encoding)) return std::nullopt;
    const auto& fixed =
        encoding->version == CdrVersion::xcdr1 ? program_->fixed_xcdr1 : program_->fixed_xcdr2;
    const bool is_plain = encoding->extensibility == Extensibility::closed;
    if (fixed && is_plain) return fixed->take(encoding->body, encoding->order);
    // The shape made from a layout does not know of the DHEADER.
    if (program_->shape.is_layout && !is_plain) {
        CdrCursor cursor(encoding->body, encoding->order, encoding->version);
        const std::uint32_t size = cursor.u32();
        if (size > cursor.remaining()) return std::nullopt;
        encoding->body = encoding->body.subspan(cursor.position(), size);
    }
    return convert(program_->shape, *encoding, {}, serialized_format, 0);
}

// Cyclone DDS writes the key members alone, by id, whatever the type is. Others reduce the type to
// its key members and encode that. Which it is shows in that only one reading uses up the payload;
// where both do, Cyclone's is taken if it can have written the payload.
std::optional<Buffer> KeyPlan::key_of_key(ByteView payload) const {
    auto encoding = decode_encoding(payload);
    if (!encoding || encoding->padding > encoding->body.size()) return std::nullopt;
    encoding->body = encoding->body.first(encoding->body.size() - encoding->padding);
    // Not everybody says how much padding there is.
    const std::size_t max_rest = encoding->padding == 0 ? 3 : 0;
    constexpr KeySource bare{true, false, true};
    constexpr KeySource typed{true, true, false};
    constexpr KeySource declared{true, false, false};
    const auto orders = program_->is_bare_in(encoding->version) ? std::array{bare, typed, declared}
                                                                : std::array{typed, bare, declared};
    for (const KeySource& source : orders)
        if (auto key = convert(program_->shape, *encoding, source, serialized_format, max_rest))
            return key;
    return std::nullopt;
}

std::optional<Buffer> KeyPlan::key_of_hash(const KeyHash& hash) const {
    return key_of_hash(hash, {});
}

std::optional<Buffer> KeyPlan::key_of_hash(const KeyHash& hash, const HashRule& rule) const {
    const KeyFormat format = format_of(rule);
    const std::size_t maximum =
        format.version == CdrVersion::xcdr1 ? program_->maximum : program_->maximum_xcdr2;
    if (maximum >= unlimited_key) return std::nullopt;
    const Encoding encoding{format.version, format.order, Extensibility::closed, 0, ByteView(hash)};
    auto key = convert(
        program_->shape, encoding, {true, false, rule.is_by_id}, serialized_format, hash.size());
    // What follows the key has to be padding.
    if (!key || key_hash_by(*key, rule) != hash) return std::nullopt;
    return key;
}

InstanceKey KeyPlan::identify(ByteView serialized_key) const {
    if (fits_key_hash()) return {padded(serialized_key), 0};
    return {md5(serialized_key), tag_of(serialized_key)};
}

KeyHash KeyPlan::key_hash_by(ByteView serialized_key, const HashRule& rule) const {
    const KeyFormat format = format_of(rule);
    const auto key = rewrite(program_->shape, serialized_key, format);
    if (!key) return {};
    const std::size_t maximum =
        format.version == CdrVersion::xcdr1 ? program_->maximum : program_->maximum_xcdr2;
    const std::size_t size = rule.md5_by == HashRule::Measure::maximum ? maximum : key->size();
    return size > KeyHash{}.size() ? md5(*key) : padded(*key);
}

Buffer KeyPlan::key_payload(ByteView serialized_key, std::int16_t representation) const {
    const CdrVersion version = representation == 2 ? CdrVersion::xcdr2 : CdrVersion::xcdr1;
    const bool is_bare = program_->is_bare_in(version);
    const KeyFormat format{std::endian::little, version, is_bare, !is_bare};
    const auto key = rewrite(program_->shape, serialized_key, format);
    if (!key) return {};
    const auto padding = static_cast<std::uint16_t>(-key->size() & 3U);
    Buffer payload;
    wire::encode_encapsulation(payload, {key_payload_kind(program_->shape, version), padding});
    payload.insert(payload.end(), key->begin(), key->end());
    payload.resize(payload.size() + padding);
    return payload;
}

std::string KeyPlan::describe(ByteView serialized_key) const {
    return describe_key(program_->shape, serialized_key);
}

bool KeyPlan::fits_key_hash() const {
    return program_->maximum < unlimited_key;
}

}  // namespace durability::types
