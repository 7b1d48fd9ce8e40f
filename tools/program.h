// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the command line tools have in common: exit codes, version, colours,
// error messages, and the parsing of flags.
#ifndef LEAT_TOOLS_PROGRAM_H_
#define LEAT_TOOLS_PROGRAM_H_

#include <optional>
#include <string>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

enum ExitCode : int {
  kExitOk = 0,
  kExitError = 1,   // the graph, its data, or a step
  kExitUsage = 2,   // flags that do not parse
  kExitConfig = 3,  // devices, policies, a --config file
};

// "graph-dump 0.1.0 (revision 1a2b3c4, protobuf 3.21.12, ...)".
std::string VersionText(absl::string_view program);

// Adds --version and --config FILE and parses. Help and version go to standard
// output, complaints to standard error. An exit code when the program is to end
// now.
std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv);

// Writes "PROGRAM: message" to standard error and returns `code`.
int Report(absl::string_view program, const absl::Status& status,
           ExitCode code = kExitError);

// Standard output is a terminal, and neither NO_COLOR (no-color.org) nor a dumb
// terminal forbids colours.
bool WantsColor();

// Columns of the terminal that standard output is; 0 when it is none.
int TerminalWidth();

}  // namespace leat

#endif  // LEAT_TOOLS_PROGRAM_H_
