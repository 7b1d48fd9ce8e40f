// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/launch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/wait_notices.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/tools/launch_jobs.h"
#include "leat/tools/launch_loop.h"
#include "leat/tools/launched_task.h"
#include "leat/tools/live_view.h"
#include "leat/tools/program.h"

namespace leat {
namespace {

constexpr char kCommand[] = "launch";
constexpr char kLaunchFooter[] =
    "The program stands behind --. It is run once for each task, with its "
    "arguments and with TF_CONFIG. What the tasks print goes to "
    "LOGS/JOB-TASK.log and, with the task's name before each line, to standard "
    "output. All tasks end when the chief ends (or worker 0, if there is no "
    "chief), or when a task fails for good. A task fails for good with an exit "
    "code from 1 to 127. If no restarts are left, it also fails for good with "
    "a higher exit code or by a signal. SIGTERM, SIGINT and SIGHUP are passed "
    "on to the tasks; a second signal kills them.\n"
    "\n"
    "Example:\n"
    "  leat launch --jobs chief=1,worker=2,ps=2,evaluator=1 --logs logs \\\n"
    "      --max-restarts 3 -- python3 train.py --steps 10000\n"
    "\n"
    "Exit codes: the code of the task that failed for good, 128 plus the "
    "signal that ended the launcher, 0 when the chief ended with 0; 127 and "
    "126 for a program that cannot be run, 2 for wrong flags, 3 for wrong "
    "--config files or a folder of logs that cannot be used.";
constexpr int64_t kMaxRestarts = 1'000'000;
constexpr char kLogVariable[] = "LEAT_LOG_DIR";

// Returns true for environment variables that the launcher sets itself, and for
// variables that could describe a cluster other than the one in TF_CONFIG.
bool IsReplaced(absl::string_view variable) {
  for (const char* name :
       {"TF_CONFIG=", "LEAT_CLUSTER=", "LEAT_JOB=", "LEAT_TASK=",
        "LEAT_PS_HOSTS=", "LEAT_WORKER_HOSTS=", "LEAT_LOG_DIR="}) {
    if (absl::StartsWith(variable, name)) return true;
  }
  return false;
}

std::vector<std::string> EnvironmentOf(const TaskId& task,
                                       const LocalCluster& cluster,
                                       const std::string& logs) {
  std::vector<std::string> variables = {
      absl::StrCat("TF_CONFIG=", cluster.TfConfig(task))};
  if (!logs.empty()) {
    variables.push_back(absl::StrCat(kLogVariable, "=", logs));
  }
  for (char** each = environ; *each != nullptr; ++each) {
    if (!IsReplaced(*each)) variables.push_back(*each);
  }
  return variables;
}

// Makes the folder. Returns its absolute path, because programs may change
// their working directory. Returns "" for "".
absl::StatusOr<std::string> MakeLogFolder(const std::string& logs) {
  if (logs.empty()) return logs;
  std::error_code error;
  std::filesystem::create_directories(logs, error);
  std::filesystem::path path;
  if (!error) path = std::filesystem::canonical(logs, error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the folder '", logs, "' of --logs cannot be made: ", error.message()));
  }
  return path.string();
}

// Opens standard streams that are closed. Otherwise the next files that are
// opened would get the numbers of the standard streams.
void OpenStandardStreams() {
  int number = 0;
  while (number >= 0 && number <= STDERR_FILENO) {
    number = open("/dev/null", O_RDWR);
  }
  if (number >= 0) close(number);
}

absl::StatusOr<std::vector<LaunchedTask>> MakeTasks(
    const LaunchOptions& options, const std::vector<TaskId>& ids,
    const LocalCluster& cluster, LiveView& view) {
  LEAT_ASSIGN_OR_RETURN(const std::string logs, MakeLogFolder(options.logs));
  std::vector<LaunchedTask> tasks;
  for (const TaskId& id : ids) {
    const std::string name = ShortName(id);
    tasks.emplace_back(
        LaunchedTaskOptions{
            .name = name,
            .place = tasks.size(),
            .command = options.command,
            .environment = EnvironmentOf(id, cluster, logs),
            .log = logs.empty() ? "" : absl::StrCat(logs, "/", name, ".log")},
        view);
    LEAT_RETURN_IF_ERROR(tasks.back().OpenLog());
  }
  return tasks;
}

// Shows the rest of the output. If nobody reads the output, writes a notice to
// standard error, because nobody would see the notice in the view.
void FinishView(const LaunchOptions& options, const Log& log, LiveView& view) {
  TimerQueue timers("leat-notices");
  const WaitNotices notices(
      timers, log.Warner(),
      [patience = options.view_patience](Clock::duration waited) {
        const Clock::duration left =
            std::max<Clock::duration>(patience - waited, Clock::duration(0));
        return absl::StrCat(
            "leat launch is waiting for somebody to read the rest of its "
            "output, and drops it in ",
            absl::FormatDuration(absl::FromChrono(
                std::chrono::ceil<std::chrono::seconds>(left))));
      });
  view.Finish(options.view_patience);
}

}  // namespace

CLI::App* AddLaunch(CLI::App& app, LaunchOptions& options) {
  CLI::App* launch = app.add_subcommand(
      kCommand,
      "Runs a cluster on this machine: leat launch [OPTIONS] -- PROGRAM "
      "ARGS...");
  launch->footer(kLaunchFooter);
  launch
      ->add_option("--jobs", options.jobs,
                   "How many tasks of each job to run: "
                   "chief=1,worker=2,ps=2,evaluator=1")
      ->required()
      ->check(CLI::Validator(
          [](std::string& text) {
            return std::string(ParseJobs(text).status().message());
          },
          "JOB=COUNT,..."));
  launch->add_option("--logs", options.logs,
                     "A folder for a log of each task; existing logs are "
                     "emptied. Tasks find the folder's path in LEAT_LOG_DIR");
  launch
      ->add_option("--max-restarts", options.max_restarts,
                   "How often each task is started again after a failure")
      ->check(IntegerFrom(0, kMaxRestarts))
      ->capture_default_str();
  launch
      ->add_option("--restart-delay", options.restart_delay,
                   "Seconds to wait before a task is started again; "
                   "the time doubles with each restart, up to 8")
      ->check(NumberFrom(0, kMaxSeconds))
      ->capture_default_str();
  launch
      ->add_option("--grace", options.grace,
                   "Seconds that tasks get to end before they are killed")
      ->check(NumberFrom(0, kMaxSeconds))
      ->capture_default_str();
  return launch;
}

int EndOfLaunchFlags(int argc, char** argv) {
  bool is_launch = false;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    if (argument == "--") return is_launch ? i : argc;
    is_launch |= argument == kCommand;
  }
  return argc;
}

