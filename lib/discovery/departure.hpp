// How participants and endpoints take leave (RTPS 2.5, 8.2.6 and 9.6.4.9; fact sheet 1.5). Internal
// to discovery/. Pure.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/sample.hpp"
#include "wire/decode_error.hpp"
#include "wire/inline_qos.hpp"

#include <cstdint>

namespace durability::discovery {

// Whether the sample says that its instance is gone.
[[nodiscard]] bool is_departure(const wire::InlineQos& qos);

// Who leaves: the key hash, or where there is none the key in the payload, which is a key or a
// whole announcement. `id` is the parameter that names the key. Error: nobody is named.
[[nodiscard]] wire::Decoded<Guid> departed_guid(const wire::InlineQos& qos,
                                                PayloadKind kind,
                                                ByteView payload,
                                                std::uint16_t id);

// The inline QoS of our own: Fast DDS sees a dispose only with the key hash, Cyclone DDS and
// OpenDDS want the key as payload besides (rule 3).
[[nodiscard]] Buffer encode_departure(const Guid& guid);

}  // namespace durability::discovery
