// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/program.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/train/recoverable_session.h"

namespace leat::examples {
namespace {

constexpr char kFooter[] =
    "Exit codes: 0, 1 for an error, 2 for wrong flags, 3 for a wrong cluster "
    "or task, 138 when another task was lost, after which another try may do "
    "better. A task that only serves ends with 143 and 130 after SIGTERM and "
    "SIGINT.";
constexpr int kErrorExitCode = 1;
constexpr double kMaxGrace = 1e9;  // in seconds; about 30 years
// Is the type URL of the payload that holds an error's exit code. Without this
// payload, the code of the status determines the exit code.
constexpr char kExitCodePayload[] = "leat.examples.exit_code";

absl::Status WithExitCode(absl::Status status, int code) {
  status.SetPayload(kExitCodePayload, absl::Cord(absl::StrCat(code)));
  return status;
}

int ExitCodeOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kExitCodePayload);
  int code = 0;
  if (payload.has_value() && absl::SimpleAtoi(std::string(*payload), &code)) {
    return code;
  }
  return IsRecoverable(status) ? kLostTaskExitCode : kErrorExitCode;
}

absl::Status WrongCluster(const ClusterTask& task, absl::string_view why) {
  return WithExitCode(
      absl::InvalidArgumentError(absl::StrCat(task.config().source, ": ", why)),
      kWrongClusterExitCode);
}

absl::Status FlushOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return absl::OkStatus();
  }
  return AsOwnError(
      CannotWriteError("the results cannot be written to standard output"));
}

absl::StatusOr<int> RunAndFlush(absl::FunctionRef<absl::StatusOr<int>()> run) {
  LEAT_ASSIGN_OR_RETURN(const int code, run());
  LEAT_RETURN_IF_ERROR(FlushOutput());
  return code;
}

}  // namespace

CLI::Validator Number(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        if (absl::SimpleAtod(text, &value) && value >= low && value <= high) {
          return std::string();
        }
        return absl::StrCat("'", text, "' is no number from ", low, " to ",
                            high);
      },
      absl::StrCat("from ", low, " to ", high));
}

CLI::Validator Integer(int64_t low, int64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        int64_t value = 0;
        if (absl::SimpleAtoi(text, &value) && value >= low && value <= high) {
          return std::string();
        }
        return absl::StrCat("'", text, "' is no integer from ", low, " to ",
                            high);
      },
      absl::StrCat("from ", low, " to ", high));
}

// The flags are like those of AddClusterFlags and AddServe in tools/. The
// examples do not include headers of tools/.
void AddTaskFlags(CLI::App& app, ClusterTaskOptions& options) {
  ResolverInput& input = options.input;
  app.add_option("--cluster", input.cluster,
                 "The cluster, as JSON or as a file of JSON; without it "
                 "TF_CONFIG names the cluster and the task");
  app.add_option("--job,--job_name", input.job, "The job of this task");
  app.add_option("--task,--task_index", input.task,
                 "The number of this task in its job")
      ->check(Integer(0, kMaxTaskIndex));
  app.add_option("--ps_hosts", input.ps_hosts,
                 "host:port,...: job ps, where there is no --cluster");
  app.add_option("--worker_hosts", input.worker_hosts,
                 "host:port,...: job worker, where there is no --cluster");
  app.add_option("--bind", options.server.bind,
                 "host:port or unix:/path to listen at [the task's address in "
                 "the cluster]");
  app.add_flag("--insecure", options.server.insecure,
               "Listen where other machines reach it, though tasks talk "
               "without encryption and obey whoever talks to them");
  app.add_option_function<double>(
         "--grace",
         [&options](double seconds) {
           options.grace = std::chrono::nanoseconds(
               static_cast<int64_t>(std::ceil(seconds * 1e9)));
         },
         "Seconds that running steps get to end after a signal, if this task "
         "serves [25]")
      ->check(Number(0, kMaxGrace));
}

absl::StatusOr<std::unique_ptr<ClusterTask>> StartTask(
    const ClusterTaskOptions& options) {
  ClusterTaskOptions that_tell = options;
  that_tell.server.log = SayWaiting;
  absl::StatusOr<std::unique_ptr<ClusterTask>> task =
      ClusterTask::Start(std::move(that_tell));
  if (absl::IsInvalidArgument(task.status())) {
    return WithExitCode(task.status(), kWrongClusterExitCode);
  }
  if (!task.ok()) return AsOwnError(task.status());
  return task;
}

absl::Status CheckTrains(const ClusterTask& task) {
  const std::string& job = task.task().job;
  if (task.is_evaluator() || (job != kChiefJob && job != kWorkerJob)) {
    return WrongCluster(
        task, absl::StrCat("this program has nothing to do for job '", job,
                           "', only for 'chief', 'worker' and 'ps'"));
  }
  if (task.num_ps() == 0) {
    return WrongCluster(task, "there is no parameter server (job ps)");
  }
  return absl::OkStatus();
}

absl::Status CannotWriteError(absl::string_view message) {
  // errno is 0 if the stream reports that an earlier write has failed. The
  // errno of that write is lost.
  if (errno == 0) return absl::DataLossError(message);
  return absl::ErrnoToStatus(errno, message);
}

absl::Status AsOwnError(absl::Status status) {
  return WithExitCode(std::move(status), kErrorExitCode);
}

void Say(absl::string_view message) {
  std::printf("%s\n", std::string(message).c_str());
  std::fflush(stdout);
}

void SayWaiting(absl::string_view message) {
  // The line is written in one piece, because several threads may write.
  const std::string line = absl::StrCat(message, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

SessionOptions SessionOptionsOf(const ClusterTask& task) {
  SessionOptions options = task.session_options();
  options.on_waiting = SayWaiting;
  return options;
}

int RunProgram(CLI::App& app, int argc, char** argv,
               absl::FunctionRef<absl::StatusOr<int>()> run) {
  const std::string name = app.get_name();
  app.set_version_flag("--version", absl::StrCat(name, " ", LEAT_VERSION));
  app.footer(kFooter);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::StatusOr<int> code = RunAndFlush(run);
  if (code.ok()) return *code;
  const std::string error =
      code.status().ToString(absl::StatusToStringMode::kWithNoExtraData);
  std::fprintf(stderr, "%s: %s\n", name.c_str(), error.c_str());
  return ExitCodeOf(code.status());
}

}  // namespace leat::examples
