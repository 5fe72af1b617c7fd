#include "durabilityctl/store_in_hand.hpp"

#include "base/clock.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <tuple>

#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace durability::ctl {

Status act_as_owner_of(const std::string& directory) {
    if (::geteuid() != 0) return {};
    struct stat owner {};
    if (::stat(directory.c_str(), &owner) != 0)
        return fail(errno == ENOENT ? Errc::not_found : Errc::io,
                    fmt::format("look at {}", directory),
                    errno);
    if (owner.st_uid == 0) return {};
    // For good: nothing that follows needs root, and there is no way back for anybody else either.
    if (::setgroups(1, &owner.st_gid) != 0 ||
        ::setresgid(owner.st_gid, owner.st_gid, owner.st_gid) != 0 ||
        ::setresuid(owner.st_uid, owner.st_uid, owner.st_uid) != 0)
        return fail(Errc::permission,
                    fmt::format("act as the owner of {} (user {})", directory, owner.st_uid),
                    errno);
    // It is an ordinary process of that user now: cores, debuggers and leak checkers may have it.
    std::ignore = ::prctl(PR_SET_DUMPABLE, 1);
    return {};
}

Error explain_lease(Error error, std::string_view command) {
    if (error.code != Errc::in_use) return error;
    error.detail += command == "repair"
                        ? "; repair needs a store at rest: stop the daemon first"
                        : fmt::format("; leave out --state-dir to have the daemon {}", command);
    return error;
}

Result<std::unique_ptr<StoreInHand>> StoreInHand::open(store::FileSystem& files,
                                                       const DomainFolder& folder,
                                                       const store::Progress& progress) {
    std::unique_ptr<StoreInHand> hand(new StoreInHand);
    std::error_code failed;
    std::string name = std::filesystem::temp_directory_path(failed) / "durabilityctl-XXXXXX";
    if (failed || ::mkdtemp(name.data()) == nullptr)
        return fail(Errc::io, fmt::format("make the folder {}", name), errno);
    hand->scratch_ = name;
    store::StoreOptions options;
    options.disk_directory = folder.path;
    options.memory_directory = name + "/memory";
    options.limits.sample_size = largest_sample;
    options.key_finders = keys_by_type();
    auto store = store::Store::open(files, options, system_now().wall, hand->out_, progress);
    if (!store) return tl::unexpected(store.error());
    hand->store_ = std::move(*store);
    return hand;
}

StoreInHand::~StoreInHand() {
    store_.reset();
    std::error_code ignored;
    if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

bool StoreInHand::sync() {
    auto job = store_->begin_sync(out_);
    if (job.empty()) return false;
    store::Store::run(job);
    store_->end_sync(std::move(job), out_);
    return true;
}

template <class Answer>
const Answer* StoreInHand::answer_to(std::uint64_t ticket) const {
    for (const store::Completion& completion : out_) {
        const auto* answer = std::get_if<Answer>(&completion);
        if (answer != nullptr && answer->ticket == ticket) return answer;
    }
    return nullptr;
}

Result<std::uint64_t> StoreInHand::purge(const store::PurgeSamples& command) {
    store::PurgeSamples asked = command;
    asked.ticket = ++last_ticket_;
    store_->execute(asked, out_);
    // The answer may have to wait for the disk.
    for (int rounds = 0; rounds < 3; ++rounds) {
        if (const auto* answer = answer_to<store::SamplesPurged>(asked.ticket))
            return answer->samples;
        sync();
    }
    return fail(Errc::unavailable, "purge: the disk did not take it");
}

Status StoreInHand::compact(GroupHandle group, const std::function<void()>& step) {
    const std::uint64_t ticket = ++last_ticket_;
    store_->execute(store::CompactGroup{ticket, group}, out_);
    const auto* begun = answer_to<store::CompactionBegun>(ticket);
    if (begun != nullptr && !begun->logs) return tl::unexpected(begun->logs.error());
    while (!store_->degraded()) {
        const bool worked = store_->work_due();
        if (worked) store_->do_slice(out_);
        if (!sync() && !worked) return {};
        if (step) step();
    }
    return fail(Errc::unavailable, "compact: the disk does not take it; nothing is lost");
}

Status StoreInHand::close(std::vector<std::string>& remarks) {
    sync();
    const Status done = store_->close(out_);
    store_.reset();
    keep_remarks(out_, remarks);
    return done;
}

}  // namespace durability::ctl
