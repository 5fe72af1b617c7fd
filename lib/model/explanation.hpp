// Why the endpoints of a topic are served or not, as values: what `durabilityctl explain` shows.
// Texts are for people, without a full stop; names from the network stand raw in members of their
// own, and made safe where a text quotes them.
#pragma once

#include "model/guid.hpp"
#include "model/qos.hpp"
#include "model/status.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace durability {

struct GroupExplanation {
    TopicStatus topic;
    std::string state;             // "served", "opening", "failed" or "stored"
    std::string reason;            // why it is not served as it should be, where that is so
    std::string cure;              // what helps, where something does
    std::string rule;              // file:line of the rule in force; empty: none
    std::string type_description;  // "known", "asked", "untold" or "unavailable"
    std::string key;               // what its instances are known by
};

struct EndpointExplanation {
    Guid guid;
    std::string vendor;
    std::string type;
    DurabilityKind durability{DurabilityKind::volatile_};
    bool reliable{false};
    std::vector<std::string> partitions;
    std::string reason;  // why it is not served, or what concerns it before any group does
    std::string cure;
};

struct WriterExplanation : EndpointExplanation {
    std::optional<std::size_t> group;  // that it is served in
};

// A reader and one group: what it is given, or the first rule that keeps them apart.
struct ReaderMatch {
    std::size_t group{0};
    std::optional<ReaderStatus> served;  // they match
    // They do not:
    std::string policy;
    std::string offered;
    std::string requested;
    std::string cure;
};

struct ReaderExplanation : EndpointExplanation {
    std::vector<ReaderMatch> groups;
};

struct TopicExplanation {
    std::uint32_t domain{0};
    std::string topic;
    std::vector<GroupExplanation> groups;
    std::vector<WriterExplanation> writers;
    std::vector<ReaderExplanation> readers;
    std::vector<std::string> remarks;  // on the domain: what may hide endpoints
    // Nobody writes, reads or keeps it.
    [[nodiscard]] bool is_unknown() const {
        return groups.empty() && writers.empty() && readers.empty();
    }
};

struct Explanation {
    std::vector<TopicExplanation> topics;  // by domain
    std::vector<std::string> near;         // topics of a name like the one asked for
    Explanation& operator+=(const Explanation& other) {
        topics.insert(topics.end(), other.topics.begin(), other.topics.end());
        for (const std::string& name : other.near) {
            if (std::find(near.begin(), near.end(), name) == near.end()) near.push_back(name);
        }
        return *this;
    }
};

}  // namespace durability
