// Catch2, for the main functions of the test programs.
#pragma once

namespace durability::test {

// Runs the test cases of this program as its command line says. Returns its exit status.
int run_test_cases(int argc, char** argv);

}  // namespace durability::test
