// The effective contract of a topic as `durabilityctl show` gives it: every value, and where it
// comes from. Names from the network stand raw in members of their own, and made safe in texts.
#pragma once

#include "model/status.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace durability {

// Where a value comes from. In texts of the surface: never rename.
enum class ValueOrigin : std::uint8_t {
    rule,            // `where`: file:line
    announced,       // by a writer's DURABILITY_SERVICE; `where`: its GUID, or nothing
    writer,          // of the QoS or the type that a writer announced
    daemon_default,  // of the daemon's configuration
    built_in,        // what the daemon does where nobody says otherwise
    stored           // kept with the topic since an earlier run, and nobody says so now
};
[[nodiscard]] std::string_view name(ValueOrigin origin);

struct ShownValue {
    std::string name;   // "contract.depth", "storage", "qos.deadline"
    std::string value;  // for people and programs; made safe
    ValueOrigin origin{ValueOrigin::built_in};
    std::string where;  // what the origin says
    friend bool operator==(const ShownValue&, const ShownValue&) = default;
};

struct ShownGroup {
    TopicStatus topic;
    std::string state;  // "served", "opening", "failed" or "stored"
    std::vector<ShownValue> values;
};

struct ShownTopic {
    std::uint32_t domain{0};
    std::string topic;
    std::vector<ShownGroup> groups;
};

struct Shown {
    std::vector<ShownTopic> topics;  // by domain
    std::vector<std::string> near;   // topics of a name like the one asked for
    Shown& operator+=(const Shown& other) {
        topics.insert(topics.end(), other.topics.begin(), other.topics.end());
        for (const std::string& name : other.near) {
            if (std::find(near.begin(), near.end(), name) == near.end()) near.push_back(name);
        }
        return *this;
    }
};

}  // namespace durability
