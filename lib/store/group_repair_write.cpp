// The writing half of a group's repair. At every moment the files amount to the history as it was,
// or as it will be:
//
//   1. a list of what is retained now, which leaves out what the new logs bring (needed when the
//      list in force would let some of it in and some not)
//   2. each log beside, synced, renamed; its samples count as soon as a list names them
//   3. the list with everything that comes back: from here on it is retained
//   4. the damaged files get the name that says that they were dealt with
//
// Cut off before the end, the next repair finds the damaged files under their old names.
#include "store/group_meta.hpp"
#include "store/group_repair.hpp"

#include <algorithm>
#include <tuple>

namespace durability::store {
namespace {

constexpr std::size_t copy_size = 1U << 20U;

}  // namespace

// Where the sample frames of a whole log lie.
struct GroupRepair::PieceSink final : FrameSink {
    bool on_frame(std::uint64_t offset, const FrameHeader& header, ByteView body) override {
        SampleFrame frame;
        if (header.kind == FrameKind::sample && decode_sample(header.flags, body, frame))
            pieces.push_back({frame.arrival, file, offset, header.payload_length});
        return true;
    }
    File* file{nullptr};
    std::vector<Piece> pieces;
};

// Header and body as they are; padding carries nothing and may be damaged too.
Status GroupRepair::append_frame(const Piece& piece, Buffer& out) {
    const std::size_t size = frame_header_size + piece.body_size;
    const std::size_t begin = out.size();
    out.resize(begin + frame_size(piece.body_size));
    const auto got = piece.file->read(piece.offset, std::span(out).subspan(begin, size));
    if (!got) return tl::unexpected(got.error());
    if (*got != size) return fail(Errc::io, "the file became shorter while it was read");
    return {};
}

Status GroupRepair::copy_frames(const std::vector<Piece>& pieces,
                                File& target,
                                std::uint64_t& size) {
    Buffer bytes;
    Arrival last = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].arrival != last) {
            if (auto read = append_frame(pieces[i], bytes); !read) return read;
            last = pieces[i].arrival;
        }
        if (bytes.size() < copy_size && i + 1 < pieces.size()) continue;
        if (auto done = target.write(size, bytes); !done) return done;
        size += bytes.size();
        bytes.clear();
    }
    return {};
}

bool GroupRepair::is_last(const LogName& log) const {
    const auto comes_later = [&](const LogName& other) {
        return other.writer == log.writer && other.segment > log.segment;
    };
    const bool will_be = std::ranges::any_of(sources_, [&](const Source& source) {
        return comes_later(source.log) &&
               std::ranges::any_of(source.samples,
                                   [](const Found& found) { return found.fate == Fate::added; });
    });
    return !will_be && std::ranges::none_of(names_, [&](const std::string& name) {
        const auto other = parse_log_name(name);
        return other && comes_later(*other);
    });
}

std::set<Arrival> GroupRepair::final_list() const {
    std::set<Arrival> list = retained_;
    for (const Arrival arrival : replaced_)
        list.erase(arrival);
    for (const Source& source : sources_) {
        for (const Found& found : source.samples) {
            if (found.belongs()) list.insert(found.arrival);
        }
    }
    return list;
}

Status GroupRepair::write_list(const std::set<Arrival>& arrivals) {
    Checkpoint list;
    list.as_of = core_.next_arrival - 1;
    list.retained.assign(arrivals.begin(), arrivals.end());
    return replace_file(
        core_.files, group_.folder, layout::checkpoint, encode_checkpoint(list, group_.hash), true);
}

// A log of that name from the frames of one that is there already, if any, and what was found.
Status GroupRepair::write_log(const LogName& log) {
    const std::string name = log_name(log);
    const std::string path = join(group_.folder, name);
    PieceSink base;
    std::shared_ptr<File> there;
    const bool is_there =
        names_.contains(name) && std::ranges::none_of(sources_, [&](const Source& source) {
            return source.in_place && source.name == name;
        });
    if (is_there) {
        auto opened = core_.files.open(path, OpenMode::read_only);
        if (!opened) return tl::unexpected(opened.error());
        there = std::move(*opened);
        base.file = there.get();
        const auto scanned =
            scan_file(*there, max_body_size(core_.options.limits.sample_size), base);
        if (!scanned) return tl::unexpected(scanned.error());
    }
    NumberSet known;
    const SourceWriter* const writer = core_.find_writer(group_, log.writer);
    if (writer != nullptr) known = writer->known;
    for (const Source& source : sources_) {
        if (source.log.writer != log.writer) continue;
        for (const Found& found : source.samples) {
            if (found.belongs()) known.insert(found.number);
            if (found.fate != Fate::added || source.log != log) continue;
            base.pieces.push_back(
                {found.arrival, source.file.get(), found.offset, found.body_size});
        }
    }
    std::stable_sort(base.pieces.begin(), base.pieces.end(), [](const Piece& a, const Piece& b) {
        return a.arrival < b.arrival;
    });

    Buffer back;
    if (is_last(log)) back = end_of_writer(log, known);
    return write_file(log, base.pieces, std::move(back));
}

