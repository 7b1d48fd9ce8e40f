// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests LaunchLoop with intervals that no flag of `leat launch` can set. Each
// loop runs in its own process, because a loop takes over the signals and the
// children of its process.
#include "leat/tools/launch_loop.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/launched_task.h"
#include "leat/tools/live_view.h"

namespace leat::launch_loop_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

class LaunchLoopTest : public ::testing::Test {
 protected:
  // Starts a loop with one task, worker-0, which runs the script with the
  // test's folder as $1. Returns the process id of the loop.
  pid_t Start(const LaunchLoopOptions& options, const std::string& script) {
    const pid_t pid = fork();
    EXPECT_GE(pid, 0) << std::strerror(errno);
    if (pid == 0) RunLoop(options, script);
    return pid;
  }
  // Returns what the view of the loop has shown until now.
  std::string Shown() const { return testing::ReadFile(ShownPath()); }
  // Waits until the script has written its process id to the file "pid".
  // Returns the id.
  pid_t AwaitTask() const {
    const absl::Time deadline = absl::Now() + absl::Seconds(60);
    int pid = -1;
    while (!absl::SimpleAtoi(testing::ReadFile(folder_.Path("pid")), &pid)) {
      if (absl::Now() > deadline) break;
      absl::SleepFor(absl::Milliseconds(1));
    }
    EXPECT_GT(pid, 1);
    return pid;
  }

 private:
  std::string ShownPath() const { return folder_.Path("shown"); }
  // Runs the loop and ends this process with the loop's exit code.
  [[noreturn]] void RunLoop(const LaunchLoopOptions& options,
                            const std::string& script) const {
    const FileDescriptor shown(open(
        ShownPath().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    LiveView view({"worker-0"}, {.output = shown.number()});
    std::vector<LaunchedTask> tasks;
    tasks.emplace_back(
        LaunchedTaskOptions{
            .name = "worker-0",
            .command = {"/bin/sh", "-c", script, "script", folder_.Path("")},
            .environment = {"PATH=/usr/bin:/bin"}},
        view);
    LaunchLoop loop(options, tasks, view);
    const absl::Status status = loop.Run();
    view.Note(status.message());
    view.Finish(seconds(10));
    _exit(loop.code());
  }

  const TemporaryFolder folder_;
};

TEST_F(LaunchLoopTest, TheTimeBeforeARestartHasALimit) {
  const pid_t loop = Start({.main = size_t{0},
                            .max_restarts = 3,
                            .restart_delay = milliseconds(10),
                            .max_restart_delay = milliseconds(25),
                            .grace = seconds(10)},
                           "exit 200");
  ASSERT_GE(loop, 0);
  EXPECT_EQ(testing::WaitFor(loop), 200);
  EXPECT_THAT(Shown(),
              AllOf(HasSubstr("starts again in 10ms; this is restart 1 of 3"),
                    HasSubstr("starts again in 20ms; this is restart 2 of 3"),
                    HasSubstr("starts again in 25ms; this is restart 3 of 3")));
}

TEST_F(LaunchLoopTest, SaysThatKilledProcessesAreStillThere) {
  const pid_t loop =
      Start({.grace = milliseconds(100), .kill_patience = milliseconds(3000)},
            R"(trap '' TERM
                              echo $$ > "$1/pid.new"; mv "$1/pid.new" "$1/pid"
                              while :; do sleep 0.05; done)");
  ASSERT_GE(loop, 0);
  const pid_t task = AwaitTask();
  // A killed process that is traced remains until its tracer has waited for it.
  if (ptrace(PTRACE_SEIZE, task, nullptr, nullptr) != 0) {
    const std::string why = std::strerror(errno);
    kill(loop, SIGKILL);
    testing::WaitFor(loop);
    GTEST_SKIP() << "NOT TESTED: killed processes that do not end. This system "
                    "does not let a test trace a process: "
                 << why;
  }
  kill(loop, SIGTERM);
  EXPECT_EQ(testing::WaitFor(loop), 128 + SIGTERM);
  EXPECT_EQ(waitpid(task, nullptr, __WALL), task);
  EXPECT_THAT(
      Shown(),
      AllOf(HasSubstr("SIGTERM came and is passed on to the tasks"),
            HasSubstr("the time of --grace is over, so leat launch kills "
                      "worker-0"),
            HasSubstr(absl::StrCat("leat launch has killed ", task,
                                   ", is waiting for the kernel to end these "
                                   "processes, and gives up in ")),
            HasSubstr("processes do not end when killed: ")));
}

}  // namespace
}  // namespace leat::launch_loop_test
