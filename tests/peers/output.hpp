// One event a line on stdout, whole lines only, from any thread: a test waits for them.
#pragma once

#include <string_view>

namespace peer {

// Prints `line` and a newline, and flushes. Any thread.
void emit(std::string_view line);

// Prints without flushing: for thousands of SAMPLE lines. Any thread.
void emit_buffered(std::string_view line);
void flush_output();

// Prints `ERROR reason` on stdout and ends the process at once, without destructors: the
// middleware's threads may be in any state.
[[noreturn]] void fail(int exit_code, std::string_view reason);

}  // namespace peer
