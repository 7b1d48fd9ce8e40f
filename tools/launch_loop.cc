// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/launch_loop.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Batch systems restart only programs that end with this exit code or a higher
// one (Kubeflow's ExitCode policy).
constexpr int kFirstRetryable = 128;
constexpr int kCannotFind = 127;  // the code that shells use
constexpr int kCannotRun = 126;

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? absl::StrCat("signal ", signal)
                         : absl::StrCat("SIG", name);
}

std::string HowItEnded(const EndedChild& child) {
  return child.signal == 0 ? absl::StrCat("exit code ", child.code)
                           : SignalName(child.signal);
}

// Returns true if the signal was already ignored when this program started, as
// under nohup.
bool IsIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

}  // namespace

LaunchLoop::LaunchLoop(LaunchLoopOptions options,
                       std::vector<LaunchedTask>& tasks, LiveView& view)
    : options_(options), tasks_(tasks), view_(view) {}

absl::Status LaunchLoop::Run() {
  LEAT_RETURN_IF_ERROR(TakeSignals());
  LEAT_RETURN_IF_ERROR(BecomeSubreaper());
  for (LaunchedTask& task : tasks_) task.RestartAt(SteadyClock::now());
  while (true) {
    StartTasks();
    Wait();
    ReadSignals();
    for (LaunchedTask& task : tasks_) task.ReadOutput();
    while (const std::optional<EndedChild> child = NextEndedChild()) {
      OnEnded(*child);
    }
    view_.Write();
    if (AllHaveEnded()) End(0, SIGTERM);
    if (is_ending_ && !HasChildren()) break;
    const bool is_too_late = is_ending_ && SteadyClock::now() >= patience_;
    if (!is_too_late) NoteWaiting();
    if (is_killing_ && is_too_late) {
      Fail(
          absl::InternalError(absl::StrCat("processes do not end when killed: ",
                                           absl::StrJoin(Children(), ", "))),
          code_);
      break;
    }
    if (is_too_late) {
      view_.Note(
          absl::StrCat("the time of --grace is over, so leat launch "
                       "kills ",
                       WhatIsLeft()));
    }
    if (is_killing_ || is_too_late) Kill();
  }
  for (LaunchedTask& task : tasks_) task.ReadOutput();
  return status_;
}

absl::Status LaunchLoop::TakeSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT}) {
    sigaddset(&signals, signal);
  }
  if (!IsIgnored(SIGHUP)) sigaddset(&signals, SIGHUP);
  // If SIGCHLD were ignored, children would end unnoticed.
  std::signal(SIGCHLD, SIG_DFL);
  // A write to a closed pipe must fail and not end this program.
  std::signal(SIGPIPE, SIG_IGN);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signals_ = FileDescriptor(signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
  if (signals_.is_open()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "leat launch cannot wait for signals: ", std::strerror(errno)));
}

void LaunchLoop::StartTasks() {
  const SteadyClock::time_point now = SteadyClock::now();
  for (LaunchedTask& task : tasks_) {
    if (is_ending_ || !task.due().has_value() || *task.due() > now) continue;
    const absl::Status started = task.Start();
    if (!started.ok()) {
      Fail(started, absl::IsNotFound(started) ? kCannotFind : kCannotRun);
      End(code_, SIGTERM);
      return;
    }
    task.Note(absl::StrCat("is process ", task.pid()));
  }
}

void LaunchLoop::Wait() {
  std::vector<pollfd> polled = {
      {.fd = signals_.number(), .events = POLLIN, .revents = 0},
      {.fd = view_.waits_for(), .events = POLLOUT, .revents = 0}};
  for (const LaunchedTask& task : tasks_) {
    polled.push_back({.fd = task.output(), .events = POLLIN, .revents = 0});
  }
  poll(polled.data(), polled.size(), PollTimeout());
}

