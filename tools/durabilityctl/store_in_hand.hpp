// A store at rest that this program owns while it changes something in it: as a daemon would, with
// the lease, and with recovery first. Topics in memory are not at rest and not here.
#pragma once

#include "durabilityctl/store_at_rest.hpp"

#include "store/store.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace durability::ctl {

// Root acts as the owner of the directory from here on: files that it would make as root could not
// be opened by the daemon any more. Others stay who they are.
Status act_as_owner_of(const std::string& directory);

// What a refused lease means for whoever typed `command`; other errors as they are.
[[nodiscard]] Error explain_lease(Error error, std::string_view command);

class StoreInHand {
  public:
    // Errors: in_use (a daemon holds the lease), version, permission, io. `progress` may be empty.
    static Result<std::unique_ptr<StoreInHand>> open(store::FileSystem& files,
                                                     const DomainFolder& folder,
                                                     const store::Progress& progress);
    StoreInHand(const StoreInHand&) = delete;
    StoreInHand& operator=(const StoreInHand&) = delete;
    ~StoreInHand();

    [[nodiscard]] std::vector<store::GroupStatus> groups() const { return store_->status().groups; }
    // Samples taken out of one group.
    Result<std::uint64_t> purge(const store::PurgeSamples& command);
    // Rewrites what holds dead frames of the group; calls `step` after every megabyte or so.
    Status compact(GroupHandle group, const std::function<void()>& step);
    // Ends the work: everything is synced, the lease given back. `remarks` get what was found
    // wrong.
    Status close(std::vector<std::string>& remarks);

  private:
    StoreInHand() = default;
    // False when nothing waits for the disk.
    bool sync();
    template <class Answer>
    const Answer* answer_to(std::uint64_t ticket) const;

    // Where topics in memory would be; this program has none.
    std::filesystem::path scratch_;
    std::unique_ptr<store::Store> store_;
    std::vector<store::Completion> out_;
    std::uint64_t last_ticket_{0};
};

}  // namespace durability::ctl
