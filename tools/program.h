// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Declares the code that the command line tools share: exit codes, the text of
// --version, colours, the output of results and errors, and the parsing of
// flags.
#ifndef LEAT_TOOLS_PROGRAM_H_
#define LEAT_TOOLS_PROGRAM_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/tools/log.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace leat {

// Lists the exit codes of the tools.
enum ExitCode : int {
  kExitOk = 0,
  kExitError = 1,   // the graph, its data or a step is wrong
  kExitUsage = 2,   // flags cannot be parsed
  kExitConfig = 3,  // wrong devices, policies or --config file
  // A task of a cluster was lost. Running the program again may succeed.
  kExitLostTask = 138,
};

// Returns "graph-dump 0.1.0 (revision 1a2b3c4, protobuf 3.21.12, ...)".
std::string VersionText(absl::string_view program);

// Returns "0.1.0 (1a2b3c4)".
std::string ShortVersionText();

// Adds the flags that every tool has (--version, --config FILE, --log-level and
// others) to `app`, and parses the command line. A flag that takes a value
// takes exactly one; flags that may have several values are repeated. A flag
// that is not on the command line gets its value from the config file
// (config_file.h). If the flag is not in the config file either, it gets its
// value from the environment: --no-passes is LEAT_NO_PASSES.
//
// Help and the version go to standard output, error messages to standard error.
// Returns an exit code if the program must end now.
std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv, Log& log);

// NumberFrom returns a check that the value of a flag is a number in [low,
// high]. IntegerFrom returns a check that the value is an integer in [low,
// high]. CLI11's own checks accept NaN, and integers that do not fit int64.
CLI::Validator NumberFrom(double low, double high);
CLI::Validator IntegerFrom(int64_t low, int64_t high);

// Converts the value of a flag to a duration of the standard library, which
// CLI11 does not know. REQUIRES: 0 <= seconds <= kMaxSeconds.
inline constexpr double kMaxSeconds = 1e9;  // about 30 years
std::chrono::nanoseconds Seconds(double seconds);

// Returns the help text of --memory, with the default.
std::string DeviceMemoryHelp();

// Holds the flags that say which GPUs a program uses, and how much of their
// memory. The comment behind a member is the name of the field of TensorFlow's
// GPUOptions that means the same. Is a value type.
struct GpuFlags {
  int64_t memory_bytes = 0;
  double memory_fraction = 0;      // per_process_gpu_memory_fraction
  bool allow_growth = false;       // allow_growth
  std::vector<int> ordinals = {};  // visible_device_list
  // If true, matrix products and convolutions of floats may use TF32.
  bool allow_tf32 = false;
  // If true, each kernel on a GPU waits until its work has run.
  bool sync = false;

  // Copies the flags to the fields of `options` that mean the same. `Options`
  // is DeviceSetOptions or SessionOptions.
  template <class Options>
  void Set(Options& options) const {
    options.gpu_memory_bytes = memory_bytes;
    options.gpu_memory_fraction = memory_fraction;
    options.gpu_allow_growth = allow_growth;
    options.gpu_ordinals = ordinals;
    options.gpu_allow_tf32 = allow_tf32;
    options.gpu_sync = sync;
  }
};

// Adds the flags to `app`. `flags` must outlive the parsing of the command
// line.
void AddGpuFlags(CLI::App& app, GpuFlags& flags);

// Logs the error and returns `code`.
int Report(const Log& log, const absl::Status& status,
           ExitCode code = kExitError);

// Runs `command`, which may start threads, and returns its exit code. If the
// system refuses to start a thread, logs that and returns kExitError.
int WithThreads(const Log& log, absl::FunctionRef<int()> command);

// Returns the exit code for an error of a session on a cluster: kExitLostTask
// if the error is recoverable, otherwise kExitError.
ExitCode ExitCodeOnCluster(const absl::Status& status);

// Writes a result to standard output and returns kExitOk. If the result cannot
// be written completely, logs the error and returns kExitError.
int Print(const Log& log, absl::string_view text);

// Returns true if standard output is a terminal. Returns false, however, if the
// variable NO_COLOR (no-color.org) is set, or if TERM is "dumb".
bool WantsColor();

// TerminalWidth returns the number of columns of the terminal to which standard
// output goes. TerminalHeight returns its number of lines. Both return 0 if
// standard output is not a terminal.
int TerminalWidth();
int TerminalHeight();

}  // namespace leat

#endif  // LEAT_TOOLS_PROGRAM_H_