int Launch(const LaunchOptions& options, const Log& log) {
  if (options.command.empty()) {
    return Report(log,
                  absl::InvalidArgumentError(
                      "there is no program to launch; give it last: "
                      "-- PROGRAM ARGS..."),
                  kExitUsage);
  }
  OpenStandardStreams();
  const absl::StatusOr<std::vector<TaskId>> ids = ParseJobs(options.jobs);
  if (!ids.ok()) return Report(log, ids.status(), kExitUsage);
  const absl::StatusOr<std::unique_ptr<LocalCluster>> cluster =
      LocalCluster::Create(*ids);
  if (!cluster.ok()) return Report(log, cluster.status());
  std::vector<std::string> names;
  for (const TaskId& id : *ids) names.push_back(ShortName(id));
  LiveView view(names, {.color = WantsColor()});
  absl::StatusOr<std::vector<LaunchedTask>> tasks =
      MakeTasks(options, *ids, **cluster, view);
  if (!tasks.ok()) return Report(log, tasks.status(), kExitConfig);
  LaunchLoop loop({.main = MainTask(*ids),
                   .max_restarts = options.max_restarts,
                   .restart_delay = Seconds(options.restart_delay),
                   .grace = Seconds(options.grace)},
                  *tasks, view);
  const absl::Status status = loop.Run();
  FinishView(options, log, view);
  if (!status.ok()) log.Error(status);
  return status.ok() || loop.code() != 0 ? loop.code() : kExitError;
}

}  // namespace leat
