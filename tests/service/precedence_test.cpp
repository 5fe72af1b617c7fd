// Which of several daemons serves a late reader: the decision as a table, and what they announce.
#include "service/precedence.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace durability;
using namespace durability::service;
using namespace std::chrono_literals;

namespace {

using Standing = Precedence::Standing;

GuidPrefix prefix(std::uint8_t last) {
    GuidPrefix result;
    result.octets[0] = 0x01;
    result.octets[11] = last;
    return result;
}

MonoTime at(Duration time) {
    return MonoTime{} + 1h + time;
}

constexpr auto long_ago = MonoTime::min();
const GuidPrefix own = prefix(5);

PeerClaim better() {
    PeerClaim peer;
    peer.rank = {9, prefix(6)};
    peer.matches = true;
    peer.heard = at(10s);
    peer.yielded_since = long_ago;
    return peer;
}

PeerClaim worse() {
    PeerClaim peer;
    peer.rank = {0, prefix(7)};
    peer.matches = true;
    peer.heard = at(10s);
    peer.yields_to = {{own, long_ago}};
    return peer;
}

// The reader appears at 0 s, and the window is 2 s.
Precedence judged(const std::vector<PeerClaim>& peers,
                  MonoTime now = at(10s),
                  GuidPrefix left_to = {}) {
    PrecedenceQuestion question;
    question.own = {1, own};
    question.appeared = at(0s);
    question.left_to = left_to;
    question.window = 2s;
    question.peers = peers;
    return judge_precedence(question, now);
}

template <class Change>
PeerClaim changed(PeerClaim peer, Change change) {
    change(peer);
    return peer;
}

}  // namespace

TEST_CASE("the higher priority goes first, then the lower GUID") {
    CHECK(outranks({2, prefix(9)}, {1, prefix(1)}));
    CHECK_FALSE(outranks({1, prefix(1)}, {2, prefix(9)}));
    CHECK(outranks({1, prefix(1)}, {1, prefix(9)}));
    CHECK_FALSE(outranks({1, prefix(9)}, {1, prefix(1)}));
    CHECK_FALSE(outranks({1, prefix(1)}, {1, prefix(1)}));
}

TEST_CASE("who a late reader belongs to") {
    struct Row {
        std::string name;
        std::vector<PeerClaim> peers;
        Standing standing;
        GuidPrefix owner;
    };
    const auto old_owner = [](PeerClaim& peer) {
        peer.alive = false;
        peer.matches = false;
    };
    const std::vector<Row> rows = {
        {"nobody else is there", {}, Standing::ours, {}},
        {"a better one, which had its time", {better()}, Standing::theirs, better().rank.prefix},
        {"a better one, last heard too early to have served it",
         {changed(better(), [](auto& peer) { peer.heard = at(1900ms); })},
         Standing::waiting,
         better().rank.prefix},
        {"a better one that is only remembered",
         {changed(better(), [](auto& peer) { peer.confirmed = false; })},
         Standing::waiting,
         better().rank.prefix},
        {"a better one to which we yielded just when the reader came",
         {changed(better(), [](auto& peer) { peer.yielded_since = at(0s); })},
         Standing::theirs,
         better().rank.prefix},
        {"a better one to which we yielded after the reader came",
         {changed(better(), [](auto& peer) { peer.yielded_since = at(1ms); })},
         Standing::ours,
         {}},
        {"a better one to which we do not yield",
         {changed(better(), [](auto& peer) { peer.yielded_since.reset(); })},
         Standing::ours,
         {}},
        {"a better one that does not serve the topic",
         {changed(better(), [](auto& peer) { peer.matches = false; })},
         Standing::ours,
         {}},
        {"a better one whose writers may not be known yet",
         {changed(better(),
                  [](auto& peer) {
                      peer.matches = false;
                      peer.settled_at = at(10100ms);
                  })},
         Standing::waiting,
         {}},
        {"a better one that is gone", {changed(better(), old_owner)}, Standing::ours, {}},
        {"a worse one, which yields", {worse()}, Standing::ours, {}},
        {"a worse one that does not yield",
         {changed(worse(), [](auto& peer) { peer.yields_to.clear(); })},
         Standing::theirs,
         worse().rank.prefix},
        {"a worse one that does not yield and was not heard since the reader came",
         {changed(worse(),
                  [](auto& peer) {
                      peer.yields_to.clear();
                      peer.heard = at(0s);
                  })},
         Standing::waiting,
         worse().rank.prefix},
        {"a worse one that was seen to yield within the window after the reader came",
         {changed(worse(),
                  [](auto& peer) {
                      peer.yields_to = {{own, at(2s)}};
                  })},
         Standing::ours,
         {}},
        {"a worse one that was seen to yield later than that",
         {changed(worse(),
                  [](auto& peer) {
                      peer.yields_to = {{own, at(2001ms)}};
                  })},
         Standing::theirs,
         worse().rank.prefix},
        {"a worse one that does not yield and does not serve the topic",
         {changed(worse(),
                  [](auto& peer) {
                      peer.yields_to.clear();
                      peer.matches = false;
                  })},
         Standing::ours,
         {}},
        {"a worse one that yields to a third, which serves the topic and yields to us",
         {changed(worse(),
                  [](auto& peer) {
                      peer.yields_to = {{prefix(8), long_ago}};
                  }),
          changed(worse(), [](auto& peer) { peer.rank.prefix = prefix(8); })},
         Standing::ours,
         {}},
        {"a worse one that yields to a third, which does not serve the topic",
         {changed(worse(),
                  [](auto& peer) {
                      peer.yields_to = {{prefix(8), long_ago}};
                  }),
          changed(worse(),
                  [](auto& peer) {
                      peer.rank.prefix = prefix(8);
                      peer.matches = false;
                  })},
         Standing::theirs,
         worse().rank.prefix},
        {"a worse one that yields to a third, which is gone",
         {changed(worse(),
                  [](auto& peer) {
                      peer.yields_to = {{prefix(8), long_ago}};
                  }),
          changed(worse(),
                  [](auto& peer) {
                      peer.rank.prefix = prefix(8);
                      peer.alive = false;
                  })},
         Standing::theirs,
         worse().rank.prefix},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const Precedence result = judged(row.peers);
        CHECK(result.standing == row.standing);
        CHECK(result.owner == row.owner);
    }
}

