#include "discovery/type_lookup_message.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "wire/cdr.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace durability::discovery {
namespace {

// Member ids made from the names (XTypes 1.3, 7.3.1.2.1.1).
constexpr std::uint32_t type_ids_member = 0x0c536065;
constexpr std::uint32_t types_member = 0x02804ad1;
constexpr std::uint32_t complete_to_minimal_member = 0x0b8e6577;
constexpr std::uint32_t dependent_typeids_member = 0x0ba4dfc9;
constexpr std::uint32_t continuation_point_member = 0x0508e3d2;

constexpr std::size_t max_instance_name = 256;
constexpr std::string_view instance_prefix = "dds.builtin.TOS.";

// --- reading ---

// What follows a DHEADER, and nothing behind that. Nested positions stay multiples of four, so that
// alignment within is that of the whole.
ByteReader enter(ByteReader& in) {
    in.align(4);
    const std::uint32_t size = in.u32();
    return ByteReader(in.take(size), in.order());
}

// Calls `visit(id, member)` for each member of a mutable structure (EMHEADER, XTypes 1.3,
// 7.4.3.4.2).
template <class Visit>
void walk_members(ByteReader& in, Visit visit) {
    while (in.ok() && in.remaining() >= 4) {
        in.align(4);
        const std::uint32_t header = in.u32();
        const unsigned length_code = (header >> 28U) & 7U;
        std::size_t size = std::size_t{1} << (length_code & 3U);
        if (length_code >= 4) {
            // From 5 on the length is the member's own first word.
            ByteReader ahead = in;
            size = ahead.u32();
            if (length_code == 4) in = ahead;
            if (length_code == 6) size *= 4;
            if (length_code == 7) size *= 8;
            if (length_code >= 5) size += 4;
        }
        ByteReader member(in.take(size), in.order());
        if (in.ok()) visit(header & 0x0fffffffU, member);
    }
}

// A TypeIdentifier that is a hash. Others are of types without description.
std::optional<types::TypeId> read_type_id(ByteReader& in) {
    const auto kind = static_cast<types::TypeIdKind>(in.u8());
    if (kind != types::TypeIdKind::minimal && kind != types::TypeIdKind::complete)
        return std::nullopt;
    return types::TypeId{kind, in.octets<14>()};
}

// The elements of a sequence of structures; stops at what `read` cannot use.
template <class Read>
std::optional<wire::DecodeError> read_sequence(ByteReader& member, std::size_t limit, Read read) {
    ByteReader elements = enter(member);
    const std::uint32_t count = elements.u32();
    for (std::size_t i = 0; i < std::min<std::size_t>(count, limit) && elements.ok(); ++i) {
        if (!read(elements)) return wire::DecodeError::unsupported;
    }
    if (!member.ok() || !elements.ok()) return wire::DecodeError::truncated;
    return std::nullopt;
}

RequestIdentity read_identity(ByteReader& in) {
    RequestIdentity identity;
    identity.writer = in.octets<16>();
    const std::uint64_t high = in.u32();
    identity.number = static_cast<std::int64_t>((high << 32U) | in.u32());
    return identity;
}

std::optional<std::string> read_instance_name(ByteReader& in) {
    const std::uint32_t size = in.u32();
    if (size > max_instance_name) return std::nullopt;
    const ByteView octets = in.take(size);
    if (octets.empty()) return std::string{};
    if (octets.back() != 0) return std::nullopt;
    return std::string(octets.begin(), octets.end() - 1);
}

struct Opened {
    ByteReader in;
    bool delimited{false};
};

// Behind the encapsulation header, and the header of the outermost structure if it has one.
wire::Decoded<Opened> open(ByteView payload) {
    const auto header = wire::decode_encapsulation(payload);
    if (!header) return wire::decode_failure(header.error());
    ByteReader in(payload.subspan(wire::encapsulation_size), header->order());
    switch (header->kind) {
        case wire::encapsulation::cdr2_be:
        case wire::encapsulation::cdr2_le:
            return Opened{in, false};
        case wire::encapsulation::d_cdr2_be:
        case wire::encapsulation::d_cdr2_le:
            return Opened{enter(in), true};
        default:
            return wire::decode_failure(wire::DecodeError::unsupported);
    }
}

std::optional<TypeLookupOperation> read_operation(ByteReader& in) {
    const auto operation = static_cast<TypeLookupOperation>(in.u32());
    if (operation == TypeLookupOperation::get_types ||
        operation == TypeLookupOperation::get_dependencies)
        return operation;
    return std::nullopt;
}

std::optional<wire::DecodeError> read_found_types(ByteReader& member,
                                                  std::size_t limit,
                                                  std::vector<TypeLookupReply::FoundType>& out) {
    return read_sequence(member, limit, [&](ByteReader& in) {
        const auto id = read_type_id(in);
        if (!id) return false;
        in.align(4);
        ByteReader ahead = in;
        const std::size_t size = ahead.u32();
        // The DHEADER is part of what is hashed.
        const ByteView object = in.take(4 + size);
        if (in.ok()) out.push_back({*id, object});
        return true;
    });
}

std::optional<wire::DecodeError> read_dependencies(ByteReader& member,
                                                   std::size_t limit,
                                                   std::vector<TypeLookupReply::Dependency>& out) {
    return read_sequence(member, limit, [&](ByteReader& in) {
        ByteReader element = enter(in);
        const auto id = read_type_id(element);
        if (!id) return false;
        element.align(4);
        const std::uint32_t size = element.u32();
        if (!element.ok()) in.set_failed();
        if (in.ok()) out.push_back({*id, size});
        return true;
    });
}

std::optional<wire::DecodeError> read_result(ByteReader& result,
                                             std::size_t limit,
                                             TypeLookupReply& reply) {
    std::optional<wire::DecodeError> wrong;
    walk_members(result, [&](std::uint32_t id, ByteReader& member) {
        if (wrong) return;
        if (id == types_member) wrong = read_found_types(member, limit, reply.types);
        if (id == dependent_typeids_member)
            wrong = read_dependencies(member, limit, reply.dependencies);
    });
    if (!wrong && !result.ok()) wrong = wire::DecodeError::truncated;
    return wrong;
}

// --- writing ---

// A DHEADER whose length is filled in at the end of its life.
class Delimited {
  public:
    explicit Delimited(ByteWriter& out) : out_(out) {
        out_.align(4);
        at_ = out_.size();
        out_.u32(0);
    }
    ~Delimited() { out_.patch_u32(at_, static_cast<std::uint32_t>(out_.size() - at_ - 4)); }
    Delimited(const Delimited&) = delete;
    Delimited& operator=(const Delimited&) = delete;

