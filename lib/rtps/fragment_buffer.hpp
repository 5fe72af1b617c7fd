// Puts the fragments of large samples together, within bounds of number, size and time.
// Knows nothing of order between samples and sends nothing; one for each reader, not thread-safe.
//
// Memory is reserved when the first fragment of a sample arrives, but touched only as fragments do:
// a datagram that merely claims a large sample costs address space that counts against the bound.
#pragma once

#include "base/time.hpp"
#include "model/guid.hpp"
#include "rtps/received_sample.hpp"
#include "wire/submessage.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace durability::rtps {

struct FragmentLimits {
    std::size_t sample_size{16U << 20U};
    std::uint32_t fragments_per_sample{65'536};
    std::size_t assemblies{256};
    std::size_t assemblies_per_writer{16};
    std::size_t bytes{256U << 20U};  // of all assemblies, reserved whole
    // An assembly without a new fragment for this long makes room for others when room is needed.
    Duration timeout{std::chrono::seconds{10}};
    // Fragments of another size for the same sample start it again only after such a silence, so
    // that one forged fragment cannot undo an assembly that is moving.
    Duration restart_after{std::chrono::milliseconds{100}};
};

enum class FragmentVerdict : std::uint8_t {
    stored,     // new, the sample is still incomplete
    completed,  // the sample is in FragmentResult::sample
    duplicate,  // nothing new in it
    mismatch,   // another fragment or sample size than the assembly under way, or too few octets
    too_large,  // beyond limits.sample_size or fragments_per_sample: can never be assembled
    no_room,    // no assembly to be had now
};

struct FragmentResult {
    FragmentVerdict verdict{FragmentVerdict::stored};
    // All fragments last asked for are there and others are missing: ask again now.
    bool asked_arrived{false};
    // Owned; source timestamp and inline QoS are those of fragment 1 (fact sheet 6.4).
    std::optional<ReceivedSample> sample;
};

class FragmentBuffer {
  public:
    explicit FragmentBuffer(const FragmentLimits& limits) : limits_(limits) {}

    // Adds the fragments of one DATA_FRAG (RTPS 2.5, 8.3.8.3). A refused one changes nothing.
    FragmentResult add(const Guid& writer,
                       const wire::DataFrag& fragment,
                       Timestamp timestamp,
                       MonoTime now);

    [[nodiscard]] bool contains(const Guid& writer, SequenceNumber number) const;
    // The numbers of `writer` under assembly up to `through`, in increasing order.
    [[nodiscard]] std::vector<SequenceNumber> numbers(const Guid& writer,
                                                      SequenceNumber through) const;
    // What to ask for of sample `number`: up to 256 missing fragments from the first missing one
    // on, none beyond `through`; nothing when all are there or they were asked for less than
    // `repeat_after` ago. Remembers what it answered.
    [[nodiscard]] std::optional<wire::FragmentNumberSet> ask(const Guid& writer,
                                                             SequenceNumber number,
                                                             FragmentNumber through,
                                                             Duration repeat_after,
                                                             MonoTime now);

    // Forgets assemblies: those up to `number`, all of the writer.
    void erase_through(const Guid& writer, SequenceNumber number);
    void erase(const Guid& writer);

    [[nodiscard]] std::size_t assemblies() const { return assemblies_.size(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    struct Key {
        Guid writer;
        SequenceNumber number;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    struct Assembly {
        std::uint32_t sample_size{0};
        std::uint16_t fragment_size{0};
        std::uint32_t total{0};          // fragments of the sample
        std::uint32_t received{0};       // how many of them are there
        std::uint32_t first_missing{1};  // all below are there
        std::uint32_t asked_through{0};
        std::vector<bool> present;
        Buffer bytes;  // grows up to sample_size, its reserved capacity
        Buffer inline_qos;
        std::endian order{std::endian::little};
        Timestamp timestamp{};
        bool key{false};
        MonoTime last_new{};
        MonoTime asked_at{};
    };
    using Assemblies = std::map<Key, Assembly>;

    [[nodiscard]] FragmentVerdict check(const wire::DataFrag& fragment) const;
    Assembly* find_or_begin(const Key& key, const wire::DataFrag& fragment, MonoTime now);
    [[nodiscard]] bool make_room(const Key& key, std::size_t bytes, MonoTime now);
    bool evict_above(const Key& key);
    void expire(MonoTime now);
    [[nodiscard]] std::size_t count_of(const Guid& writer) const;
    [[nodiscard]] std::size_t bytes_of(const Guid& writer) const;
    Assemblies::iterator remove(Assemblies::iterator at);
    static bool store(Assembly& assembly, const wire::DataFrag& fragment);
    static ReceivedSample finish(const Key& key, Assembly& assembly);

    FragmentLimits limits_;
    Assemblies assemblies_;
    std::size_t bytes_{0};
};

}  // namespace durability::rtps
