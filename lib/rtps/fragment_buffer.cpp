#include "rtps/fragment_buffer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace durability::rtps {

namespace {

// Fragments that begin further behind what is there than this are dropped: touching the memory
// between would let one small datagram cost that much. They are asked for again in order.
constexpr std::size_t max_leap = 4U << 20U;

std::uint32_t fragment_total(const wire::DataFrag& fragment) {
    const std::uint64_t size = fragment.fragment_size;
    return static_cast<std::uint32_t>((std::uint64_t{fragment.sample_size} + size - 1U) / size);
}

struct Span {
    std::uint64_t begin{0};
    std::uint64_t end{0};
};
// The octets of the sample that the fragments cover; checked by FragmentBuffer::check().
Span octets_of(const wire::DataFrag& fragment) {
    const std::uint64_t size = fragment.fragment_size;
    const std::uint64_t before = std::uint64_t{fragment.first.value} - 1U;
    const std::uint64_t end =
        std::min<std::uint64_t>((before + fragment.count) * size, fragment.sample_size);
    return Span{before * size, end};
}

}  // namespace

FragmentVerdict FragmentBuffer::check(const wire::DataFrag& fragment) const {
    if (fragment.fragment_size == 0 || fragment.count == 0 || fragment.first.value == 0 ||
        fragment.sample_size == 0) {
        return FragmentVerdict::mismatch;
    }
    if (fragment.sample_size > limits_.sample_size) return FragmentVerdict::too_large;
    const std::uint32_t total = fragment_total(fragment);
    if (total > limits_.fragments_per_sample) return FragmentVerdict::too_large;
    const std::uint64_t last = std::uint64_t{fragment.first.value} - 1U + fragment.count;
    if (last > total) return FragmentVerdict::mismatch;
    const Span span = octets_of(fragment);
    if (fragment.payload.size() < span.end - span.begin) return FragmentVerdict::mismatch;
    return FragmentVerdict::stored;
}

FragmentResult FragmentBuffer::add(const Guid& writer,
                                   const wire::DataFrag& fragment,
                                   Timestamp timestamp,
                                   MonoTime now) {
    FragmentResult result;
    result.verdict = check(fragment);
    if (result.verdict != FragmentVerdict::stored) return result;

    const Key key{writer, fragment.number};
    auto known = assemblies_.find(key);
    if (known != assemblies_.end() && (known->second.sample_size != fragment.sample_size ||
                                       known->second.fragment_size != fragment.fragment_size)) {
        if (now - known->second.last_new < limits_.restart_after) {
            result.verdict = FragmentVerdict::mismatch;
            return result;
        }
        remove(known);
    }
    Assembly* assembly = find_or_begin(key, fragment, now);
    if (assembly == nullptr || octets_of(fragment).begin > assembly->bytes.size() + max_leap) {
        result.verdict = FragmentVerdict::no_room;
        return result;
    }
    if (!store(*assembly, fragment)) {
        result.verdict = FragmentVerdict::duplicate;
        return result;
    }
    assembly->last_new = now;
    if (fragment.first.value == 1 || !assembly->timestamp.valid()) assembly->timestamp = timestamp;
    if (fragment.first.value == 1) {
        assembly->inline_qos.assign(fragment.inline_qos.begin(), fragment.inline_qos.end());
        assembly->order = fragment.order;
        assembly->key = fragment.has_key;
    }
    if (assembly->received < assembly->total) {
        result.asked_arrived =
            assembly->asked_through != 0 && assembly->first_missing > assembly->asked_through;
        return result;
    }
    result.verdict = FragmentVerdict::completed;
    result.sample = finish(key, *assembly);
    remove(assemblies_.find(key));
    return result;
}

FragmentBuffer::Assembly* FragmentBuffer::find_or_begin(const Key& key,
                                                        const wire::DataFrag& fragment,
                                                        MonoTime now) {
    const auto known = assemblies_.find(key);
    if (known != assemblies_.end()) return &known->second;
    if (octets_of(fragment).begin > max_leap) return nullptr;
    if (!make_room(key, fragment.sample_size, now)) return nullptr;

    Assembly fresh;
    fresh.sample_size = fragment.sample_size;
    fresh.fragment_size = fragment.fragment_size;
    fresh.total = fragment_total(fragment);
    fresh.present.resize(fresh.total);
    fresh.bytes.reserve(fresh.sample_size);
    bytes_ += fresh.sample_size;
    return &assemblies_.emplace(key, std::move(fresh)).first->second;
}

bool FragmentBuffer::make_room(const Key& key, std::size_t bytes, MonoTime now) {
    // One writer cannot take what all share, but a single sample of the permitted size always may.
    const std::size_t writer_bytes = std::max(limits_.sample_size, limits_.bytes / 4U);
    if (bytes > limits_.bytes) return false;
    bool expired = false;
    while (true) {
        const bool writer_full = count_of(key.writer) >= limits_.assemblies_per_writer ||
                                 bytes_of(key.writer) > writer_bytes - bytes;
        const bool all_full =
            assemblies_.size() >= limits_.assemblies || bytes_ > limits_.bytes - bytes;
        if (!writer_full && !all_full) return true;
        if (!expired) {
            expire(now);
            expired = true;
            continue;
        }
        // Lower numbers are delivered first, so they go first.
        if (!evict_above(key)) return false;
    }
}