  private:
    ByteWriter& out_;
    std::size_t at_{0};
};

// Its length is the first word of what follows (length code 5).
void member(ByteWriter& out, std::uint32_t id) {
    out.align(4);
    out.u32(0x50000000U | id);
}

void write_type_id(ByteWriter& out, const types::TypeId& id) {
    out.u8(static_cast<std::uint8_t>(id.kind));
    out.bytes(id.hash);
}

void write_identity(ByteWriter& out, const RequestIdentity& identity) {
    out.bytes(identity.writer);
    const auto number = static_cast<std::uint64_t>(identity.number);
    out.u32(static_cast<std::uint32_t>(number >> 32U));
    out.u32(static_cast<std::uint32_t>(number));
}

// The encapsulation header, `write(out)`, padding to whole words.
template <class Write>
Buffer encode(bool delimited, Write write) {
    Buffer buffer;
    wire::Encapsulation header;
    header.kind = delimited ? wire::encapsulation::d_cdr2_le : wire::encapsulation::cdr2_le;
    wire::encode_encapsulation(buffer, header);
    ByteWriter out(buffer);
    if (delimited) {
        const Delimited whole(out);
        write(out);
    } else {
        write(out);
    }
    const std::size_t padding = (4 - out.size() % 4) % 4;
    out.zeros(padding);
    buffer[3] = static_cast<std::uint8_t>(padding);
    return buffer;
}

void write_types(ByteWriter& out, const TypeLookupReply& reply) {
    member(out, types_member);
    {
        const Delimited sequence(out);
        out.u32(static_cast<std::uint32_t>(reply.types.size()));
        for (const TypeLookupReply::FoundType& type : reply.types) {
            write_type_id(out, type.id);
            out.align(4);
            out.bytes(type.object);
        }
    }
    member(out, complete_to_minimal_member);
    const Delimited sequence(out);
    out.u32(0);
}

void write_dependencies(ByteWriter& out, const TypeLookupReply& reply) {
    member(out, dependent_typeids_member);
    {
        const Delimited sequence(out);
        out.u32(static_cast<std::uint32_t>(reply.dependencies.size()));
        for (const TypeLookupReply::Dependency& dependency : reply.dependencies) {
            const Delimited element(out);
            write_type_id(out, dependency.id);
            out.align(4);
            out.u32(dependency.object_size);
        }
    }
    // Empty: that was all of them.
    member(out, continuation_point_member);
    out.u32(0);
}

}  // namespace

