// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `leat status` shows a cluster as its tasks see it, once or repeatedly.
#ifndef LEAT_TOOLS_STATUS_H_
#define LEAT_TOOLS_STATUS_H_

#include <string>

#include "leat/tools/log.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat {

// Holds the values of the command's flags, which --help describes.
struct StatusOptions {
  // Is "host:port", "unix:/path" or a target of one task.
  std::string address = {};
  // If true, the status is shown again and again until a signal comes.
  bool watch = false;
  // Is the number of seconds between two readings. The two readings give the
  // rates per second. 0 stands for one reading, without rates.
  double interval = 1;
  // Is the time in seconds within which each task must answer.
  double timeout = 2;
  // Running steps and waiting Recvs are listed if they are at least this old,
  // in seconds.
  double min_age = 1;
  bool json = false;
};

// Adds the command and its flags to `app`. `options` must outlive the parsing
// of the command line.
CLI::App* AddStatus(CLI::App& app, StatusOptions& options);

// Prints the status once. With `watch`, prints it again and again until a
// signal ends the process. Returns the exit code. The code is kExitError if
// some task has not answered; the printed status shows which. If the task at
// `address` has never answered, the code is kExitError, too, and no status is
// printed.
int ShowStatus(const StatusOptions& options, const Log& log);

}  // namespace leat

#endif  // LEAT_TOOLS_STATUS_H_
