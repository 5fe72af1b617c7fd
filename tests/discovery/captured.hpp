// Discovery messages as other implementations sent them, taken from the public captures and fuzz
// corpora of foxglove/rtps and eProsima/Fast-DDS. Whole RTPS messages.
#pragma once

#include "base/bytes.hpp"

#include <string_view>

namespace durability::discovery::captured {

// Hex digits, blanks ignored.
[[nodiscard]] Buffer from_hex(std::string_view digits);

// ROS 2 talker on Cyclone DDS 0.8: SPDP by multicast.
[[nodiscard]] Buffer cyclone_spdp();
// The same participant: its directed answer.
[[nodiscard]] Buffer cyclone_spdp_directed();
// Its publications: five DATA, ROS 2 built-in topics first.
[[nodiscard]] Buffer cyclone_sedp_writers();
// Its subscriptions, three DATA, then HEARTBEATs and a participant message.
[[nodiscard]] Buffer cyclone_sedp_readers();
// Cyclone DDS: participant dispose, key in the payload.
[[nodiscard]] Buffer cyclone_participant_dispose();
// Cyclone DDS: dispose of a reader, key in the payload.
[[nodiscard]] Buffer cyclone_reader_dispose();
// RTI Connext: SPDP with many parameters of its own.
[[nodiscard]] Buffer rti_spdp();
// RTI Connext: a publication.
[[nodiscard]] Buffer rti_sedp_writer();
// RTI Connext: a subscription.
[[nodiscard]] Buffer rti_sedp_reader();
// RTI Connext: participant dispose, key hash only.
[[nodiscard]] Buffer rti_participant_dispose();
// RTI Connext: dispose of a writer, key hash only.
[[nodiscard]] Buffer rti_writer_dispose();
// OpenDDS: SPDP.
[[nodiscard]] Buffer opendds_spdp();

}  // namespace durability::discovery::captured
