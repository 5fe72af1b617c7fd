#include "instances.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace durability::interop {
namespace {

using test::Process;

struct Operation {
    char kind;
    std::uint32_t instance;
    std::uint32_t times;
};

// The words of the peers' --ops.
std::vector<Operation> operations(std::string_view ops) {
    std::vector<Operation> found;
    std::istringstream words{std::string(ops)};
    for (std::string word; words >> word;) {
        Operation operation{'w', 0, 1};
        const auto star = word.find('*');
        if (star != std::string::npos) {
            operation.times = static_cast<std::uint32_t>(std::stoul(word.substr(0, star)));
            word.erase(0, star + 1);
        }
        operation.kind = word.at(0);
        operation.instance = static_cast<std::uint32_t>(std::stoul(word.substr(1)));
        found.push_back(operation);
    }
    return found;
}

void apply(const Operation& operation,
           bool autodispose,
           Vendor reader,
           std::uint32_t& seq,
           Knowledge& instance) {
    switch (operation.kind) {
        case 'w':
            instance = {"ALIVE", instance.valid + 1, ++seq, 0, 0};
            return;
        case 'x':
            ++seq;
            // Fast DDS readers take a sample that disposes for the dispose alone.
            if (reader == Vendor::cyclone) instance = {"", instance.valid + 1, seq, 0, 0};
            instance.state = "DISPOSED";
            return;
        case 'd':
            instance.state = "DISPOSED";
            return;
        case 'u':
            if (autodispose) instance.state = "DISPOSED";
            if (instance.state == "ALIVE") instance.state = "NO_WRITERS";
            return;
        default:
            throw std::runtime_error(fmt::format("no operation {}", operation.kind));
    }
}

std::string word_after(const std::string& line, std::string_view key) {
    const std::string wanted = fmt::format(" {}=", key);
    const auto at = line.find(wanted);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("no {} in: {}", key, line));
    const auto begin = at + wanted.size();
    return line.substr(begin, line.find(' ', begin) - begin);
}

}  // namespace

const KeyType& key_type(std::string_view name) {
    const auto* found = std::find_if(
        key_types.begin(), key_types.end(), [&](const KeyType& type) { return type.name == name; });
    if (found == key_types.end()) throw std::runtime_error(fmt::format("no type {}", name));
    return *found;
}

std::vector<Vendor> vendors_of(const KeyType& type) {
    if (type.cyclone_only) return {Vendor::cyclone};
    return {both_vendors.begin(), both_vendors.end()};
}

std::string expectation(const InstanceTable& table) {
    std::string text;
    for (const auto& [instance, known] : table) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", instance, known.state);
        if (known.last != 0) text += fmt::format(":{}", known.last);
    }
    return text;
}

std::string describe(const InstanceTable& table) {
    std::string text;
    for (const auto& [instance, known] : table) {
        text += fmt::format("{}={}:{} valid={} ", instance, known.state, known.last, known.valid);
        if (known.duplicates != 0) text += fmt::format("duplicates={} ", known.duplicates);
        if (known.out_of_order != 0) text += fmt::format("out_of_order={} ", known.out_of_order);
    }
    return text;
}

InstanceTable after(std::string_view ops, bool autodispose, Vendor reader) {
    InstanceTable table;
    std::uint32_t seq = 0;
    for (const auto& operation : operations(ops)) {
        for (std::uint32_t i = 0; i < operation.times; ++i)
            apply(operation, autodispose, reader, seq, table[operation.instance]);
    }
    return table;
}

InstanceTable after_keeping(std::string_view writes, std::uint64_t depth) {
    auto table = after(writes, true, Vendor::cyclone);
    for (auto& [instance, known] : table)
        known.valid = std::min(known.valid, depth);
    return table;
}

InstanceTable known_instances(Process& subscriber) {
    if (!subscriber.wait(4 * patience)) {
        throw std::runtime_error("a subscriber does not end:\n" + subscriber.output());
    }
    InstanceTable table;
    for (const auto& line : subscriber.lines()) {
        if (!line.starts_with("STATE ")) continue;
        auto& known = table[static_cast<std::uint32_t>(std::stoul(word_after(line, "instance")))];
        known.state = word_after(line, "state");
        known.valid = std::stoul(word_after(line, "valid"));
        known.last = static_cast<std::uint32_t>(std::stoul(word_after(line, "last")));
        known.duplicates = std::stoul(word_after(line, "duplicates"));
        known.out_of_order = std::stoul(word_after(line, "out_of_order"));
    }
    return table;
}

std::string table_flaws(Process& subscriber, const InstanceTable& expected) {
    const auto found = known_instances(subscriber);
    std::string wrong;
    if (found != expected) {
        wrong = fmt::format("expected {}found {}", describe(expected), describe(found));
    }
    const auto totals = summaries(subscriber);
    if (totals.size() != 1) return wrong + "no summary:\n" + subscriber.output();
    if (totals[0].bad != 0) wrong += fmt::format("{} damaged", totals[0].bad);
    return wrong;
}

Operator::Operator(
    const World& world, Vendor vendor, std::string topic, std::string_view type, Words options) {
    // The strongest kind the vendor has: Fast DDS 2.9 refuses to create PERSISTENT endpoints.
    const Kind kind = vendor == Vendor::cyclone ? Kind::persistent : Kind::transient;
    Words words{"--topic",
                std::move(topic),
                "--type",
                std::string(type),
                "--durability",
                std::string(name(kind)),
                "--size",
                "20"};
    words.insert(words.end(), options.begin(), options.end());
    process_ = world.publisher(vendor, words);
}

void Operator::wait_matched(std::size_t readers) {
    if (process_->wait_line(fmt::format("MATCHED {}", readers), patience)) return;
    throw std::runtime_error(
        fmt::format("fewer than {} readers matched:\n{}", readers, process_->output()));
}

void Operator::run(std::string_view ops) {
    told_ = process_->line_count();
    process_->write_line(fmt::format("ops {}", ops));
    process_->write_line("wait_acks");
}

void Operator::wait_acknowledged() {
    if (process_->wait_line("ACKED ", patience, told_)) return;
    throw std::runtime_error("not acknowledged:\n" + process_->output());
}

std::unique_ptr<Process> ask(const World& world, const Question& question) {
    Words words{"--topic",
                question.topic,
                "--type",
                question.type,
                "--report",
                "states",
                "--expect-states",
                expectation(question.expected),
                "--quiet"};
    words.insert(words.end(), question.options.begin(), question.options.end());
    return world.subscriber(question.vendor, words);
}

void Examination::add(Question question) {
    constexpr std::size_t at_once = 12;
    if (running_.size() == at_once) judge_oldest();
    // A sample too many would come soon after the last of those that are due.
    for (const auto* word :
         {"--durability", "transient_local", "--settle", "0.5", "--timeout", "15"})
        question.options.emplace_back(word);
    auto process = ask(world_, question);
    running_.push_back(Running{std::move(question), std::move(process)});
}

void Examination::judge_oldest() {
    const Running running = std::move(running_.front());
    running_.pop_front();
    const std::string wrong = table_flaws(*running.process, running.question.expected);
    INFO(running.question.what << " to " << name(running.question.vendor));
    CHECK(wrong == "");
    ++total_;
    if (wrong.empty()) ++good_;
}

void Examination::finish(std::string_view title) {
    while (!running_.empty())
        judge_oldest();
    fmt::print("{}: {} of {} readers know every instance as it is\n", title, good_, total_);
}

}  // namespace durability::interop
