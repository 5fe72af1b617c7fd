// Sets as they are gathered: whole, or not at all.
#include "service/coherent_sets.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace durability;
using namespace durability::service;
using Fate = CoherentSets::Fate;

namespace {

constexpr SetLimits no_limits{1'000, 1U << 20U, 1U << 24U};

SetMember member(std::int64_t number, std::size_t size = 8) {
    SetMember made;
    made.number = SequenceNumber{number};
    made.payload = Payload::owned(Buffer(size, 1));
    return made;
}

std::optional<SetName> of(std::int64_t first) {
    return SetName{SequenceNumber{first}, false};
}
std::optional<SetName> of_publisher(std::int64_t value) {
    return SetName{SequenceNumber{value}, true};
}

// What reaches the store of one writer: "1 [3 4] 7", and why what does not does not.
class Gathering {
  public:
    explicit Gathering(SequenceNumber before = {}, SetLimits limits = no_limits)
        : limits_(limits), writer_(before) {}

    void sample(std::int64_t number, const std::optional<SetName>& name = {}) {
        CoherentSets::Step step = sets.on_sample(writer_, SequenceNumber{number}, name);
        if (step.ended) note(*step.ended);
        if (step.fate == Fate::alone) add(std::to_string(number));
        if (step.fate == Fate::held)
            std::ignore = sets.hold(writer_, member(number, size), limits_);
    }
    // A sample that ends the set before it, and nothing else.
    void marker(std::int64_t number) {
        CoherentSets::Step step = sets.on_sample(writer_, SequenceNumber{number}, std::nullopt);
        if (step.ended) note(*step.ended);
    }
    void gap() { sets.on_missing(writer_); }
    void unusable(std::int64_t number) { sets.on_unusable(writer_, SequenceNumber{number}); }
    void end(std::string_view why) {
        if (auto ended = sets.end(writer_, why)) note(*ended);
    }

    CoherentSets sets;
    std::size_t size{8};
    std::string stored;
    std::string dropped;  // "3-4 (2)": numbers, and how many of them came
    std::string reason;

  private:
    void add(const std::string& text) { stored += (stored.empty() ? "" : " ") + text; }
    void note(const EndedSet& ended) {
        if (!ended.is_whole()) {
            dropped += (dropped.empty() ? "" : " ") + std::to_string(ended.first.value) + "-" +
                       std::to_string(ended.last.value) + " (" + std::to_string(ended.samples) +
                       ")";
            reason = ended.reason;
            CHECK(ended.members.empty());
            return;
        }
        std::string text;
        for (const SetMember& one : ended.members)
            text += (text.empty() ? "" : " ") + std::to_string(one.number.value);
        add("[" + text + "]");
    }

    SetLimits limits_;
    WriterSets writer_;
};

}  // namespace

TEST_CASE("a set is handed on when the sample behind it comes, whatever that is") {
    Gathering plain;
    plain.sample(1);
    plain.sample(2, of(2));
    plain.sample(3, of(2));
    CHECK(plain.stored == "1");
    plain.sample(4);
    CHECK(plain.stored == "1 [2 3] 4");

    Gathering other;
    other.sample(2, of(2));
    other.sample(3, of(3));
    other.marker(4);
    CHECK(other.stored == "[2] [3]");
    CHECK(other.sets.in_progress() == 0);
    CHECK(other.sets.bytes() == 0);
}

TEST_CASE("which set a sample is in is read from both parameters") {
    CHECK_FALSE(set_name({}, {}));
    CHECK(set_name(SequenceNumber{5}, {}) == of(5));
    CHECK(set_name(SequenceNumber{5}, SequenceNumber{9}) == of(5));
    CHECK(set_name({}, SequenceNumber{9}) == of_publisher(9));
    // SEQUENCENUMBER_UNKNOWN: none, whatever the other one says.
    CHECK_FALSE(set_name(SequenceNumber{-4294967296}, SequenceNumber{9}));
    CHECK_FALSE(set_name({}, SequenceNumber{0}));
}

TEST_CASE("a set whose beginning was not received is dropped, and told once") {
    Gathering late;
    late.sample(3, of(2));
    late.sample(4, of(2));
    CHECK(late.dropped.empty());
    late.sample(5, of(5));
    late.marker(6);
    CHECK(late.dropped == "3-4 (2)");
    CHECK(late.reason == "its beginning was not received");
    CHECK(late.stored == "[5]");
    CHECK(late.sets.in_progress() == 0);
}

TEST_CASE("a set with a hole is dropped, also when the hole is before what ends it") {
    Gathering told;
    told.sample(1, of(1));
    told.gap();
    told.sample(3, of(1));
    told.marker(4);
    CHECK(told.dropped == "1-3 (2)");
    CHECK(told.stored.empty());

    Gathering silent;  // a best-effort writer: nobody says that something is missing
    silent.sample(1, of(1));
    silent.sample(3, of(1));
    silent.sample(4);
    CHECK(silent.dropped == "1-3 (2)");
    CHECK(silent.stored == "4");

    Gathering end;
    end.sample(1, of(1));
    end.sample(2, of(1));
    end.gap();
    end.sample(4);
    CHECK(end.dropped == "1-2 (2)");
    CHECK(end.reason == "a sample of it was not received");
    CHECK(end.stored == "4");

    Gathering outside;
    outside.sample(1);
    outside.gap();
    outside.sample(3, of(3));
    outside.sample(4);
    CHECK(outside.stored == "1 [3] 4");
}

TEST_CASE("a set with a sample that cannot be stored is dropped") {
    Gathering sets;
    sets.sample(1, of(1));
    sets.unusable(2);
    sets.sample(3, of(1));
    sets.unusable(4);
    sets.sample(5);
    CHECK(sets.dropped == "1-4 (4)");
    CHECK(sets.reason == "a sample of it cannot be stored");
    CHECK(sets.stored == "5");
}

TEST_CASE("a writer that goes takes its unfinished set with it") {
    Gathering sets;
    sets.sample(1);
    sets.end("gone");
    CHECK(sets.dropped.empty());
    sets.sample(2, of(2));
    sets.end("gone");
    CHECK(sets.dropped == "2-2 (1)");
    CHECK(sets.reason == "gone");
    CHECK(sets.sets.bytes() == 0);
    CHECK(sets.sets.in_progress() == 0);
}

TEST_CASE("a set of a publisher begins where the sample before it was received") {
    Gathering first;
    first.sample(1, of_publisher(40));
    first.sample(2, of_publisher(40));
    first.sample(3, of_publisher(44));
    first.sample(4);
    CHECK(first.stored == "[1 2] [3] 4");

    Gathering late;
    late.sample(7, of_publisher(40));
    late.sample(8, of_publisher(44));
    late.sample(9);
    CHECK(late.dropped == "7-7 (1)");
    CHECK(late.stored == "[8] 9");

    Gathering resumed(SequenceNumber{6});
    resumed.sample(7, of_publisher(40));
    resumed.sample(8);
    CHECK(resumed.stored == "[7] 8");
}

TEST_CASE("at a limit the set is dropped and what it held is given back") {
    Gathering large({}, {1'000, 2'000, 1U << 20U});
    large.size = 1'200;
    large.sample(1, of(1));
    CHECK(large.sets.bytes() > 1'200);
    large.sample(2, of(1));
    CHECK(large.sets.bytes() == 0);
    large.sample(3, of(1));
    large.sample(4);
    CHECK(large.dropped == "1-3 (3)");
    CHECK(large.reason == "limits.coherent_set_bytes");
    CHECK(large.stored == "4");

    // One more writer than there may be sets, and more octets than all may hold.
    for (const SetLimits& limits : {SetLimits{2, 1U << 20U, 1U << 20U}, {9, 1U << 20U, 2'000}}) {
        CoherentSets sets;
        std::vector<WriterSets> writers(3);
        std::vector<bool> held;
        for (WriterSets& writer : writers) {
            REQUIRE(sets.on_sample(writer, SequenceNumber{1}, of(1)).fate == Fate::held);
            held.push_back(sets.hold(writer, member(1, 500), limits));
        }
        CHECK(held == std::vector{true, true, false});
        CHECK(sets.in_progress() == 2);
        CHECK(sets.end(writers[2], "?")->reason ==
              (limits.sets == 2 ? "limits.coherent_sets" : "limits.coherent_bytes"));
    }
}

namespace {

// A writer's samples as they were written, received with holes, from anywhere on, over restarts.
struct Written {
    std::optional<SetName> set;
    bool is_marker{false};
    std::size_t of{0};  // which set; 0: none
};

std::vector<Written> write_some(std::mt19937_64& random) {
    std::vector<Written> samples(1);  // the first number is 1
    std::size_t sets = 0;
    while (samples.size() < 60) {
        if (random() % 3 == 0) {
            samples.push_back({});
            continue;
        }
        const auto first = static_cast<std::int64_t>(samples.size());
        const auto size = 1 + random() % 5;
        ++sets;
        for (std::size_t i = 0; i < size; ++i)
            samples.push_back({SetName{SequenceNumber{first}, false}, false, sets});
        if (random() % 2 == 0) samples.push_back({{}, true, 0});
    }
    return samples;
}

}  // namespace

TEST_CASE("whatever is lost, and whenever the daemon begins again, no half of a set is stored") {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::vector<Written> written = write_some(random);
        const bool reliable = random() % 2 == 0;
        const std::uint64_t loss = random() % 2 == 0 ? 0 : 20;
        CoherentSets sets;
        WriterSets writer;
        std::map<std::int64_t, int> stored;
        std::map<std::size_t, int> stored_sets;
        std::size_t number = random() % 2 == 0 ? 1 : 1 + random() % 20;
        std::vector<bool> lost(written.size(), false);
        std::size_t begun = number;  // of the run that came to the end
        for (int restarts = 0; number < written.size();) {
            if (restarts < 3 && random() % 25 == 0) {
                // Killed: what was held is gone; it goes on behind the greatest number stored.
                ++restarts;
                std::ignore = sets.end(writer, "killed");
                const std::int64_t last = stored.empty() ? 0 : stored.rbegin()->first;
                writer = WriterSets{SequenceNumber{last}};
                number = std::max<std::size_t>(begun, static_cast<std::size_t>(last) + 1);
                begun = number;
                continue;
            }
            const Written& sample = written[number];
            const SequenceNumber name{static_cast<std::int64_t>(number)};
            if (loss > 0 && random() % loss == 0) {
                lost[number] = true;
                if (reliable) sets.on_missing(writer);
                ++number;
                continue;
            }
            lost[number] = false;
            CoherentSets::Step step = sets.on_sample(writer, name, sample.set);
            if (step.ended && step.ended->is_whole()) {
                for (const SetMember& one : step.ended->members)
                    ++stored[one.number.value];
                ++stored_sets[written[static_cast<std::size_t>(step.ended->first.value)].of];
            }
            if (step.fate == Fate::alone && !sample.is_marker) ++stored[name.value];
            if (step.fate == Fate::held) REQUIRE(sets.hold(writer, member(name.value), no_limits));
            ++number;
        }
        // Of each set all samples or none, each once; all of those that came whole in the last run.
        std::map<std::size_t, std::vector<std::size_t>> members;
        for (std::size_t i = 1; i < written.size(); ++i) {
            if (written[i].of != 0) members[written[i].of].push_back(i);
            CHECK(stored[static_cast<std::int64_t>(i)] <= 1);
        }
        for (const auto& [set, numbers] : members) {
            const auto kept = std::ranges::count_if(
                numbers, [&](std::size_t i) { return stored[static_cast<std::int64_t>(i)] == 1; });
            CHECK((kept == 0 || kept == std::ssize(numbers)));
            CHECK((kept > 0) == (stored_sets[set] == 1));
            const std::size_t behind = numbers.back() + 1;
            const bool came = numbers.front() >= begun && behind < written.size() &&
                              std::none_of(lost.begin() + std::ptrdiff_t(numbers.front()),
                                           lost.begin() + std::ptrdiff_t(behind) + 1,
                                           [](bool is_lost) { return is_lost; });
            if (came) CHECK(kept == std::ssize(numbers));
        }
        std::ignore = sets.end(writer, "over");
        CHECK(sets.in_progress() == 0);
        CHECK(sets.bytes() == 0);
    }
}
