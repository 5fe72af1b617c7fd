# Warnings for our own targets; imported targets are system includes and stay quiet.
add_library(durability_warnings INTERFACE)
target_compile_options(durability_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough
    -Wformat=2 -Wunused-result
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wuseless-cast>
    $<$<BOOL:${DURABILITYD_WARNINGS_AS_ERRORS}>:-Werror>)
# -Wnull-dereference reports code of the standard library once sanitizers or -O2 inline it.
if(NOT DURABILITYD_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(durability_warnings INTERFACE -Wnull-dereference)
endif()