bool FragmentBuffer::evict_above(const Key& key) {
    const auto behind = assemblies_.upper_bound(Key{key.writer, max_sequence_number});
    if (behind == assemblies_.begin()) return false;
    const auto highest = std::prev(behind);
    if (highest->first.writer != key.writer || highest->first.number <= key.number) return false;
    remove(highest);
    return true;
}

void FragmentBuffer::expire(MonoTime now) {
    for (auto at = assemblies_.begin(); at != assemblies_.end();) {
        at = now - at->second.last_new >= limits_.timeout ? remove(at) : std::next(at);
    }
}

std::size_t FragmentBuffer::count_of(const Guid& writer) const {
    const auto from = assemblies_.lower_bound(Key{writer, {0}});
    const auto to = assemblies_.upper_bound(Key{writer, max_sequence_number});
    return static_cast<std::size_t>(std::distance(from, to));
}

std::size_t FragmentBuffer::bytes_of(const Guid& writer) const {
    std::size_t bytes = 0;
    for (auto at = assemblies_.lower_bound(Key{writer, {0}});
         at != assemblies_.end() && at->first.writer == writer;
         ++at) {
        bytes += at->second.sample_size;
    }
    return bytes;
}

FragmentBuffer::Assemblies::iterator FragmentBuffer::remove(Assemblies::iterator at) {
    bytes_ -= at->second.sample_size;
    return assemblies_.erase(at);
}

bool FragmentBuffer::store(Assembly& assembly, const wire::DataFrag& fragment) {
    const std::size_t first = fragment.first.value - 1U;
    std::uint32_t fresh = 0;
    for (std::size_t i = first; i < first + fragment.count; ++i) {
        if (assembly.present[i]) continue;
        assembly.present[i] = true;
        ++fresh;
    }
    if (fresh == 0) return false;
    assembly.received += fresh;
    while (assembly.first_missing <= assembly.total &&
           assembly.present[assembly.first_missing - 1U]) {
        ++assembly.first_missing;
    }
    const Span span = octets_of(fragment);
    const ByteView octets = fragment.payload.first(span.end - span.begin);
    if (assembly.bytes.size() == span.begin) {
        assembly.bytes.insert(assembly.bytes.end(), octets.begin(), octets.end());
        return true;
    }
    if (assembly.bytes.size() < span.end) assembly.bytes.resize(span.end);
    std::copy(octets.begin(),
              octets.end(),
              assembly.bytes.begin() + static_cast<std::ptrdiff_t>(span.begin));
    return true;
}

ReceivedSample FragmentBuffer::finish(const Key& key, Assembly& assembly) {
    ReceivedSample sample;
    sample.writer = key.writer;
    sample.number = key.number;
    sample.through = key.number;
    sample.first = key.number;
    sample.payload_kind = assembly.key ? PayloadKind::key : PayloadKind::data;
    sample.source_timestamp = assembly.timestamp;
    sample.order = assembly.order;
    sample.inline_qos_bytes = std::move(assembly.inline_qos);
    sample.inline_qos = sample.inline_qos_bytes;
    sample.payload = Payload::owned(std::move(assembly.bytes));
    return sample;
}

bool FragmentBuffer::contains(const Guid& writer, SequenceNumber number) const {
    return assemblies_.count(Key{writer, number}) != 0;
}

std::vector<SequenceNumber> FragmentBuffer::numbers(const Guid& writer,
                                                    SequenceNumber through) const {
    std::vector<SequenceNumber> found;
    for (auto at = assemblies_.lower_bound(Key{writer, {0}});
         at != assemblies_.end() && at->first.writer == writer && at->first.number <= through;
         ++at) {
        found.push_back(at->first.number);
    }
    return found;
}

std::optional<wire::FragmentNumberSet> FragmentBuffer::ask(const Guid& writer,
                                                           SequenceNumber number,
                                                           FragmentNumber through,
                                                           Duration repeat_after,
                                                           MonoTime now) {
    const auto known = assemblies_.find(Key{writer, number});
    if (known == assemblies_.end()) return std::nullopt;
    Assembly& assembly = known->second;
    const bool repeat = assembly.asked_through == 0 || now - assembly.asked_at >= repeat_after;
    const std::uint32_t from = repeat
                                   ? assembly.first_missing
                                   : std::max(assembly.first_missing, assembly.asked_through + 1U);
    const std::uint32_t last = std::min(through.value, assembly.total);
    wire::FragmentNumberSet missing;
    bool any = false;
    for (std::uint32_t fragment = from; fragment <= last; ++fragment) {
        if (any && !missing.fits(FragmentNumber{fragment})) break;
        if (assembly.present[fragment - 1U]) continue;
        if (!any) missing.base = FragmentNumber{fragment};
        any = true;
        missing.insert(FragmentNumber{fragment});
    }
    if (!any) return std::nullopt;
    assembly.asked_at = now;
    assembly.asked_through = missing.base.value + missing.num_bits - 1U;
    return missing;
}

void FragmentBuffer::erase_through(const Guid& writer, SequenceNumber number) {
    if (assemblies_.empty()) return;
    auto at = assemblies_.lower_bound(Key{writer, {0}});
    while (at != assemblies_.end() && at->first.writer == writer && at->first.number <= number) {
        at = remove(at);
    }
}

void FragmentBuffer::erase(const Guid& writer) {
    erase_through(writer, max_sequence_number);
}

}  // namespace durability::rtps
