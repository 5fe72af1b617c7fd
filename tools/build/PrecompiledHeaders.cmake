# Two thirds of a full build parse headers of the standard library, fmt and Catch2. The presets that only check
# (sanitizers) precompile them for the tests, and compile several files of the rest in one go (CMAKE_UNITY_BUILD).
# The debug and release presets do neither: there a file that forgets an include fails.

# This target's precompiled header is one for others, too.
function(durabilityd_precompile target)
    if(DURABILITYD_PRECOMPILE)
        target_precompile_headers(${target} PRIVATE
            <algorithm> <array> <chrono> <cstdint> <cstring> <deque> <functional> <map> <memory> <mutex>
            <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>
            <fmt/format.h> <tl/expected.hpp> ${ARGN})
    endif()
endfunction()

# The header that was precompiled for another target, which has the same libraries at least in what it includes.
function(durabilityd_reuse_precompiled target other)
    if(DURABILITYD_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM ${other})
    endif()
endfunction()
