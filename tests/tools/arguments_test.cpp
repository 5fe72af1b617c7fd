#include "durabilityctl/command.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace durability;
using namespace durability::ctl;
using Catch::Contains;

namespace {

Result<Arguments> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "durabilityctl");
    return parse_arguments(static_cast<int>(words.size()), words.data());
}

std::string refusal(std::vector<const char*> words) {
    const auto arguments = parse(std::move(words));
    if (arguments) return "accepted";
    CHECK(exit_status(arguments.error().code) == 64);
    return arguments.error().text();
}

}  // namespace

TEST_CASE("options may stand before and after the command") {
    for (const auto& words : std::vector<std::vector<const char*>>{
             {"writers", "rt/map", "--json", "-d", "7", "--socket", "/s"},
             {"--socket=/s", "--json", "-d7", "writers", "rt/map"}}) {
        const auto arguments = parse(words);
        if (!arguments) FAIL(arguments.error().text());
        CHECK(arguments->command == "writers");
        CHECK(arguments->words == std::vector<std::string>{"rt/map"});
        CHECK(arguments->json);
        CHECK(arguments->domain == 7);
        CHECK(arguments->socket == "/s");
    }
}

TEST_CASE("a wrong command line says what is wrong") {
    CHECK_THAT(refusal({}), Contains("no command is given"));
    CHECK_THAT(refusal({"topcis"}), Contains("did you mean 'topics'?"));
    CHECK_THAT(refusal({"topics", "rt/map"}), Contains("does not take the word 'rt/map'"));
    CHECK_THAT(refusal({"dump"}), Contains("dump needs TOPIC"));
    CHECK_THAT(refusal({"status", "--state-dir", "/x"}), Contains("status takes no --state-dir"));
    CHECK_THAT(refusal({"stop", "--json"}), Contains("stop takes no --json"));
    CHECK_THAT(refusal({"topics", "--goodbye"}), Contains("topics takes no --goodbye"));
    CHECK_THAT(refusal({"topics", "--socket", "/a", "--state-dir", "/b"}),
               Contains("give one of them"));
    CHECK_THAT(refusal({"dump", "x", "--payload", "base64"}), Contains("hex or none"));
    CHECK_THAT(refusal({"topics", "--jso"}), Contains("--jso"));
    CHECK_THAT(refusal({"topics", "-d", "x"}), Contains("domain"));
    CHECK_THAT(refusal({"purge"}), Contains("purge needs TOPIC"));
    CHECK_THAT(refusal({"purge", "x", "--writer", "12"}), Contains("durabilityctl writers"));
    CHECK_THAT(refusal({"purge", "x", "--instance", "12"}), Contains("durabilityctl instances"));
    CHECK_THAT(refusal({"purge", "x", "--progress"}), Contains("purge takes no --progress"));
    CHECK_THAT(refusal({"explain"}), Contains("explain needs TOPIC"));
    for (const char* related : {"12",
                                "0110aabbccddeeff00112233:0000010",
                                "0110aabbccddeeff00112233:00000102:",
                                "0110aabbccddeeff00112233:00000102:0",
                                "0110aabbccddeeff00112233:00000102:-1",
                                "0110aabbccddeeff00112233:00000102:7x",
                                "0110aabbccddeeff00112233:00000102x7"}) {
        CAPTURE(related);
        CHECK_THAT(refusal({"dump", "x", "--related", related}), Contains("durabilityctl dump"));
    }
    CHECK_THAT(refusal({"purge", "x", "--related", "0110aabbccddeeff00112233:00000102"}),
               Contains("purge takes no --related"));
    CHECK_THAT(refusal({"repair", "x"}), Contains("does not take the word 'x'"));
    CHECK_THAT(refusal({"repair", "--names"}), Contains("repair takes no --names"));
    CHECK_THAT(refusal({"compact", "a", "b"}), Contains("does not take the word 'b'"));
    CHECK_THAT(refusal({"compact", "--dry-run"}), Contains("compact takes no --dry-run"));
    CHECK_THAT(refusal({"topics", "--writer", "0110aabbccddeeff00112233:00000102"}),
               Contains("topics takes no --writer"));
}

TEST_CASE("a related sample is named by its writer, or by writer and number") {
    const auto writer = parse_guid("0110aabbccddeeff00112233:00000102");
    const auto all = parse({"dump", "x", "--related", "0110aabbccddeeff00112233:00000102"});
    REQUIRE(all.has_value());
    CHECK(all->related_writer == writer);
    CHECK_FALSE(all->related_number);
    const auto one = parse({"dump", "x", "--related", "0110aabbccddeeff00112233:00000102:42"});
    REQUIRE(one.has_value());
    CHECK(one->related_writer == writer);
    CHECK(one->related_number == SequenceNumber{42});
}

TEST_CASE("every command is in the help and explains itself") {
    for (const Command& command : commands()) {
        CHECK_THAT(help_text(), Contains(std::string(command.name)));
        CHECK_THAT(help_text(command),
                   Contains("Usage: durabilityctl " + std::string(command.name)));
        CHECK(command.run != nullptr);
        CHECK(find_command(command.name) == &command);
    }
    CHECK_THAT(help_text(*find_command("dump")), Contains("--payload") && !Contains("--json"));
    CHECK(parse({"--help"})->help);
    CHECK(parse({"help"})->help);
    CHECK(parse({"help", "topics"})->command == "topics");
    CHECK(parse({"topics", "--help"})->help);
    CHECK(parse({"--version"})->version);
}
