// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/program.h"

#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace leat::examples {

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

int RunProgram(CLI::App& app, int argc, char** argv,
               absl::FunctionRef<absl::Status()> run) {
  const std::string name = app.get_name();
  app.set_version_flag("--version", absl::StrCat(name, " ", LEAT_VERSION));
  app.footer("Exit codes: 0, 1 for an error, 2 for wrong flags.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::Status status = run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s: %s\n", name.c_str(), status.ToString().c_str());
  return 1;
}

absl::Status FlushOutput() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return absl::OkStatus();
  }
  return absl::UnavailableError("cannot write to standard output");
}

}  // namespace leat::examples
