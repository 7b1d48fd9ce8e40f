// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the examples share of being a program: checked flags, exit codes.
#ifndef LEAT_EXAMPLES_SHARED_PROGRAM_H_
#define LEAT_EXAMPLES_SHARED_PROGRAM_H_

#include <cstdint>

#include "CLI/CLI.hpp"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace leat::examples {

// CLI11's own checks let NaN pass, and integers that no int64 holds.
CLI::Validator Number(double low, double high);
CLI::Validator Integer(int64_t low, int64_t high);

// What main() returns: parses the flags, runs the program and says on standard
// error what went wrong. 0, 1 for an error, 2 for wrong flags.
int RunProgram(CLI::App& app, int argc, char** argv,
               absl::FunctionRef<absl::Status()> run);

// UNAVAILABLE when what was printed did not get out.
absl::Status FlushOutput();

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_PROGRAM_H_
