// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the examples share of being a program: checked flags, exit codes.
#ifndef LEAT_EXAMPLES_SHARED_PROGRAM_H_
#define LEAT_EXAMPLES_SHARED_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "CLI/CLI.hpp"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/train/cluster_task.h"

namespace leat::examples {

// CLI11's own checks let NaN pass, and integers that no int64 holds.
CLI::Validator Number(double low, double high);
CLI::Validator Integer(int64_t low, int64_t high);

// Which task of which cluster it is, and where that listens, with the names
// that `leat serve` has. `options` must outlive the parsing of the flags.
void AddTaskFlags(CLI::App& app, ClusterTaskOptions& options);

// ClusterTask::Start, whose INVALID_ARGUMENT is a wrong cluster, and whose
// other errors are those of no lost task.
absl::StatusOr<std::unique_ptr<ClusterTask>> StartTask(
    const ClusterTaskOptions& options);

// INVALID_ARGUMENT, a wrong cluster, unless the task computes gradients (it is
// a chief or a worker) and there is a parameter server.
absl::Status CheckTrains(const ClusterTask& task);

// An error of no lost task, though its code may be UNAVAILABLE.
absl::Status AsOwnError(absl::Status status);

// What main() returns: parses the flags, runs the program, whose exit code it
// gives, and says on standard error what went wrong: kLostTaskExitCode and
// kWrongClusterExitCode, 1 for another error, which it is too when what was
// printed did not get out, 2 for wrong flags.
int RunProgram(CLI::App& app, int argc, char** argv,
               absl::FunctionRef<absl::StatusOr<int>()> run);

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_PROGRAM_H_
