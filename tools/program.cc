// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/program.h"

#include <google/protobuf/stubs/common.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "leat/core/escaped_text.h"
#include "leat/core/files/system_error.h"
#include "leat/core/threads/thread.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/wait_notices.h"
#include "leat/graph/io/graph_def.h"
#include "leat/runtime/host_memory.h"
#include "leat/tools/config_file.h"
#include "leat/train/cluster_task.h"
#include "leat/train/recoverable_session.h"

namespace leat {
namespace {

// Programs that are tasks of a cluster use the same exit codes
// (train/cluster_task.h).
static_assert(int{kExitConfig} == kWrongClusterExitCode);
static_assert(int{kExitLostTask} == kLostTaskExitCode);

// Returns the variable of a flag: "LEAT_NO_PASSES" for "--no-passes".
std::string VariableOf(const CLI::Option& option) {
  return absl::StrCat("LEAT_", absl::AsciiStrToUpper(absl::StrReplaceAll(
                                   option.get_lnames().front(), {{"-", "_"}})));
}

// Returns true for options with a name, false for positional arguments.
bool IsFlag(const CLI::Option& option) { return !option.get_lnames().empty(); }

// Lets the environment set the flags of a command.
void NameVariables(CLI::App& app) {
  for (CLI::Option* option : app.get_options({})) {
    if (IsFlag(*option) && option->get_configurable()) {
      option->envname(VariableOf(*option));
    }
  }
}

void AddLogFlags(CLI::App& app, Log& log) {
  LogOptions& options = log.options();
  app.add_option_function<std::string>(
         "--log-level",
         [&options](const std::string& level) {
           options.level = level == "error"  ? LogLevel::kError
                           : level == "info" ? LogLevel::kInfo
                                             : LogLevel::kWarning;
         },
         "The least severe messages that standard error shows: error, "
         "warning or info [warning]")
      ->check(CLI::IsMember({"error", "warning", "info"}));
  app.add_flag_callback(
      "-v,--verbose", [&options] { options.level = LogLevel::kInfo; },
      "The same as --log-level info");
  app.add_option_function<std::string>(
         "--log-format",
         [&options](const std::string& format) {
           options.json = format == "json";
         },
         "The form of those messages: text, or a JSON object per line [text]")
      ->check(CLI::IsMember({"text", "json"}));
}

void AddConfigFlag(CLI::App& app) {
  const auto file = std::make_shared<ConfigFile>(app);
  app.config_formatter(file);
  CLI::Option* flag = app.set_config(
      "--config", "", "Flags from a TOML or INI file (Env:LEAT_CONFIG)");
  flag->take_last();
  flag->check(CLI::Validator(
      [file](std::string& path) {
        file->Read(path);
        return std::string();
      },
      "FILE"));
  // The environment is read here, because CLI11 reads it only after the config
  // file.
  const char* variable = std::getenv("LEAT_CONFIG");
  if (variable != nullptr && *variable != '\0') flag->add_result(variable);
}

// Returns all commands of `app`, and the commands of these commands.
std::vector<CLI::App*> CommandsOf(CLI::App& app) {
  std::vector<CLI::App*> commands = app.get_subcommands({});
  for (size_t i = 0; i < commands.size(); ++i) {
    for (CLI::App* const command : commands[i]->get_subcommands({})) {
      commands.push_back(command);
    }
  }
  return commands;
}

void AddCommonFlags(CLI::App& app, Log& log) {
  app.set_version_flag("--version", VersionText(app.get_name()))
      ->configurable(false);
  if (app.get_help_ptr() != nullptr) app.get_help_ptr()->configurable(false);
  AddLogFlags(app, log);
  AddConfigFlag(app);
  NameVariables(app);
  std::vector<CLI::App*> apps = CommandsOf(app);
  for (CLI::App* command : apps) {
    if (command->get_help_ptr() != nullptr) {
      command->get_help_ptr()->configurable(false);
    }
    // Only the command that is used gets variables, so the variables of other
    // commands are not read.
    command->preparse_callback([command](size_t) { NameVariables(*command); });
  }
  apps.push_back(&app);
  for (CLI::App* each : apps) {
    for (CLI::Option* option : each->get_options({})) {
      if (IsFlag(*option)) option->allow_extra_args(false);
    }
  }
}

// Returns text such as " (LEAT_STEPS=x)" if the error is about the value of a
// variable, or else "".
std::string VariableInQuestion(const CLI::App& app, const std::string& error) {
  for (const CLI::Option* option : app.get_options({})) {
    const std::string name = option->get_envname();
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value != nullptr && option->results().size() == 1 &&
        option->results()[0] == value &&
        absl::StrContains(error, option->get_name())) {
      return absl::StrCat(" (", name, "=", value, ")");
    }
  }
  return "";
}

// Returns the message for an error of the command line.
std::string MessageOf(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App*) { return true; });
  const std::vector<std::string> extra = app.remaining();
  if (!commands.empty() && app.get_subcommands().empty() && !extra.empty()) {
    if (absl::StartsWith(extra[0], "-")) {
      return absl::StrCat("there is no flag '", extra[0], "'");
    }
    return absl::StrCat(
        "there is no command '", extra[0], "'; there are ",
        absl::StrJoin(commands, ", ",
                      [](std::string* out, const CLI::App* command) {
                        out->append(command->get_name());
                      }));
  }
  std::string message = error.what();
  std::string variable = VariableInQuestion(app, message);
  for (const CLI::App* command : app.get_subcommands()) {
    if (variable.empty()) variable = VariableInQuestion(*command, message);
  }
  return message + variable;
}

