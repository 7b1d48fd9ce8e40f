// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions serve the main programs of the examples: they check flags,
// start the task of a cluster, and determine the exit code.
#ifndef LEAT_EXAMPLES_SHARED_PROGRAM_H_
#define LEAT_EXAMPLES_SHARED_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/train/cluster_task.h"
#include "leat/train/session.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace leat::examples {

// Number returns a check that the value of a flag is a number in [low, high].
// Integer returns a check that the value is an integer in [low, high]. The
// checks of CLI11 itself accept NaN and integers that do not fit int64.
CLI::Validator Number(double low, double high);
CLI::Validator Integer(int64_t low, int64_t high);

// Adds the flags for the cluster, for the program's task in the cluster, and
// for the address at which the task listens. They have the same names as the
// flags of `leat serve`. `options` must outlive the parsing of the flags.
void AddTaskFlags(CLI::App& app, ClusterTaskOptions& options);

// Calls ClusterTask::Start with SayWaiting as the log of the server. The error
// INVALID_ARGUMENT gets kWrongClusterExitCode as its exit code. All other
// errors get the exit code 1, even if they are UNAVAILABLE or ABORTED.
absl::StatusOr<std::unique_ptr<ClusterTask>> StartTask(
    const ClusterTaskOptions& options);

// Checks that the program can train as this task. Returns INVALID_ARGUMENT,
// with kWrongClusterExitCode, if the task is neither a chief nor a worker, or
// if the cluster has no parameter server.
absl::Status CheckTrains(const ClusterTask& task);

// Returns the error for a write that has just failed and has set `errno`.
// `message` says what cannot be written. The error is RESOURCE_EXHAUSTED if the
// disk is full.
absl::Status CannotWriteError(absl::string_view message);

// Marks an error as not caused by a lost task. Without the mark, UNAVAILABLE
// and ABORTED count as caused by a lost task.
absl::Status AsOwnError(absl::Status status);

// Writes `message` and a newline to standard output at once, even if that is a
// pipe.
void Say(absl::string_view message);

// Writes `message` and a newline to standard error. Use this function as
// SessionOptions::on_waiting and for similar options. These options receive
// messages about what the program is waiting for.
void SayWaiting(absl::string_view message);

// Returns task.session_options(), with SayWaiting as `on_waiting`.
SessionOptions SessionOptionsOf(const ClusterTask& task);

// Parses the flags, runs the program, and reports an error on standard error.
// Returns the exit code for main():
// - what `run` returns, if there is no error;
// - 0 after --help and --version, and 2 for wrong flags;
// - kWrongClusterExitCode if the cluster or the task is wrong;
// - kLostTaskExitCode if another task was lost;
// - 1 for any other error, for example if standard output cannot be written.
int RunProgram(CLI::App& app, int argc, char** argv,
               absl::FunctionRef<absl::StatusOr<int>()> run);

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_PROGRAM_H_
