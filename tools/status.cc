// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/status.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/wait_notices.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tools/cluster_status.h"
#include "leat/tools/program.h"
#include "leat/tools/status_report.h"

namespace leat {
namespace {

constexpr char kStatusFooter[] =
    "Exit codes: 0, 1 when a task does not answer, 2 for wrong flags, 3 for a "
    "wrong --config file.";
constexpr double kMaxWaitSeconds = 1e6;
constexpr double kMinInterval = 0.1;
// If the interval is longer than this, notices say that the command waits for
// its second reading.
constexpr std::chrono::seconds kUnspokenInterval(1);
// Limits the number of bytes of a message. Tasks limit the lengths of their
// answers.
constexpr int64_t kMaxAnswerBytes = 64 << 20;

// Returns the address in `text`, such as "host:port". `text` is an address or a
// target.
std::string AddressOf(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "grpc://")) return std::string(text);
  if (absl::ConsumePrefix(&text, "unix://")) return absl::StrCat("unix:", text);
  return std::string(text);
}

// Returns what is wrong with an address, or "".
std::string CheckTarget(const std::string& text) {
  return std::string(CheckAddress(AddressOf(text)).message());
}

// Returns text that replaces the contents of the screen with as many lines of
// `text` as fit.
std::string Screen(const std::string& text, size_t height) {
  std::vector<absl::string_view> lines =
      absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
  std::string more;
  if (height > 1 && lines.size() >= height) {
    more = absl::StrCat("... and ", lines.size() - (height - 2), " lines more");
    lines.resize(height - 2);
    lines.push_back(more);
  }
  std::string screen = "\x1b[H";
  for (const absl::string_view line : lines) {
    absl::StrAppend(&screen, line, "\x1b[K\n");
  }
  return absl::StrCat(screen, "\x1b[J");
}

int ShowReading(const StatusOptions& options, const ClusterReading& reading,
                const ClusterReading* before, bool is_first, const Log& log) {
  if (options.json) return Print(log, StatusReportJson(reading, before));
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  std::string text = StatusReportText(reading, before,
                                      {.color = WantsColor(),
                                       .width = TerminalWidth(),
                                       .min_age = Seconds(options.min_age)});
  if (options.watch && is_terminal) {
    text = absl::StrCat(is_first ? "\x1b[2J" : "",
                        Screen(text, static_cast<size_t>(TerminalHeight())));
  } else if (!is_first) {
    text = absl::StrCat("\n", text);
  }
  return Print(log, text);
}

// Returns the exit code after the last reading.
int Conclude(const ClusterReading& reading, const Log& log) {
  const size_t silent = reading.num_unreachable();
  if (silent == 0) return kExitOk;
  return Report(log, absl::UnavailableError(
                         absl::StrCat(silent, " of ", reading.tasks.size(),
                                      " tasks have not answered")));
}

// Sleeps until `next`, when the second of two readings begins. Writes notices
// that the command is waiting for this reading.
void AwaitSecondReading(Clock::time_point next, const Log& log) {
  TimerQueue timers("leat-notices");
  const WaitNotices notices(timers, log.Warner(), [next](Clock::duration) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(
        std::max(next - RealClock().Now(), Clock::duration(0)));
    return absl::StrCat(
        "this command is waiting for the second of its two readings, which "
        "begins in ",
        left.count(), " s (--interval); --interval 0 reads once");
  });
  std::this_thread::sleep_until(next);
}

}  // namespace

CLI::App* AddStatus(CLI::App& app, StatusOptions& options) {
  CLI::App* status = app.add_subcommand(
      "status", "Shows a cluster: tasks, sessions, steps, traffic, what waits");
  status->footer(kStatusFooter);
  status
      ->add_option("ADDRESS", options.address,
                   "host:port or unix:/path of one task, which names the "
                   "other tasks")
      ->check(CLI::Validator(CheckTarget, "ADDRESS"))
      ->required();
  status->add_flag("--watch", options.watch,
                   "Show the status again and again until a signal comes; on a "
                   "terminal each status replaces the one before");
  status
      ->add_option("--interval", options.interval,
                   "Seconds between two readings, from which the rates per "
                   "second are computed; 0 reads once")
      ->check(NumberFrom(0, kMaxWaitSeconds))
      ->capture_default_str();
  status
      ->add_option("--timeout", options.timeout,
                   "Seconds that a task has to answer")
      ->check(NumberFrom(1e-3, kMaxWaitSeconds))
      ->capture_default_str();
  status
      ->add_option("--min-age", options.min_age,
                   "Only steps that have run, and Recvs that have waited, for "
                   "this many seconds are listed")
      ->check(NumberFrom(0, kMaxWaitSeconds))
      ->capture_default_str();
  status->add_flag("--json", options.json,
                   "Print JSON, an object in a line for each reading");
  return status;
}

int ShowStatus(const StatusOptions& options, const Log& log) {
  const absl::StatusOr<std::unique_ptr<Transport>> transport =
      BuiltinTransports().Create("grpc",
                                 {.max_message_bytes = kMaxAnswerBytes});
  if (!transport.ok()) return Report(log, transport.status());
  ClusterStatusOptions asking{.timeout = Seconds(options.timeout),
                              .min_age = Seconds(options.min_age)};
  int shown = 0;
  // Each reading shows which tasks do not answer. With --watch, notices would
  // therefore say nothing new after the first reading.
  asking.on_waiting = [&](absl::string_view message) {
    if (shown == 0) log.Warning(message);
  };
  ClusterStatus cluster(**transport, AddressOf(options.address), asking);
  // A second reading without a pause would show nothing new.
  const std::chrono::nanoseconds interval =
      Seconds(options.watch ? std::max(options.interval, kMinInterval)
                            : options.interval);
  std::optional<ClusterReading> before;
  for (;;) {
    const auto next = std::chrono::steady_clock::now() + interval;
    absl::StatusOr<ClusterReading> reading = cluster.Read();
    if (!reading.ok()) return Report(log, reading.status());
    const bool is_needed_twice =
        !before.has_value() && interval > std::chrono::nanoseconds(0);
    if (!is_needed_twice || options.watch) {
      const int printed = ShowReading(
          options, *reading, before ? &*before : nullptr, shown++ == 0, log);
      if (printed != kExitOk) return printed;
      if (!options.watch) return Conclude(*reading, log);
    }
    before = *std::move(reading);
    if (shown == 0 && interval > kUnspokenInterval) {
      AwaitSecondReading(next, log);
    } else {
      std::this_thread::sleep_until(next);
    }
  }
}

}  // namespace leat
