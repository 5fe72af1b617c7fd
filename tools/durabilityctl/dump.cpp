// durabilityctl dump TOPIC
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_at_rest.hpp"

#include "base/text.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace durability::ctl {
namespace {

using Json = nlohmann::ordered_json;

std::string_view operation(Lifecycle lifecycle) {
    switch (lifecycle) {
        case Lifecycle::data:
            return "data";
        case Lifecycle::dispose:
            return "dispose";
        case Lifecycle::unregister:
            return "unregister";
        case Lifecycle::dispose_unregister:
            return "dispose_unregister";
    }
    return "?";
}

// Names may be no UTF-8; printable() text always is.
Json text_json(const std::string& text) {
    return is_utf8(text) ? text : printable(text, text.size() * 4);
}

Json id_json(const SampleId& id) {
    Json json;
    json["writer"] = to_string(id.writer);
    json["number"] = id.number.value;
    return json;
}

Json sample_json(std::uint32_t domain,
                 const GroupMeta& group,
                 const store::ReadSample& sample,
                 bool with_payload) {
    Json json;
    json["domain"] = domain;
    json["topic"] = text_json(group.key.topic);
    json["type"] = text_json(group.key.type);
    json["arrival"] = sample.arrival;
    json["writer"] = to_string(sample.meta.id.writer);
    json["number"] = sample.meta.id.number.value;
    json["operation"] = operation(sample.meta.lifecycle);
    const auto source = sample.meta.source_timestamp;
    json["source_time_ns"] =
        source.valid() ? Json(to_wall_time(source).time_since_epoch().count()) : Json();
    json["received_ns"] = sample.received.time_since_epoch().count();
    if (sample.meta.key) json["key_hash"] = to_hex(sample.meta.key->hash);
    if (sample.meta.related) json["related"] = id_json(sample.meta.related->id);
    if (sample.meta.coherent_set) json["coherent_set"] = sample.meta.coherent_set->value;
    json["size"] = sample.payload.size();
    if (with_payload) json["payload"] = to_hex(sample.payload);
    return json;
}

bool is_wanted(const SampleMeta& sample, const Arguments& arguments) {
    if (arguments.writer && sample.id.writer != *arguments.writer) return false;
    if (arguments.instance && (!sample.key || sample.key->hash != *arguments.instance))
        return false;
    if (!arguments.related_writer) return true;
    if (!sample.related || sample.related->id.writer != *arguments.related_writer) return false;
    return !arguments.related_number || sample.related->id.number == *arguments.related_number;
}

}  // namespace

Outcome run_dump(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string directory = store_directory(arguments);
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    const std::string& topic = arguments.words.front();
    bool found = false;
    std::uint64_t seen = 0;
    std::uint64_t shown = 0;
    bool damaged = false;
    for (const DomainFolder& folder : *folders) {
        auto store = StoreAtRest::open(files, folder);
        if (!store) return tl::unexpected(store.error());
        for (const store::GroupStatus& group : store->groups()) {
            if (group.meta.key.topic != topic) continue;
            found = true;
            store->for_each_sample(group.handle, [&](const store::ReadSample& sample) {
                ++seen;
                if (!is_wanted(sample.meta, arguments)) return true;
                ++shown;
                print(sample_json(folder.domain, group.meta, sample, arguments.payload).dump() +
                      "\n");
                return true;
            });
        }
        for (const std::string& remark : store->remarks())
            print_error(remark);
        damaged = damaged || !store->remarks().empty();
    }
    if (!found) {
        return fail(Errc::not_found,
                    fmt::format("dump {}: the store in {} has no such topic on disk",
                                quote_if_needed(topic),
                                directory));
    }
    // Nothing on stdout is what a program reads; a person wants to know why.
    if (shown == 0 && seen > 0) {
        print_error(fmt::format("dump {}: none of {} samples is selected; without options all are",
                                quote_if_needed(topic),
                                seen));
    }
    return damaged ? exit_status(Errc::corrupt) : 0;
}

}  // namespace durability::ctl