int LaunchLoop::PollTimeout() const {
  std::optional<SteadyClock::time_point> next;
  if (is_ending_) next = std::min(patience_, notices_->next());
  for (const LaunchedTask& task : tasks_) {
    if (!task.due().has_value()) continue;
    next = std::min(next.value_or(*task.due()), *task.due());
  }
  if (is_killing_) next = SteadyClock::now() + options_.kill_period;
  if (!next.has_value()) return -1;
  const auto wait =
      std::chrono::ceil<std::chrono::milliseconds>(*next - SteadyClock::now());
  return static_cast<int>(std::clamp<int64_t>(wait.count(), 0, 60'000));
}

void LaunchLoop::ReadSignals() {
  signalfd_siginfo info = {};
  while (read(signals_.number(), &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo != SIGCHLD) OnSignal(static_cast<int>(info.ssi_signo));
  }
}

void LaunchLoop::OnSignal(int signal) {
  if (is_ending_) {
    view_.Note(absl::StrCat(SignalName(signal),
                            " came, so the tasks are killed at once"));
    return Kill();
  }
  view_.Note(
      absl::StrCat(SignalName(signal), " came and is passed on to the tasks"));
  signal_ = signal;
  End(kFirstRetryable + signal, signal);
}

void LaunchLoop::OnEnded(const EndedChild& child) {
  const auto task = std::find_if(
      tasks_.begin(), tasks_.end(),
      [&child](const LaunchedTask& each) { return each.pid() == child.pid; });
  const bool is_task = task != tasks_.end();
  // During the grace period, the other processes of the task's group are not
  // killed, so that they can end by themselves.
  if (is_task) task->Ended(child, /*whole=*/!is_ending_ || is_killing_);
  Forget(child);
  if (!is_task) return;  // it was an orphan
  task->Note(absl::StrCat("has ended: ", HowItEnded(child)));
  const auto place = static_cast<size_t>(task - tasks_.begin());
  const bool is_main = options_.main == place;
  if (is_ending_) {
    // The main task has succeeded in spite of the signal, so the launcher
    // succeeds.
    if (is_main && signal_ != 0 && child.code == 0) code_ = 0;
  } else if (child.code != 0) {
    OnFailed(*task, child);
  } else if (is_main) {
    End(0, SIGTERM);
  }
}

void LaunchLoop::OnFailed(LaunchedTask& task, const EndedChild& child) {
  const bool is_retryable = child.code >= kFirstRetryable;
  if (is_retryable && task.restarts() < options_.max_restarts) {
    std::chrono::nanoseconds delay = options_.restart_delay;
    const std::chrono::nanoseconds longest = options_.max_restart_delay;
    for (int i = 0; i < task.restarts() && delay < longest; ++i) {
      delay = std::min(2 * delay, longest);
    }
    task.RestartAt(SteadyClock::now() + delay);
    task.Note(absl::StrCat("starts again in ",
                           absl::FormatDuration(absl::FromChrono(delay)),
                           "; this is restart ", task.restarts() + 1, " of ",
                           options_.max_restarts));
    return;
  }
  std::string why =
      absl::StrCat(task.name(), " has failed for good: ", HowItEnded(child));
  if (is_retryable) {
    absl::StrAppend(&why, " after ", task.restarts(), " restarts");
  }
  Fail(absl::AbortedError(why), child.code);
  End(child.code, SIGTERM);
}

bool LaunchLoop::AllHaveEnded() const {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const auto& task) {
    return task.pid() < 0 && !task.due().has_value();
  });
}

std::string LaunchLoop::WhatIsLeft() const {
  std::vector<std::string> names;
  for (const LaunchedTask& task : tasks_) {
    if (task.pid() >= 0) names.push_back(task.name());
  }
  if (names.empty()) return "what the tasks have started";
  return absl::StrJoin(names, ", ");
}

void LaunchLoop::NoteWaiting() {
  const SteadyClock::time_point now = SteadyClock::now();
  if (!is_ending_ || now < notices_->next()) return;
  notices_->Pass();
  const std::string left = absl::FormatDuration(absl::FromChrono(
      std::chrono::ceil<std::chrono::seconds>(patience_ - now)));
  if (is_killing_) {
    view_.Note(absl::StrCat("leat launch has killed ",
                            absl::StrJoin(Children(), ", "),
                            ", is waiting for the kernel to end these "
                            "processes, and gives up in ",
                            left));
    return;
  }
  view_.Note(absl::StrCat("leat launch is waiting for ", WhatIsLeft(),
                          " to end and kills them in ", left,
                          " (--grace) or at another signal"));
}

void LaunchLoop::End(int code, int signal) {
  if (is_ending_) return;
  is_ending_ = true;
  code_ = code;
  patience_ = SteadyClock::now() + options_.grace;
  notices_.emplace(SteadyClock::now());
  for (LaunchedTask& task : tasks_) {
    task.StayEnded();
    task.Signal(signal);
    task.Signal(SIGCONT);  // a stopped task would not see the signal
  }
  SignalStrays(signal);
}

void LaunchLoop::Fail(absl::Status why, int code) {
  if (status_.ok()) status_ = std::move(why);
  code_ = code;
}

// Signals each orphan separately, because an orphan is in its own group or in a
// group whose first process is gone.
void LaunchLoop::SignalStrays(int signal) const {
  for (const pid_t child : Children()) {
    const bool is_task = std::any_of(
        tasks_.begin(), tasks_.end(),
        [child](const LaunchedTask& task) { return task.pid() == child; });
    if (!is_task) kill(child, signal);
  }
}

// Sends SIGKILL to all tasks and all other children. Run calls Kill repeatedly,
// because each process that ends may leave orphans behind.
void LaunchLoop::Kill() {
  if (!is_killing_) {
    patience_ = SteadyClock::now() + options_.kill_patience;
    notices_.emplace(SteadyClock::now());
  }
  is_killing_ = true;
  for (const LaunchedTask& task : tasks_) task.Signal(SIGKILL);
  SignalStrays(SIGKILL);
}

}  // namespace leat