wire::Decoded<TypeLookupRequest> decode_type_lookup_request(ByteView payload,
                                                            const TypeLookupLimits& limits) {
    auto opened = open(payload);
    if (!opened) return wire::decode_failure(opened.error());
    ByteReader& in = opened->in;
    TypeLookupRequest request;
    request.delimited = opened->delimited;
    request.identity = read_identity(in);
    auto instance_name = read_instance_name(in);
    if (!instance_name) return wire::decode_failure(wire::DecodeError::bad_string);
    request.instance_name = std::move(*instance_name);
    ByteReader call = enter(in);
    if (!in.ok()) return wire::decode_failure(wire::DecodeError::truncated);
    const auto operation = read_operation(call);
    if (!operation) return wire::decode_failure(wire::DecodeError::unsupported);
    request.operation = *operation;

    ByteReader arguments = enter(call);
    std::optional<wire::DecodeError> wrong;
    walk_members(arguments, [&](std::uint32_t id, ByteReader& member) {
        if (wrong || id != type_ids_member) return;
        wrong = read_sequence(member, limits.ids, [&](ByteReader& elements) {
            const auto type = read_type_id(elements);
            if (type && elements.ok()) request.ids.push_back(*type);
            return type.has_value();
        });
    });
    if (!call.ok() || !arguments.ok()) wrong = wire::DecodeError::truncated;
    if (wrong) return wire::decode_failure(*wrong);
    return request;
}

Buffer encode_type_lookup_request(const TypeLookupRequest& request) {
    return encode(request.delimited, [&](ByteWriter& out) {
        write_identity(out, request.identity);
        out.u32(static_cast<std::uint32_t>(request.instance_name.size() + 1));
        out.bytes(ByteView(reinterpret_cast<const std::uint8_t*>(request.instance_name.c_str()),
                           request.instance_name.size() + 1));
        const Delimited call(out);
        out.u32(static_cast<std::uint32_t>(request.operation));
        const Delimited arguments(out);
        member(out, type_ids_member);
        const Delimited sequence(out);
        out.u32(static_cast<std::uint32_t>(request.ids.size()));
        for (const types::TypeId& id : request.ids)
            write_type_id(out, id);
    });
}

wire::Decoded<TypeLookupReply> decode_type_lookup_reply(ByteView payload,
                                                        const TypeLookupLimits& limits) {
    auto opened = open(payload);
    if (!opened) return wire::decode_failure(opened.error());
    ByteReader& in = opened->in;
    TypeLookupReply reply;
    reply.delimited = opened->delimited;
    reply.related = read_identity(in);
    reply.exception = in.i32();
    if (!in.ok()) return wire::decode_failure(wire::DecodeError::truncated);
    if (reply.exception != remote_exception::ok) return reply;

    ByteReader returned = enter(in);
    if (!in.ok()) return wire::decode_failure(wire::DecodeError::truncated);
    const auto operation = read_operation(returned);
    if (!operation) return wire::decode_failure(wire::DecodeError::unsupported);
    reply.operation = *operation;
    ByteReader result = enter(returned);
    constexpr std::int32_t retcode_ok = 0;
    const bool has_result = result.i32() == retcode_ok && result.ok();
    if (!returned.ok()) return wire::decode_failure(wire::DecodeError::truncated);
    if (!has_result) return reply;
    ByteReader members = enter(result);
    if (!result.ok()) return wire::decode_failure(wire::DecodeError::truncated);
    if (const auto wrong = read_result(members, limits.ids, reply))
        return wire::decode_failure(*wrong);
    return reply;
}

Buffer encode_type_lookup_reply(const TypeLookupReply& reply) {
    return encode(reply.delimited, [&](ByteWriter& out) {
        write_identity(out, reply.related);
        out.i32(reply.exception);
        const Delimited returned(out);
        out.u32(static_cast<std::uint32_t>(reply.operation));
        const Delimited result(out);
        out.i32(0);  // RETCODE_OK
        const Delimited members(out);
        if (reply.operation == TypeLookupOperation::get_types) {
            write_types(out, reply);
        } else {
            write_dependencies(out, reply);
        }
    });
}

std::string type_lookup_instance(const GuidPrefix& participant) {
    const auto octets = to_octets(Guid{participant, entity::participant});
    return std::string(instance_prefix) + to_hex(octets);
}

bool concerns_instance(const std::string& name, const GuidPrefix& participant) {
    if (name.empty()) return true;
    if (name == std::string(instance_prefix) + std::string(32, '0')) return true;
    const std::string own = type_lookup_instance(participant);
    return std::equal(name.begin(), name.end(), own.begin(), own.end(), [](char left, char right) {
        return left == right || (left >= 'A' && left <= 'F' && left - 'A' + 'a' == right);
    });
}

}  // namespace durability::discovery
