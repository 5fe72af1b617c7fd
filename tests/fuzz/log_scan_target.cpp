// A log file of the store. The first octet says what the rest is:
//   0  the file as it stands; its header decides under which name it is found
//   1  frames: kind, flags, length (two octets), body; checksums are right. A kind of 0xff appends
//      the body as it is, so that a file can end in anything.
// It is scanned, then found by a store that starts, and by that store once more: what was recovered
// must be the same, and the second start has nothing left to complain about.
#include "base/byte_reader.hpp"
#include "store/group_meta.hpp"
#include "store/log_scan.hpp"
#include "store/store.hpp"
#include "store/verify.hpp"
#include "support/faulty_file_system.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

using namespace durability;
using namespace durability::store;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

constexpr std::uint64_t max_sample = 1U << 20U;

GroupMeta group_meta() {
    GroupMeta meta;
    meta.key.topic = "Square";
    meta.key.type = "ShapeType";
    meta.key.keyed = true;
    meta.key.durability = DurabilityKind::persistent;
    meta.contract.depth = 2;
    return meta;
}

FileHeader log_header() {
    FileHeader header;
    header.writer = {{{1, 15, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1}}, EntityId{0x00000102}};
    header.group = hash_of(group_meta().key);
    header.segment = 1;
    return header;
}

Buffer build_log(ByteView input) {
    Buffer out;
    encode_file_header(log_header(), out);
    ByteReader in(input, std::endian::little);
    while (in.ok() && in.remaining() >= 4) {
        const std::uint8_t kind = in.u8();
        const std::uint8_t flags = in.u8();
        const std::size_t length = std::min<std::size_t>(in.u16(), in.remaining());
        const ByteView body = in.take(length);
        if (kind == 0xff) {
            out.insert(out.end(), body.begin(), body.end());
        } else {
            encode_frame(static_cast<FrameKind>(kind), flags, body, out);
        }
    }
    return out;
}

class CountingSink final : public FrameSink {
  public:
    bool on_frame(std::uint64_t, const FrameHeader& header, ByteView body) override {
        ++frames;
        SampleFrame frame;
        return header.kind != FrameKind::sample || decode_sample(header.flags, body, frame);
    }
    std::uint64_t frames{0};
};

ScanResult scan(test::FaultyFileSystem& files, const std::string& path, CountingSink& sink) {
    const auto file = files.open(path, OpenMode::read_only);
    require(file.has_value());
    const auto result = scan_file(**file, max_body_size(max_sample), sink);
    require(result.has_value());
    return *result;
}

// The good prefix alone is a sound file of as many frames.
void check_scan(const Buffer& content) {
    test::FaultyFileSystem files;
    files.put("log", content);
    CountingSink sink;
    const ScanResult result = scan(files, "log", sink);
    require(result.file_size == content.size() && result.good_end <= result.file_size);
    require(result.frames <= sink.frames && sink.frames <= result.frames + 1);
    require((result.verdict == TailVerdict::clean) == (result.good_end == result.file_size) ||
            !result.header_read);
    require(result.covered <= result.good_end);
    if (!result.header_read) return;
    files.put(
        "log",
        Buffer(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(result.good_end)));
    CountingSink again;
    const ScanResult prefix = scan(files, "log", again);
    require(prefix.verdict == TailVerdict::clean && prefix.frames == result.frames);
}

struct Recovered {
    std::vector<Arrival> arrivals;
    std::size_t events{0};
    bool opened{false};
};

Recovered recover(test::FaultyFileSystem& files) {
    Recovered recovered;
    StoreOptions options;
    options.disk_directory = "disk";
    options.memory_directory = "mem";
    options.limits.sample_size = max_sample;
    std::vector<Completion> out;
    auto store = Store::open(files, options, WallTime{std::chrono::hours{500'000}}, out);
    // Nothing but the word of a newer version may keep the store from starting.
    require(store.has_value() || store.error().code == Errc::version);
    if (!store) return recovered;
    recovered.opened = true;
    for (const OpenedGroup& group : (*store)->groups()) {
        (*store)->execute(ListSamples{1, group.handle}, out);
        ReadSamples read{2, group.handle, {}};
        for (const Completion& answer : out) {
            const auto* listed = std::get_if<SamplesListed>(&answer);
            if (listed == nullptr) continue;
            for (const ListedSample& sample : listed->samples)
                read.arrivals.push_back(sample.arrival);
        }
        recovered.arrivals = read.arrivals;
        (*store)->execute(std::move(read), out);
    }
    for (int slices = 0; (*store)->work_due() && slices < 100; ++slices)
        (*store)->do_slice(out);
    require((*store)->close(out).has_value());
    for (const Completion& answer : out) {
        if (const auto* read = std::get_if<SamplesRead>(&answer)) {
            for (const ReadSample& sample : read->samples)
                require(sample.retained);
        }
        if (std::holds_alternative<StoreEvent>(answer)) ++recovered.events;
    }
    return recovered;
}

void check_recovery(const Buffer& content, bool with_meta) {
    FileHeader header = log_header();
    if (!with_meta) {
        FileHeader own;
        if (decode_file_header(content, own) == HeaderVerdict::good) header = own;
    }
    test::FaultyFileSystem files;
    for (const char* folder : {"disk", "mem"})
        require(files.make_directory(folder).has_value());
    const std::string folder = join("disk", group_folder_name(header.group));
    require(files.make_directory(folder).has_value());
    if (with_meta) {
        files.put(join(folder, layout::meta), encode_meta_file(group_meta(), header.group));
    }
    files.put(join(folder, log_name({header.writer, header.segment})), content);
    require(verify(files, "disk", max_sample).has_value());

    const Recovered first = recover(files);
    if (!first.opened) return;
    const Recovered second = recover(files);
    require(second.opened && second.arrivals == first.arrivals);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const ByteView input(data + 1, size - 1);
    const bool frames = (data[0] & 1U) != 0;
    const Buffer content = frames ? build_log(input) : Buffer(input.begin(), input.end());
    check_scan(content);
    check_recovery(content, frames);
    return 0;
}
