// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/program.h"

#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::examples {
namespace {

absl::Status FlushOutput() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return absl::OkStatus();
  }
  return absl::UnavailableError("cannot write to standard output");
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

void AddTaskFlags(CLI::App& app, ResolverInput& input) {
  app.add_option("--cluster", input.cluster,
                 "The cluster as JSON or a file of it; without it TF_CONFIG "
                 "says cluster and task");
  app.add_option("--job", input.job, "The job of this task");
  app.add_option("--task", input.task, "Its number");
}

absl::Status CheckTrains(const ClusterTask& task) {
  const std::string& job = task.task().job;
  if (!task.is_evaluator() && (job == kChiefJob || job == kWorkerJob)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      task.config().source, ": this program has nothing to do for job '", job,
      "', only for 'chief', 'worker' and 'ps'"));
}

int RunProgram(CLI::App& app, int argc, char** argv,
               absl::FunctionRef<absl::StatusOr<int>()> run) {
  const std::string name = app.get_name();
  app.set_version_flag("--version", absl::StrCat(name, " ", LEAT_VERSION));
  app.footer("Exit codes: 0, 1 for an error, 2 for wrong flags.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::StatusOr<int> code = RunAndFlush(run);
  if (code.ok()) return *code;
  std::fprintf(stderr, "%s: %s\n", name.c_str(),
               code.status().ToString().c_str());
  return 1;
}

}  // namespace leat::examples
