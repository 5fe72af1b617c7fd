// What a participant tells the service. Values; taken out with Participant::next_event().
#pragma once

#include "discovery/sedp.hpp"
#include "discovery/spdp.hpp"
#include "discovery/type_lookup_event.hpp"
#include "model/guid.hpp"
#include "model/sequence_number.hpp"
#include "wire/decode_error.hpp"

#include <variant>

namespace durability::participant {

// A writer that probe_writer() asked has answered: it lives, and holds first..last.
struct WriterAnswered {
    Guid writer;
    SequenceRange held;
};

// A writer that probe_writer() asked cannot answer: nobody listens where its process did.
struct WriterSilent {
    Guid writer;
};

// A late reader has acknowledged everything it was owed.
struct HistoryDelivered {
    EntityId replay_writer;
    Guid reader;
};

// A late reader has spoken to a replay writer of ours: it knows it.
struct ReaderSpoke {
    EntityId replay_writer;
    Guid reader;
};

// A datagram, or the rest of one, was not what the protocol allows (cases R7.1).
struct MalformedDatagram {
    GuidPrefix source;  // zero when not even the header could be read
    wire::DecodeError error{};
};

// A writer numbers its samples from the start again under the same GUID (cases R2.3).
struct NumberingRestarted {
    EntityId reader;
    Guid writer;
};

using ParticipantEvent = std::variant<discovery::ParticipantFound,
                                      discovery::ParticipantChanged,
                                      discovery::ParticipantLost,
                                      discovery::MalformedAnnouncement,
                                      discovery::LimitReached,
                                      discovery::WriterFound,
                                      discovery::WriterChanged,
                                      discovery::WriterLost,
                                      discovery::ReaderFound,
                                      discovery::ReaderChanged,
                                      discovery::ReaderLost,
                                      discovery::LocalAcknowledged,
                                      discovery::TypesReceived,
                                      discovery::TypesUnavailable,
                                      WriterAnswered,
                                      WriterSilent,
                                      HistoryDelivered,
                                      ReaderSpoke,
                                      MalformedDatagram,
                                      NumberingRestarted>;

}  // namespace durability::participant