TEST_CASE("a reader whose daemon is lost is taken over unless that had its time to serve it") {
    PeerClaim lost = better();
    lost.alive = lost.matches = false;
    lost.heard = at(2s);
    CHECK(judged({lost}, at(40s), lost.rank.prefix).standing == Standing::theirs);
    // It belonged to somebody else, or to nobody.
    CHECK(judged({lost}, at(40s), prefix(9)).standing == Standing::ours);
    CHECK(judged({lost}, at(40s)).standing == Standing::ours);
    lost.heard = at(1999ms);
    CHECK(judged({lost}, at(40s), lost.rank.prefix).standing == Standing::ours);
}

TEST_CASE("after a start readers wait a little, since other daemons may not be known yet") {
    PrecedenceQuestion question;
    question.own = {1, own};
    question.appeared = at(0s);
    question.window = 2s;
    question.acquainted_at = at(500ms);
    const Precedence early = judge_precedence(question, at(499ms));
    CHECK(early.standing == Standing::waiting);
    CHECK(early.owner == unknown_prefix);
    CHECK(early.until == at(500ms));
    CHECK(judge_precedence(question, at(500ms)).standing == Standing::ours);
}

TEST_CASE("what a daemon announces is what others read") {
    ServiceAnnouncement said;
    said.role = ServiceRole::replay;
    said.priority = 1'000'000;
    said.host = "alpha";
    said.run = 300'000;
    said.yields_to = {prefix(1), prefix(2)};
    discovery::ParticipantData participant;
    participant.properties = to_properties(said);
    CHECK(service_announcement(participant) == said);
    said = {};
    participant.properties = to_properties(said);
    CHECK(service_announcement(participant) == said);
}

TEST_CASE("announcements of others and damaged ones are borne") {
    discovery::ParticipantData participant;
    CHECK_FALSE(service_announcement(participant));
    participant.properties = {{"durabilityd.role", "king"}};
    CHECK_FALSE(service_announcement(participant));
    participant.properties = {{"durabilityd.priority", "3"}};
    CHECK_FALSE(service_announcement(participant));

    std::string many;
    for (int i = 0; i < 100; ++i)
        many += to_string(prefix(static_cast<std::uint8_t>(i))) + " ";
    participant.properties = {{"durabilityd.role", "replay"},
                              {"durabilityd.priority", "-1"},
                              {"durabilityd.host", std::string(10'000, 'x')},
                              {"durabilityd.yields_to", "  nonsense " + many},
                              {"durabilityd.future", "yes"}};
    const auto said = service_announcement(participant);
    REQUIRE(said);
    CHECK(said->priority == 0);
    CHECK(said->host.size() == 255);
    CHECK(said->yields_to.size() == max_peer_services);
    participant.properties[1].second = "99999999999999999999";
    CHECK(service_announcement(participant)->priority == 0);
    participant.properties[1].second = "9999999";
    CHECK(service_announcement(participant)->priority == 1'000'000);
}
