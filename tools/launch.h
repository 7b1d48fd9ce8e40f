// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `leat launch` runs the tasks of a cluster as processes of this machine until
// the chief ends.
#ifndef LEAT_TOOLS_LAUNCH_H_
#define LEAT_TOOLS_LAUNCH_H_

#include <chrono>
#include <string>
#include <vector>

#include "leat/tools/log.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat {

// Holds the values of the command's flags, which --help describes.
struct LaunchOptions {
  std::string jobs = {};
  std::vector<std::string> command = {};  // run by every task
  std::string logs = {};                  // a folder; "" for no logs
  int max_restarts = 0;                   // per task
  double restart_delay = 0.5;             // seconds; doubles each time
  double grace = 10;                      // seconds from a signal to SIGKILL
  // Limits the time for which the launcher waits, at the end, for the reader of
  // the output. No flag sets it.
  std::chrono::milliseconds view_patience = std::chrono::seconds(2);
};

// Adds the command and its flags to `app`. `options` must outlive the parsing
// of the command line.
CLI::App* AddLaunch(CLI::App& app, LaunchOptions& options);

// Returns how many of the arguments are for the program `leat` itself. For
// `leat launch`, these are the arguments before "--". The arguments after "--"
// are the command of the tasks, which is passed on unchanged. For the other
// commands, all arguments are for `leat`.
int EndOfLaunchFlags(int argc, char** argv);

// Starts the tasks and shows their output. Returns when the chief (or worker 0
// if there is no chief) has ended, when a task has failed for good, when all
// tasks have ended, or after a signal. No process is left behind.
//
// Returns the exit code: kExitUsage without a command; kExitConfig if the
// folder for logs cannot be used; 127 or 126 if the command cannot be run; 128
// + the signal if a signal ended the launcher; the code of the task that failed
// for good; kExitError for other errors; otherwise 0. REQUIRES: the process has
// no other threads.
int Launch(const LaunchOptions& options, const Log& log);

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCH_H_
