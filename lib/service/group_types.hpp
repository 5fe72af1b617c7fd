// Which type each served group has: stored with it, or asked for at a writer by the TypeLookup
// service; what then follows for keys, and for what the replay participant may announce and has to
// answer (semantics.md, sections 2 and 4). No I/O; belongs to the loop.
#pragma once

#include "base/time.hpp"
#include "participant/participant.hpp"
#include "service/context.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace durability::service {

class GroupTypes {
  public:
    GroupTypes(Context& context, participant::Participant& ingest, participant::Participant& replay)
        : context_(context), ingest_(ingest), replay_(replay) {}

    // The group is open: what is stored with it, its rule, and the writers found so far count.
    void on_group_opened(ServedGroup& group, Now now);
    // A writer of an open group was found.
    void on_writer_found(ServedGroup& group, const discovery::EndpointData& writer, Now now);
    // A reader that matches an open group was found. Where no writer describes the type of a keyed
    // topic, a reader's process may.
    void on_reader_found(ServedGroup& group, const discovery::EndpointData& reader, Now now);
    // Somebody says what the type of an open group is; with everything it depends on. Nothing
    // happens when it is known already.
    void describe(ServedGroup& group, Buffer information, std::vector<Buffer> objects);
    void on_received(const discovery::TypesReceived& received, Now now);
    void on_unavailable(const discovery::TypesUnavailable& unavailable, Now now);
    // It is not served any more, and about to go.
    void forget(ServedGroup& group);
    // Its rule says otherwise than before where its key lies.
    void on_layout_changed(ServedGroup& group);
    // Samples of the group come without a key that anybody could name.
    void on_keyless_sample(ServedGroup& group, const Guid& writer, Now now);

    // Groups whose type is known by now, or need not be waited for any longer: their replay writers
    // may be announced.
    [[nodiscard]] std::optional<GroupHandle> next_settled();
    void tick(Now now);
    [[nodiscard]] MonoTime next_deadline() const;

  private:
    void begin(ServedGroup& group,
               const types::TypeInformation& wanted,
               const GuidPrefix& peer,
               Now now);
    void ask(ServedGroup& group, const GuidPrefix& peer, Now now);
    void take(ServedGroup& group, const discovery::TypesReceived& received, Now now);
    [[nodiscard]] bool ask_another(ServedGroup& group, const GuidPrefix& not_this, Now now);
    void give_up(ServedGroup& group, Now now);
    void complete(ServedGroup& group, Now now);
    void take_description(ServedGroup& group);
    void complete_of_reader(ServedGroup& group);
    void plan(ServedGroup& group);
    void offer(const ServedGroup& group);
    void settle(ServedGroup& group);
    void report(ServedGroup& group, Now now);

    Context& context_;
    participant::Participant& ingest_;
    participant::Participant& replay_;
    std::vector<ServedGroup*> asking_;  // few at a time
    std::deque<GroupHandle> settled_;
};

}  // namespace durability::service
