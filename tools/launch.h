// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `leat launch`: the tasks of a cluster as processes of this machine, until the
// chief ends.
#ifndef LEAT_TOOLS_LAUNCH_H_
#define LEAT_TOOLS_LAUNCH_H_

#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "leat/tools/log.h"

namespace leat {

struct LaunchOptions {
  std::string jobs = {};
  std::vector<std::string> command = {};  // of every task
  std::string logs = {};                  // a folder; "": no files
  int max_restarts = 0;                   // of each task
  double restart_delay = 0.5;             // seconds, doubled each time
  double grace = 10;                      // seconds to end after a signal
};

// The command and its flags; `options` must outlive the parsing.
CLI::App* AddLaunch(CLI::App& app, LaunchOptions& options);

// How many of the arguments are ours when the command is `leat launch`: what
// stands behind "--" is the tasks' command, to the letter.
int EndOfLaunchFlags(int argc, char** argv);

// Starts the tasks, shows their output, and ends when the chief (else worker 0)
// has, when a task has failed for good, when all have ended or after a signal;
// no process stays behind. The exit code: kExitUsage without a command,
// kExitConfig for a folder of logs that cannot be had; 127 or 126 for a command
// that cannot be run; 128 and the signal that ended the launcher; the code of
// the task which failed for good; else 0. REQUIRES: no other threads.
int Launch(const LaunchOptions& options, const Log& log);

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCH_H_
