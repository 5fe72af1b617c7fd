#include "service/precedence.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace durability::service {
namespace {

constexpr std::string_view role_key = "durabilityd.role";
constexpr std::string_view priority_key = "durabilityd.priority";
constexpr std::string_view host_key = "durabilityd.host";
constexpr std::string_view run_key = "durabilityd.run";
constexpr std::string_view yields_key = "durabilityd.yields_to";
constexpr std::uint64_t greatest_priority = 1'000'000;
constexpr std::size_t longest_host = 255;

std::uint64_t parse_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

// Prefixes with blanks between them.
std::vector<GuidPrefix> parse_prefixes(std::string_view text) {
    std::vector<GuidPrefix> result;
    while (!text.empty() && result.size() < max_peer_services) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (const auto guid = parse_guid(std::string(word) + ":000001c1"))
            result.push_back(guid->prefix);
    }
    return result;
}

// Whether `peer`, by what it has announced, serves the reader: there is nobody to whom it yields
// and who matches the reader as well.
bool claims(const PeerClaim& peer, const PrecedenceQuestion& question) {
    return std::ranges::none_of(peer.yields_to, [&](const PeerClaim::Yield& yield) {
        // A reader that came shortly before may have come to the peer shortly after.
        if (after(question.appeared, question.window) < yield.seen) return false;
        if (yield.to == question.own.prefix) return true;
        return std::ranges::any_of(question.peers, [&](const PeerClaim& other) {
            return other.rank.prefix == yield.to && other.alive && other.matches;
        });
    });
}

bool owns(const PeerClaim& peer, const PrecedenceQuestion& question) {
    if (outranks(peer.rank, question.own))
        return peer.yielded_since && *peer.yielded_since <= question.appeared;
    return claims(peer, question);
}

}  // namespace

discovery::Properties to_properties(const ServiceAnnouncement& announcement) {
    discovery::Properties result;
    const bool is_replay = announcement.role == ServiceRole::replay;
    result.emplace_back(role_key, is_replay ? "replay" : "ingest");
    result.emplace_back(priority_key, std::to_string(announcement.priority));
    if (!announcement.host.empty()) result.emplace_back(host_key, announcement.host);
    result.emplace_back(run_key, std::to_string(announcement.run));
    std::string yields;
    for (const GuidPrefix& prefix : announcement.yields_to)
        yields += (yields.empty() ? "" : " ") + to_string(prefix);
    if (!yields.empty()) result.emplace_back(yields_key, std::move(yields));
    return result;
}

std::optional<ServiceAnnouncement> service_announcement(
    const discovery::ParticipantData& participant) {
    ServiceAnnouncement result;
    bool has_role = false;
    for (const auto& [name, value] : participant.properties) {
        if (name == role_key) {
            if (value != "replay" && value != "ingest") return std::nullopt;
            result.role = value == "replay" ? ServiceRole::replay : ServiceRole::ingest;
            has_role = true;
        } else if (name == priority_key) {
            result.priority = std::min(parse_number(value), greatest_priority);
        } else if (name == run_key) {
            result.run = parse_number(value);
        } else if (name == host_key) {
            result.host = value.substr(0, longest_host);
        } else if (name == yields_key) {
            result.yields_to = parse_prefixes(value);
        }
    }
    if (!has_role) return std::nullopt;
    return result;
}

bool outranks(const ServiceRank& one, const ServiceRank& other) {
    return std::tie(other.priority, one.prefix) < std::tie(one.priority, other.prefix);
}

Precedence judge_precedence(const PrecedenceQuestion& question, MonoTime now) {
    Precedence result;
    const auto wait = [&](MonoTime until, const GuidPrefix& owner) {
        const bool first = std::exchange(result.standing, Precedence::Standing::waiting) !=
                           Precedence::Standing::waiting;
        result.until = first ? until : std::min(result.until, until);
        if (owner != unknown_prefix) result.owner = owner;
    };
    if (now < question.acquainted_at) wait(question.acquainted_at, unknown_prefix);
    for (const PeerClaim& peer : question.peers) {
        const bool had_its_time =
            peer.confirmed && peer.heard >= after(question.appeared, question.window);
        if (!peer.alive) {
            if (peer.rank.prefix != question.left_to || !had_its_time) continue;
            return {Precedence::Standing::theirs, peer.rank.prefix, MonoTime::max()};
        }
        if (!owns(peer, question)) continue;
        if (!peer.matches) {
            if (now < peer.settled_at) wait(peer.settled_at, unknown_prefix);
            continue;
        }
        if (had_its_time) return {Precedence::Standing::theirs, peer.rank.prefix, MonoTime::max()};
        wait(MonoTime::max(), peer.rank.prefix);
    }
    return result;
}

}  // namespace durability::service
