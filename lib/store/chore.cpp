#include "store/chore.hpp"

#include "store/layout.hpp"

#include <tuple>

namespace durability::store {
namespace {

struct Performer {
    FileSystem& files;

    Status operator()(const Chore::Write& step) const {
        auto file = files.open(step.path, OpenMode::create);
        if (!file) return tl::unexpected(std::move(file.error()));
        Status done = (*file)->write(0, step.content);
        if (done && step.sync) done = (*file)->sync();
        return done;
    }
    Status operator()(const Chore::Sync& step) const { return step.file->sync(); }
    Status operator()(const Chore::Rename& step) const { return files.rename(step.from, step.to); }
    Status operator()(const Chore::Remove& step) const {
        auto done = files.remove(step.path);
        if (!done && done.error().code == Errc::not_found) return {};
        return done;
    }
    Status operator()(const Chore::SyncDirectory& step) const {
        return files.sync_directory(step.path);
    }
};

}  // namespace

void add_replacement(std::vector<Chore::Step>& steps,
                     const std::string& folder,
                     std::string_view name,
                     Buffer content,
                     bool durable) {
    const std::string path = join(folder, name);
    std::string temporary = path + std::string(layout::temporary_suffix);
    steps.emplace_back(Chore::Write{temporary, std::move(content), durable});
    steps.emplace_back(Chore::Rename{std::move(temporary), path});
}

Status carry_out(FileSystem& files, const std::vector<Chore::Step>& steps) {
    std::vector<std::string> beside;
    for (const Chore::Step& step : steps) {
        if (const auto* write = std::get_if<Chore::Write>(&step)) beside.push_back(write->path);
        auto done = std::visit(Performer{files}, step);
        if (done) {
            if (const auto* renamed = std::get_if<Chore::Rename>(&step))
                std::erase(beside, renamed->from);
            continue;
        }
        // The next start would remove them; trying now frees the space a full disk needs.
        for (const std::string& path : beside) {
            if (path.ends_with(layout::temporary_suffix)) std::ignore = files.remove(path);
        }
        return done;
    }
    return {};
}

}  // namespace durability::store
