// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/program.h"

#include <google/protobuf/stubs/common.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "leat/graph/graph_def.h"

namespace leat {

std::string VersionText(absl::string_view program) {
  return absl::StrCat(
      program, " ", LEAT_VERSION, " (revision ", LEAT_REVISION, ", protobuf ",
      google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
      ", GraphDef version ", kGraphDefVersion, ", CPU only)");
}

std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv) {
  // CLI11 reports by exceptions; none leaves this function.
  try {
    app.set_version_flag("--version", VersionText(app.get_name()));
    app.set_config("--config", "", "Flags from a TOML or INI file");
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, std::cout, std::cerr);
    if (code == 0) return kExitOk;
    const auto kind = static_cast<CLI::ExitCodes>(code);
    return kind == CLI::ExitCodes::FileError ||
                   kind == CLI::ExitCodes::ConfigError
               ? kExitConfig
               : kExitUsage;
  }
  return std::nullopt;
}

int Report(absl::string_view program, const absl::Status& status,
           ExitCode code) {
  std::cerr << program << ": " << status.message() << " ("
            << absl::StatusCodeToString(status.code()) << ")\n";
  return code;
}

bool WantsColor() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 &&
         (no_color == nullptr || *no_color == '\0') &&
         !(term != nullptr && absl::string_view(term) == "dumb");
}

int TerminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace leat
