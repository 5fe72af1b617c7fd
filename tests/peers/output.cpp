#include "output.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace peer {
namespace {

std::mutex output_mutex;

void put(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
}

}  // namespace

void emit(std::string_view line) {
    const std::scoped_lock lock(output_mutex);
    put(line);
    std::fflush(stdout);
}

void emit_buffered(std::string_view line) {
    const std::scoped_lock lock(output_mutex);
    put(line);
}

void flush_output() {
    const std::scoped_lock lock(output_mutex);
    std::fflush(stdout);
}

void fail(int exit_code, std::string_view reason) {
    const std::scoped_lock lock(output_mutex);
    std::fputs("ERROR ", stdout);
    put(reason);
    std::fflush(stdout);
    std::_Exit(exit_code);
}

}  // namespace peer
