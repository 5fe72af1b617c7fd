// keys.idl for Fast DDS: plain structures, and one class that does for any of them what fastddsgen
// generates for each.
#include "fastdds_types.hpp"
#include "layouts.hpp"
#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>
#include <fastdds/rtps/common/InstanceHandle.h>
#include <fastdds/rtps/common/SerializedPayload.h>
#include <fastrtps/utils/md5.h>

namespace peer {
namespace {

using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

enum class Color : std::uint32_t {
    red,
    green,
    blue
};

struct IntKey {
    std::int32_t id{};
    std::uint32_t seq{};
    std::string text;
};
struct LongKey {
    std::uint8_t a{};
    std::int64_t b{};
    std::array<std::uint64_t, 2> c{};
    std::uint32_t seq{};
    std::string text;
};
struct PairKey {
    std::uint8_t a{};
    std::int64_t b{};
    std::uint32_t seq{};
};
struct StringKey {
    std::string name;
    std::uint32_t seq{};
    double value{};
};
struct BoundedKey {
    std::string name;
    std::uint32_t seq{};
};
struct MiddleKey {
    std::string text;
    std::vector<std::int32_t> numbers;
    std::vector<Color> colors;
    std::int32_t id{};
    std::uint32_t seq{};
    std::vector<std::uint8_t> blob;
};
struct Header {
    std::string frame;
    std::uint32_t stamp{};
};
struct Place {
    std::int16_t floor{};
    std::int32_t room{};
    std::string comment;
    std::uint8_t wing{};
};
struct Location {
    std::vector<std::uint8_t> blob;
    Place place;
    double height{};
};
struct NestedKey {
    Header header;
    Location location;
    std::uint32_t seq{};
};
struct EnumKey {
    Color color{};
    bool flag{};
    std::int16_t n{};
    std::uint32_t seq{};
    std::string text;
};

struct FastFields : NumberFields {
    using NumberFields::holds;
    using NumberFields::put;

    static void put(std::string& field, const MemberValue& value) { field = value.text(); }
    static bool holds(const std::string& field, const MemberValue& value) {
        return field == value.text();
    }
    static void put_short(std::string& field, const MemberValue& value) {
        field = value.short_text();
    }
    static bool holds_short(const std::string& field, const MemberValue& value) {
        return field == value.short_text();
    }
    template <class Element, std::size_t size>
    static void put(std::array<Element, size>& field, const MemberValue& value) {
        for (std::size_t i = 0; i < size; ++i)
            put(field[i], value.element(i));
    }
    template <class Element, std::size_t size>
    static bool holds(const std::array<Element, size>& field, const MemberValue& value) {
        bool right = true;
        for (std::size_t i = 0; i < size; ++i)
            right = holds(field[i], value.element(i)) && right;
        return right;
    }
    template <class Element>
    static void put(std::vector<Element>& field, const MemberValue& value) {
        field.resize(value.length());
        for (std::size_t i = 0; i < field.size(); ++i)
            put(field[i], value.element(i));
    }
    template <class Element>
    static bool holds(const std::vector<Element>& field, const MemberValue& value) {
        bool right = field.size() == value.length();
        for (std::size_t i = 0; right && i < field.size(); ++i)
            right = holds(field[i], value.element(i));
        return right;
    }
};

void encode(Cdr& cdr, const Color& color) {
    cdr << static_cast<std::uint32_t>(color);
}
void encode(Cdr& cdr, const std::vector<Color>& colors) {
    cdr << static_cast<std::uint32_t>(colors.size());
    for (const auto color : colors)
        encode(cdr, color);
}
template <class Field>
void encode(Cdr& cdr, const Field& field) {
    cdr << field;
}

void decode(Cdr& cdr, Color& color) {
    std::uint32_t number = 0;
    cdr >> number;
    color = static_cast<Color>(number);
}
void decode(Cdr& cdr, std::vector<Color>& colors) {
    std::vector<std::uint32_t> numbers;
    cdr >> numbers;
    colors.clear();
    for (const auto number : numbers)
        colors.push_back(static_cast<Color>(number));
}
template <class Field>
void decode(Cdr& cdr, Field& field) {
    cdr >> field;
}

class Encoder {
  public:
    explicit Encoder(Cdr& cdr) : cdr_(cdr) {}
    template <class Field>
    void key(const Field& field) {
        encode(cdr_, field);
    }
    template <class Field>
    void short_key(const Field& field) {
        encode(cdr_, field);
    }
    template <class Field>
    void data(const Field& field) {
        encode(cdr_, field);
    }
    void seq(const std::uint32_t& field) { encode(cdr_, field); }

  private:
    Cdr& cdr_;
};

class KeyEncoder {
  public:
    explicit KeyEncoder(Cdr& cdr) : cdr_(cdr) {}
    template <class Field>
    void key(const Field& field) {
        encode(cdr_, field);
    }
    template <class Field>
    void short_key(const Field& field) {
        encode(cdr_, field);
    }
    template <class Field>
    void data(const Field& /*field*/) {}
    void seq(const std::uint32_t& /*field*/) {}

  private:
    Cdr& cdr_;
};

class Decoder {
  public:
    explicit Decoder(Cdr& cdr) : cdr_(cdr) {}
    template <class Field>
    void key(Field& field) {
        decode(cdr_, field);
    }
    template <class Field>
    void short_key(Field& field) {
        decode(cdr_, field);
    }
    template <class Field>
    void data(Field& field) {
        decode(cdr_, field);
    }
    void seq(std::uint32_t& field) { decode(cdr_, field); }

