// Taking RTPS messages apart for assertions.
#pragma once

#include "base/bytes.hpp"
#include "rtps/outbox.hpp"
#include "wire/message_reader.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

namespace durability::discovery {

struct SeenSubmessage {
    wire::ReceiverState state;
    wire::Submessage submessage;
};

// Views point into `message`.
inline std::vector<SeenSubmessage> submessages_of(const Buffer& message) {
    std::vector<SeenSubmessage> seen;
    wire::MessageReader reader(message);
    REQUIRE(reader.header().has_value());
    while (const auto next = reader.next()) {
        REQUIRE(next->has_value());
        seen.push_back({reader.state(), **next});
    }
    return seen;
}

std::vector<SeenSubmessage> submessages_of(Buffer&&) = delete;

struct SeenData {
    wire::ReceiverState state;
    wire::Data data;
};

// All DATA of a writer.
inline std::vector<SeenData> data_of(const Buffer& message, EntityId writer) {
    std::vector<SeenData> seen;
    for (const SeenSubmessage& submessage : submessages_of(message)) {
        const auto* data = std::get_if<wire::Data>(&submessage.submessage);
        if (data != nullptr && data->writer == writer) seen.push_back({submessage.state, *data});
    }
    return seen;
}

std::vector<SeenData> data_of(Buffer&&, EntityId) = delete;

inline std::vector<rtps::Transmit> drain(rtps::Outbox& outbox) {
    std::vector<rtps::Transmit> transmits;
    while (auto transmit = outbox.next_transmit())
        transmits.push_back(std::move(*transmit));
    return transmits;
}

}  // namespace durability::discovery