Buffer GroupRepair::end_of_writer(const LogName& log, const NumberSet& known) {
    Buffer back;
    encode_marks(known, back);
    // The damaged file was the last to say whether the writer is gone; else the store knows.
    for (const Source& source : sources_) {
        if (source.log != log || !source.expiry) continue;
        encode_expiry(*source.expiry, back);
        return back;
    }
    const SourceWriter* const writer = core_.find_writer(group_, log.writer);
    if (writer != nullptr && writer->retired)
        encode_expiry({true, writer->expires, writer->delay}, back);
    return back;
}

Status GroupRepair::write_file(const LogName& log, const std::vector<Piece>& pieces, Buffer back) {
    const std::string path = join(group_.folder, log_name(log));
    const std::string temporary = path + std::string(layout::temporary_suffix);
    auto target = core_.files.open(temporary, OpenMode::create);
    if (!target) return tl::unexpected(target.error());
    const Buffer front = StoreCore::log_front(group_, log.writer, log.segment);
    std::uint64_t size = front.size();
    Status done = (*target)->write(0, front);
    if (done) done = copy_frames(pieces, **target, size);
    encode_commit({size + back.size(), size + back.size()}, back);
    if (done) done = (*target)->write(size, back);
    if (done) done = (*target)->sync();
    if (done) done = core_.files.rename(temporary, path);
    if (!done) {
        std::ignore = core_.files.remove(temporary);  // else the next start does
        return done;
    }
    names_.insert(log_name(log));
    return core_.files.sync_directory(group_.folder);
}

// The last segment of a writer says which numbers are not to be stored again.
Status GroupRepair::write_marks(const Guid& guid, const std::set<LogName>& written) {
    SourceWriter* const writer = core_.find_writer(group_, guid);
    const bool said = std::ranges::any_of(
        written, [&](const LogName& log) { return log.writer == guid && is_last(log); });
    if (said || writer == nullptr) return {};
    bool all_known = true;
    for (const Source& source : sources_) {
        if (source.log.writer != guid) continue;
        for (const Found& found : source.samples) {
            if (!found.belongs()) continue;
            all_known = all_known && writer->known.contains(found.number);
            writer->known.insert(found.number);
        }
    }
    if (all_known) return {};
    std::uint32_t next = 1;
    for (const std::string& name : names_) {
        const auto log = parse_log_name(is_set_aside(name) ? name_before(name) : name);
        if (log && log->writer == guid) next = std::max(next, log->segment + 1);
    }
    return write_file({guid, next}, {}, end_of_writer({guid, next}, writer->known));
}

Status GroupRepair::put_away(Source& source) {
    RepairedFile& report = reports_[source.report];
    const auto is_taken = [this](const std::string& name) { return names_.contains(name); };
    const std::string target = free_repaired_name(source.name, is_taken);
    if (auto done =
            core_.files.rename(join(group_.folder, source.name), join(group_.folder, target));
        !done) {
        return done;
    }
    names_.insert(target);
    report.moved_to = join(group_.folder, target);
    return {};
}

Status GroupRepair::write() {
    if (dry_run_ || sources_.empty()) return {};
    // A damaged file under its own name makes room first, as the daemon would have had it.
    for (Source& source : sources_) {
        if (!source.in_place || source.refused) continue;
        const auto moved = core_.set_aside(group_.folder, source.name);
        if (!moved) return tl::unexpected(moved.error());
        names_.erase(source.name);
        source.name = moved->substr(group_.folder.size() + 1);
        source.in_place = false;
        names_.insert(source.name);
    }
    std::set<LogName> logs;
    std::set<Guid> writers;
    std::set<Arrival> until_then = retained_;
    bool exact = true;
    Arrival newest = 0;
    for (const Source& source : sources_) {
        for (const Found& found : source.samples) {
            if (!found.belongs()) continue;
            if (found.fate == Fate::added) logs.insert(source.log);
            writers.insert(source.log.writer);
            newest = std::max(newest, found.arrival);
            exact = exact && source.exact;
            // Named by the list in force, it is retained as soon as it is there again.
            if (source.exact && found.arrival <= checkpoint_->as_of)
                until_then.insert(found.arrival);
        }
    }
    core_.next_arrival = std::max(core_.next_arrival, newest + 1);
    if (!writers.empty()) {
        if (!exact) {
            if (auto done = write_list(until_then); !done) return done;
        }
        for (const LogName& log : logs) {
            if (auto done = write_log(log); !done) return done;
        }
        for (const Guid& writer : writers) {
            if (auto done = write_marks(writer, logs); !done) return done;
        }
        if (auto done = write_list(final_list()); !done) return done;
    }
    for (Source& source : sources_) {
        if (source.refused) continue;
        if (auto done = put_away(source); !done) return done;
    }
    return core_.files.sync_directory(group_.folder);
}

}  // namespace durability::store
