#include "types/type_information.hpp"

#include "types/type_reference.hpp"

namespace durability::types {

namespace {

constexpr std::uint32_t minimal_member = 0x1001;
constexpr std::uint32_t complete_member = 0x1002;
constexpr std::uint32_t member_id_mask = 0x0fffffffU;

std::uint32_t length_code(std::uint32_t header) {
    return (header >> 28U) & 7U;
}

// How many octets follow the EMHEADER and its NEXTINT (XTypes 1.3, 7.4.3.4.2).
std::size_t read_member_size(TypeCursor& in, std::uint32_t header) {
    const std::uint32_t code = length_code(header);
    if (code < 4) return std::size_t{1} << code;
    const std::size_t next = in.u32();
    if (code <= 5) return next;
    return next * (code == 6 ? 4 : 8);
}

class InformationReader {
  public:
    explicit InformationReader(ByteView value) : in_(value) {}

    std::optional<TypeInformation> read() {
        const std::uint32_t size = in_.u32();
        // Octets behind the value are padding of the parameter.
        if (!in_.ok() || size > in_.remaining()) return std::nullopt;
        const std::size_t end = in_.position() + size;
        while (in_.ok() && in_.position() < end)
            read_member(end);
        if (!in_.ok() || in_.position() != end || !is_anything_known_) return std::nullopt;
        return std::move(information_);
    }

  private:
    void read_member(std::size_t end) {
        const std::uint32_t header = in_.u32();
        const std::size_t size = read_member_size(in_, header);
        const std::size_t start = in_.position();
        if (!in_.ok() || start > end || size > end - start) return in_.set_failed();
        const std::uint32_t id = header & member_id_mask;
        const bool is_known = id == minimal_member || id == complete_member;
        // The two members begin with a DHEADER; with length code 5 it was their length as well.
        if (is_known && length_code(header) <= 4) {
            in_.delimited([&] { read_with_dependencies(id); });
        } else if (is_known) {
            read_with_dependencies(id);
        }
        if (in_.position() > start + size) return in_.set_failed();
        in_.take(start + size - in_.position());
        if (in_.ok() && is_known) is_anything_known_ = true;
    }
    void read_with_dependencies(std::uint32_t id) {
        const auto type = read_id_with_size();
        (id == minimal_member ? information_.minimal : information_.complete) = type;
        in_.u32();  // how many dependencies there are, listed or not; -1 when not known
        in_.sequence([this] {
            if (const auto dependency = read_id_with_size())
                information_.dependencies.push_back(*dependency);
        });
    }
    std::optional<TypeId> read_id_with_size() {
        std::optional<TypeId> id;
        in_.delimited([&] {
            const TypeReference reference = read_type_reference(in_);
            if (in_.ok() && reference.is_hash()) id = reference.id;
        });
        return id;
    }

    TypeCursor in_;
    TypeInformation information_;
    bool is_anything_known_{false};
};

}  // namespace

std::optional<TypeInformation> decode_type_information(ByteView value) {
    return InformationReader(value).read();
}

}  // namespace durability::types