  private:
    Cdr& cdr_;
};

constexpr std::uint32_t encapsulation_size = 4;
constexpr std::size_t hash_size = 16;

template <class Layout, class Sample>
class KeyType final : public FastType {
  public:
    // `largest_key` is getKeyMaxCdrSerializedSize() of generated code, by which it decides whether
    // keys are hashed; an unbounded string counts as 255 characters there.
    explicit KeyType(std::size_t largest_key) : hashed_(largest_key > hash_size) {
        setName(fmt::format("peers::{}", Layout::name).c_str());
        m_isGetKeyDefined = true;
        m_typeSize = 64;  // a first guess; the real size comes from the size provider
    }

    void fill(void* data,
              std::uint32_t id,
              std::uint32_t seq,
              std::span<const std::uint8_t> /*payload*/) const override {
        Filler<FastFields> filler(id, seq);
        Layout::visit(filler, *static_cast<Sample*>(data));
    }
    void read(const void* data, Received& received) const override {
        const auto& sample = *static_cast<const Sample*>(data);
        SeqGetter getter;
        Layout::visit(getter, sample);
        received.seq = getter.value();
        received.id = find_instance([&](std::uint32_t instance) {
            Matcher<FastFields> matcher(instance, received.seq);
            Layout::visit(matcher, sample);
            return matcher.key_matches();
        });
        Matcher<FastFields> matcher(received.id, received.seq);
        Layout::visit(matcher, sample);
        received.right = matcher.matches();
    }
    [[nodiscard]] std::uint32_t id_of(const InstanceHandle_t& handle) const override {
        return find_instance([&](std::uint32_t instance) {
            Sample sample;
            fill(&sample, instance, 0, {});
            return handle_of(sample, false) == handle;
        });
    }

    bool serialize(void* data, SerializedPayload_t* payload) override {
        FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->max_size);  // NOLINT
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        payload->encapsulation = cdr.endianness() == Cdr::BIG_ENDIANNESS ? CDR_BE : CDR_LE;
        try {
            cdr.serialize_encapsulation();
            Encoder encoder(cdr);
            Layout::visit(encoder, *static_cast<const Sample*>(data));
        } catch (const eprosima::fastcdr::exception::Exception&) {
            return false;
        }
        payload->length = static_cast<std::uint32_t>(cdr.getSerializedDataLength());
        return true;
    }
    bool deserialize(SerializedPayload_t* payload, void* data) override {
        FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->length);  // NOLINT
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        try {
            cdr.read_encapsulation();
            payload->encapsulation = cdr.endianness() == Cdr::BIG_ENDIANNESS ? CDR_BE : CDR_LE;
            Decoder decoder(cdr);
            Layout::visit(decoder, *static_cast<Sample*>(data));
        } catch (const eprosima::fastcdr::exception::Exception&) {
            return false;
        }
        return true;
    }
    std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
        return [data] {
            FastBuffer buffer;
            Cdr cdr(buffer);
            Encoder encoder(cdr);
            Layout::visit(encoder, *static_cast<const Sample*>(data));
            return encapsulation_size + static_cast<std::uint32_t>(cdr.getSerializedDataLength());
        };
    }
    void* createData() override { return new Sample; }  // NOLINT: the interface's contract
    void deleteData(void* data) override { delete static_cast<Sample*>(data); }  // NOLINT
    bool getKey(void* data, InstanceHandle_t* handle, bool force_md5) override {
        *handle = handle_of(*static_cast<const Sample*>(data), force_md5);
        return true;
    }

  private:
    [[nodiscard]] InstanceHandle_t handle_of(const Sample& sample, bool force_md5) const {
        // Zeroed: the serializer leaves out what it pads with. Generated code zeroes its buffer
        // once and so hashes, behind a string, what a longer one left there; zeroes are what it
        // means.
        std::array<char, 512> octets{};
        FastBuffer buffer(octets.data(), octets.size());
        Cdr cdr(buffer, Cdr::BIG_ENDIANNESS);
        KeyEncoder encoder(cdr);
        Layout::visit(encoder, sample);
        const std::size_t size = cdr.getSerializedDataLength();
        InstanceHandle_t handle;
        if (hashed_ || force_md5) {
            MD5 md5;
            md5.init();
            md5.update(octets.data(), static_cast<unsigned int>(size));
            md5.finalize();
            std::copy_n(std::begin(md5.digest), hash_size, &handle.value[0]);
        } else {
            std::copy_n(octets.data(), size, &handle.value[0]);
        }
        return handle;
    }

    bool hashed_;
};

constexpr std::size_t unbounded_string = 4 + 255 + 1;

}  // namespace

std::unique_ptr<FastType> make_fast_key_type(std::string_view name) {
    if (name == "IntKey") return std::make_unique<KeyType<IntKeyLayout, IntKey>>(4);
    if (name == "LongKey") return std::make_unique<KeyType<LongKeyLayout, LongKey>>(32);
    if (name == "PairKey") return std::make_unique<KeyType<PairKeyLayout, PairKey>>(16);
    if (name == "StringKey") {
        return std::make_unique<KeyType<StringKeyLayout, StringKey>>(unbounded_string);
    }
    if (name == "BoundedKey") {
        return std::make_unique<KeyType<BoundedKeyLayout, BoundedKey>>(4 + 8 + 1);
    }
    if (name == "MiddleKey") return std::make_unique<KeyType<MiddleKeyLayout, MiddleKey>>(4);
    if (name == "NestedKey") return std::make_unique<KeyType<NestedKeyLayout, NestedKey>>(5);
    if (name == "EnumKey") return std::make_unique<KeyType<EnumKeyLayout, EnumKey>>(8);
    return nullptr;
}

}  // namespace peer
