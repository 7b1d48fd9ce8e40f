// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the command line tools have in common: exit codes, version, colours,
// results, errors, and the parsing of flags.
#ifndef LEAT_TOOLS_PROGRAM_H_
#define LEAT_TOOLS_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/tools/log.h"

namespace leat {

enum ExitCode : int {
  kExitOk = 0,
  kExitError = 1,   // the graph, its data, or a step
  kExitUsage = 2,   // flags that do not parse
  kExitConfig = 3,  // devices, policies, a --config file
  // A task of a cluster was lost: another try may do better.
  kExitLostTask = 138,
};

// "graph-dump 0.1.0 (revision 1a2b3c4, protobuf 3.21.12, ...)".
std::string VersionText(absl::string_view program);

// "0.1.0 (1a2b3c4)".
std::string ShortVersionText();

// Adds what every tool has, --version, --config FILE, --log-level and the like,
// and parses. A flag that takes a value takes one; repeatable ones are
// repeated. Where the command line is silent, the file decides (config_file.h),
// then the environment: --no-passes is LEAT_NO_PASSES. Help and version go to
// standard output, complaints to standard error. An exit code when the program
// is to end now.
std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv, Log& log);

// Checks of flags; CLI11's own let NaN pass, and integers that have no int64.
CLI::Validator NumberFrom(double low, double high);
CLI::Validator IntegerFrom(int64_t low, int64_t high);

// Logs the error and returns `code`.
int Report(const Log& log, const absl::Status& status,
           ExitCode code = kExitError);

// Of an error of a session on a cluster: kExitLostTask or kExitError.
ExitCode ExitCodeOnCluster(const absl::Status& status);

// Writes a result to standard output, all of it or an error.
int Print(const Log& log, absl::string_view text);

// Standard output is a terminal, and neither NO_COLOR (no-color.org) nor a dumb
// terminal forbids colours.
bool WantsColor();

// Columns of the terminal that standard output is; 0 when it is none.
int TerminalWidth();
// Its lines.
int TerminalHeight();

}  // namespace leat

#endif  // LEAT_TOOLS_PROGRAM_H_
