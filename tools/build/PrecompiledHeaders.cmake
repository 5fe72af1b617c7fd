# Two thirds of a full build parse headers of the standard library, fmt and Catch2. The presets that only check
# (sanitizers) precompile them. The debug and release presets do not: there a file that forgets an include fails.
set(durability_precompiled_headers
    <algorithm> <array> <chrono> <cstdint> <cstring> <deque> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>
    <fmt/format.h> <tl/expected.hpp>)

function(durabilityd_precompile target)
    if(DURABILITYD_PRECOMPILE)
        target_precompile_headers(${target} PRIVATE ${durability_precompiled_headers} ${ARGN})
    endif()
endfunction()
