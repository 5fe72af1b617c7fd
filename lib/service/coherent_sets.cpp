#include "service/coherent_sets.hpp"

#include <utility>

namespace durability::service {
namespace {

constexpr std::string_view no_beginning = "its beginning was not received";
constexpr std::string_view hole = "a sample of it was not received";
constexpr std::string_view unusable = "a sample of it cannot be stored";

// What a member costs beside its payload.
std::uint64_t cost(const SetMember& member) {
    return member.payload.size() + sizeof(SetMember);
}

}  // namespace

std::optional<SetName> set_name(const std::optional<SequenceNumber>& of_writer,
                                const std::optional<SequenceNumber>& of_publisher) {
    if (of_writer) {
        if (of_writer->value < 1) return std::nullopt;
        return SetName{*of_writer, false};
    }
    if (of_publisher && of_publisher->value >= 1) return SetName{*of_publisher, true};
    return std::nullopt;
}

CoherentSets::Step CoherentSets::on_sample(WriterSets& writer,
                                           SequenceNumber number,
                                           const std::optional<SetName>& name) {
    Step step;
    const bool follows = number == next(writer.previous_);
    writer.previous_ = number;
    if (writer.state_ != WriterSets::State::outside) {
        // What is missing may have been of it, also when this sample is not.
        if (!follows) drop(writer, hole);
        if (name != writer.name_) step.ended = finish(writer);
    }
    if (!name) return step;
    if (writer.state_ == WriterSets::State::outside) begin(writer, number, *name, follows);
    ++writer.samples_;
    writer.last_ = number;
    step.fate = writer.is_held() ? Fate::held : Fate::dropped;
    return step;
}

void CoherentSets::begin(WriterSets& writer,
                         SequenceNumber number,
                         const SetName& name,
                         bool follows) {
    writer.state_ = WriterSets::State::held;
    writer.name_ = name;
    writer.first_ = number;
    ++sets_;
    // The publisher's numbers do not tell which of the writer's samples comes first; the one before
    // does.
    const bool is_first = name.of_publisher ? follows : name.value == number;
    if (!is_first) drop(writer, no_beginning);
}

bool CoherentSets::hold(WriterSets& writer, SetMember member, const SetLimits& limits) {
    const std::uint64_t size = cost(member);
    std::string_view reason;
    if (sets_ > limits.sets) reason = "limits.coherent_sets";
    if (size > limits.set_bytes || writer.bytes_ > limits.set_bytes - size)
        reason = "limits.coherent_set_bytes";
    if (size > limits.bytes || bytes_ > limits.bytes - size) reason = "limits.coherent_bytes";
    if (!reason.empty()) {
        drop(writer, reason);
        return false;
    }
    member.payload.make_owned();
    writer.bytes_ += size;
    bytes_ += size;
    writer.members_.push_back(std::move(member));
    return true;
}

void CoherentSets::on_missing(WriterSets& writer) {
    drop(writer, hole);
}

void CoherentSets::on_unusable(WriterSets& writer, SequenceNumber number) {
    writer.previous_ = number;
    if (writer.state_ == WriterSets::State::outside) return;
    ++writer.samples_;
    writer.last_ = number;
    drop(writer, unusable);
}

std::optional<EndedSet> CoherentSets::end(WriterSets& writer, std::string_view reason) {
    if (writer.state_ == WriterSets::State::outside) return std::nullopt;
    drop(writer, reason);
    return finish(writer);
}

// It is not whole: what is held of it goes now, what comes of it later is passed over.
void CoherentSets::drop(WriterSets& writer, std::string_view reason) {
    if (!writer.is_held()) return;
    writer.state_ = WriterSets::State::dropped;
    writer.reason_ = reason;
    std::vector<SetMember>{}.swap(writer.members_);
    bytes_ -= std::exchange(writer.bytes_, 0);
    --sets_;
}

EndedSet CoherentSets::finish(WriterSets& writer) {
    EndedSet ended;
    ended.first = writer.first_;
    ended.samples = std::exchange(writer.samples_, 0);
    ended.last = writer.last_;
    ended.reason = std::exchange(writer.reason_, {});
    ended.members = std::exchange(writer.members_, {});
    bytes_ -= std::exchange(writer.bytes_, 0);
    if (writer.is_held()) --sets_;
    writer.state_ = WriterSets::State::outside;
    return ended;
}

}  // namespace durability::service
