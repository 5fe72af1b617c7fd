#include "config/schema.hpp"

#include "config/loader.hpp"
#include "durability/version.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace durability;
using namespace durability::config;

TEST_CASE("every row of the table is complete and its path is its own") {
    std::set<std::string_view> paths;
    for (const Option& option : options()) {
        CAPTURE(option.path);
        CHECK(paths.insert(option.path).second);
        CHECK(option.slot != nullptr);
        CHECK(option.help.size() > 10);
        CHECK(option.help.back() == '.');
        CHECK(option.range.min <= option.range.max);
        CHECK(option.choices.empty() == (option.type != Type::choice));
        CHECK_FALSE(is_section(option.path));
        CHECK(find_option(option.path) == &option);
    }
}

TEST_CASE("every default is a value that may be written") {
    for (const Option& option : options()) {
        if (is_list(option.type)) continue;
        CAPTURE(option.path);
        Config config;
        TopicRule rule;
        const Slot slot = option.slot(Target{&config, &rule});
        std::string text = format_value(option, slot);
        if (text.empty()) continue;  // an override that is not set
        if (text.front() == '"') text = text.substr(1, text.size() - 2);
        const auto complaint = assign(option, slot, Scalar{text, false});
        if (complaint) FAIL(complaint->message);
        const std::string again = format_value(option, slot);
        CHECK((again == text || again == '"' + text + '"'));
    }
}

TEST_CASE("every choice can be written and read back") {
    for (const Option& option : options()) {
        for (const std::string_view choice : option.choices) {
            CAPTURE(option.path, choice);
            Config config;
            TopicRule rule;
            const Slot slot = option.slot(Target{&config, &rule});
            CHECK_FALSE(assign(option, slot, Scalar{std::string(choice), false}).has_value());
            CHECK(format_value(option, slot) == choice);
        }
    }
}

TEST_CASE("a refused value changes nothing") {
    Config config;
    const Option& option = *find_option("store.sync_interval");
    const Slot slot = option.slot(Target{&config, nullptr});
    CHECK(assign(option, slot, Scalar{"0", false}).has_value());
    CHECK(assign(option, slot, Scalar{"infinite", false}).has_value());
    CHECK(format_value(option, slot) == "100ms");
}

TEST_CASE("no two rows share a place") {
    Config config;
    TopicRule rule;
    std::set<const void*> places;
    for (const Option& option : options()) {
        CAPTURE(option.path);
        const Slot slot = option.slot(Target{&config, &rule});
        if (std::holds_alternative<std::monostate>(slot)) continue;
        const void* place = std::visit(
            [](auto pointer) -> const void* {
                if constexpr (std::is_same_v<decltype(pointer), std::monostate>) {
                    return nullptr;
                } else {
                    return pointer;
                }
            },
            slot);
        CHECK(places.insert(place).second);
    }
}

TEST_CASE("sections know what they hold") {
    CHECK(is_section("store"));
    CHECK(is_section("topics[].contract"));
    CHECK_FALSE(is_section("stor"));
    CHECK(is_section("threads") == has_realtime());
    const auto names = names_below("cleanup");
    CHECK(names == std::vector<std::string_view>{"interval"});
}
