#include "runtime/descriptor_limit.hpp"

#include <algorithm>

#include <sys/resource.h>

namespace durability::runtime {

std::uint64_t raise_descriptor_limit(std::uint64_t wanted) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
    const rlim_t enough = std::min<rlim_t>(wanted, limit.rlim_max);
    if (limit.rlim_cur >= enough) return limit.rlim_cur;
    const rlimit raised{enough, limit.rlim_max};
    return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? enough : limit.rlim_cur;
}

std::uint64_t descriptors_wanted(std::uint64_t open_files, std::size_t domains) {
    return descriptors_of_process + domains * (descriptors_of_domain + open_files);
}

std::uint64_t affordable_open_files(std::uint64_t open_files,
                                    std::size_t domains,
                                    std::uint64_t descriptors) {
    constexpr std::uint64_t fewest = 8;
    if (descriptors >= descriptors_wanted(open_files, domains)) return open_files;
    const std::uint64_t others = descriptors_wanted(0, domains);
    const std::uint64_t left = descriptors - std::min(descriptors, others);
    return std::min(open_files, std::max(fewest, left / std::max<std::size_t>(domains, 1)));
}

}  // namespace durability::runtime
