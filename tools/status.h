// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `leat status`: shows a cluster as its tasks see it, once or again and again.
#ifndef LEAT_TOOLS_STATUS_H_
#define LEAT_TOOLS_STATUS_H_

#include <string>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "leat/tools/log.h"

namespace leat {

struct StatusOptions {
  std::string address = {};
  bool watch = false;
  double interval = 1;  // seconds between two readings; 0: one reading only
  double timeout = 2;   // seconds
  double min_age = 1;   // seconds
  bool json = false;
};

// The command and its flags; `options` must outlive the parsing.
CLI::App* AddStatus(CLI::App& app, StatusOptions& options);

// Prints until it is told to end, or once. The exit code: kExitError when a
// task has not answered, which is shown, or nobody has, of which nothing is
// shown.
int ShowStatus(const StatusOptions& options, const Log& log);

}  // namespace leat

#endif  // LEAT_TOOLS_STATUS_H_
