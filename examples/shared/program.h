// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the examples share of being a program: checked flags, exit codes.
#ifndef LEAT_EXAMPLES_SHARED_PROGRAM_H_
#define LEAT_EXAMPLES_SHARED_PROGRAM_H_

#include <cstdint>

#include "CLI/CLI.hpp"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/distributed/resolver.h"
#include "leat/train/cluster_task.h"

namespace leat::examples {

// CLI11's own checks let NaN pass, and integers that no int64 holds.
CLI::Validator Number(double low, double high);
CLI::Validator Integer(int64_t low, int64_t high);

// --cluster, --job and --task. `input` must outlive the parsing of the flags.
void AddTaskFlags(CLI::App& app, ResolverInput& input);

// INVALID_ARGUMENT naming the task's job, unless it is one that computes
// gradients: chief or worker.
absl::Status CheckTrains(const ClusterTask& task);

// What main() returns: parses the flags, runs the program, whose exit code it
// gives, and says on standard error what went wrong: 1 for an error, which it
// is too when what was printed did not get out, 2 for wrong flags.
int RunProgram(CLI::App& app, int argc, char** argv,
               absl::FunctionRef<absl::StatusOr<int>()> run);

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_PROGRAM_H_