// Waits until standard output, which is non-blocking, can take more bytes.
// Returns false if the wait fails.
bool WaitForReader() {
  pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, -1) >= 0 || errno == EINTR;
}

// Says on standard error that the command waits until somebody reads its
// result. `left` is the number of bytes that are left, and must outlive this
// object.
class ReaderNotices {
 public:
  ReaderNotices(const Log& log, const std::atomic<size_t>& left)
      : notices_(timers_, log.Warner(), [&left](Clock::duration) {
          return absl::StrCat(
              "this command is waiting for somebody to read the last ",
              left.load(),
              " bytes of its result from standard output, and waits until that "
              "happens");
        }) {}

  // Begins another wait.
  void Restart() { notices_.Restart(timers_.clock().Now()); }

 private:
  TimerQueue timers_{"leat-notices"};
  WaitNotices notices_;
};

}  // namespace

std::string VersionText(absl::string_view program) {
  return absl::StrCat(
      program, " ", LEAT_VERSION, " (revision ", LEAT_REVISION, ", protobuf ",
      google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
      ", GraphDef version ", kGraphDefVersion, ", CPU only)");
}

std::string ShortVersionText() {
  return absl::StrCat(LEAT_VERSION, " (", LEAT_REVISION, ")");
}

std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv, Log& log) {
  // CLI11 throws exceptions for errors. None of them leaves this function.
  try {
    AddCommonFlags(app, log);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, unused;
    if (app.exit(error, out, unused) == 0) return Print(log, out.str());
    std::cerr << app.get_name() << ": " << EscapedLines(MessageOf(app, error))
              << "\nSee " << app.get_name() << " --help.\n";
    return dynamic_cast<const CLI::FileError*>(&error) != nullptr ? kExitConfig
                                                                  : kExitUsage;
  }
  return std::nullopt;
}

CLI::Validator NumberFrom(double low, double high) {
  const std::string range = absl::StrCat("from ", low, " to ", high);
  return CLI::Validator(
      [low, high, range](std::string& text) {
        double value = 0;
        // NaN is not in any range.
        if (absl::SimpleAtod(text, &value) && value >= low && value <= high) {
          return std::string();
        }
        return absl::StrCat("'", text, "' is no number ", range);
      },
      range);
}

CLI::Validator IntegerFrom(int64_t low, int64_t high) {
  const std::string range = absl::StrCat("from ", low, " to ", high);
  return CLI::Validator(
      [low, high, range](std::string& text) {
        int64_t value = 0;
        if (absl::SimpleAtoi(text, &value) && value >= low && value <= high) {
          return std::string();
        }
        return absl::StrCat("'", text, "' is no integer ", range);
      },
      range);
}

std::string DeviceMemoryHelp() {
  return absl::StrCat(
      "How much memory each CPU device may take: bytes, or 4GiB; by default "
      "the devices share seven tenths of what this process may take [",
      DefaultDeviceBytes(), "]");
}

void AddGpuFlags(CLI::App& app, GpuFlags& flags) {
  app.add_option("--gpu-memory", flags.memory_bytes,
                 "How much memory each GPU may take: bytes, or 4GiB; by "
                 "default nearly all that is free")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 62));
  app.add_option("--gpu-memory-fraction", flags.memory_fraction,
                 "The part of each GPU's memory that may be used, if there is "
                 "no --gpu-memory")
      ->check(NumberFrom(0, 1));
  app.add_flag("--gpu-allow-growth", flags.allow_growth,
               "Take memory of GPUs when it is needed, and not all at once");
  app.add_option("--gpu-ordinal", flags.ordinals,
                 "CUDA's number of a GPU; the first is GPU 0, and so on "
                 "(repeatable) [0, 1, ...]")
      ->check(IntegerFrom(0, 255));
  app.add_flag("--tf32", flags.allow_tf32,
               "Let GPUs multiply floats with 10 bits after the binary point "
               "(TF32), which is faster");
  app.add_flag("--gpu-sync", flags.sync,
               "Wait for each kernel on a GPU, so that an error of the GPU "
               "names the node that has caused it; slow");
}

std::chrono::nanoseconds Seconds(double seconds) {
  return std::chrono::nanoseconds(
      static_cast<int64_t>(std::ceil(seconds * 1e9)));
}

int Report(const Log& log, const absl::Status& status, ExitCode code) {
  log.Error(status);
  return code;
}

int WithThreads(const Log& log, absl::FunctionRef<int()> command) {
  int code = kExitOk;
  const absl::Status status = StartThreads([&] {
    code = command();
    return absl::OkStatus();
  });
  return status.ok() ? code : Report(log, status);
}

ExitCode ExitCodeOnCluster(const absl::Status& status) {
  return IsRecoverable(status) ? kExitLostTask : kExitError;
}

int Print(const Log& log, absl::string_view text) {
  std::atomic<size_t> left = 0;
  std::optional<ReaderNotices> notices;
  while (!text.empty()) {
    const ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      left = text.size();
      if (!notices.has_value()) {
        // If no thread can be started for the notices, none are written.
        StartThreads([&] {
          notices.emplace(log, left);
          return absl::OkStatus();
        }).IgnoreError();
      }
      if (notices.has_value()) notices->Restart();
      if (WaitForReader()) continue;
    }
    if (count < 0) {
      return Report(
          log, SystemError("standard output", "the result cannot be written"));
    }
    text.remove_prefix(static_cast<size_t>(count));
  }
  return kExitOk;
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

int TerminalHeight() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_row;
}

}  // namespace leat
