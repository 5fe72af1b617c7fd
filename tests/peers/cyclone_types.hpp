// The types the Cyclone DDS peer knows, by the name --type has for them.
#pragma once

#include "endpoint.hpp"

#include <memory>
#include <string_view>

#include <dds/dds.h>

namespace peer {

struct CycloneType {
    std::string_view name;
    const dds_topic_descriptor_t* descriptor;
    const char* type_name;  // announced; a newer version has the name of the older one
    std::unique_ptr<Writer> (*make_writer)(dds_entity_t writer);
    std::unique_ptr<Reader> (*make_reader)(dds_entity_t reader);
};

// Ends the process when there is no such type.
const CycloneType& find_cyclone_type(std::string_view name);

// Without type information as if made by `idlc -t`: endpoints then do not say what their type is.
dds_topic_descriptor_t descriptor_of(const CycloneType& type, bool type_information);

}  // namespace peer
