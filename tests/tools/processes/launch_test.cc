// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests `leat launch` as a process. Its tasks are shell scripts.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::launch_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Process;
using testing::ReadFile;

// Is the beginning of every script. $1 is the test's folder. `job` becomes the
// job of the task, such as "ps". `me` becomes the name of the task, such as
// "ps-1".
constexpr char kPrelude[] = R"(
  job=${TF_CONFIG##*'"type":"'}; job=${job%%'"'*}
  me=$job-${TF_CONFIG##*'"index":'}; me=${me%%'}'*}
  echo $$ >> "$1/pids"
  begun() { : > "$1/begun.$me"; }
  wait_for() { until [ -e "$1" ]; do sleep 0.01; done; }
)";
constexpr char kSleep[] = "begun \"$1\"; while :; do sleep 0.05; done";

bool IsAlive(pid_t pid) {
  const std::string stat = ReadFile(absl::StrCat("/proc/", pid, "/stat"));
  const size_t name_end = stat.rfind(") ");
  // A process in state Z or X has ended, but its parent has not waited for it.
  // It counts as dead, because possibly no process will ever wait for it.
  return name_end != stat.npos && stat[name_end + 2] != 'Z' &&
         stat[name_end + 2] != 'X';
}

class LaunchTest : public ::testing::Test {
 protected:
  ~LaunchTest() override {
    for (const pid_t pid : Pids()) {
      EXPECT_FALSE(IsAlive(pid)) << "process " << pid << " is left";
      if (IsAlive(pid)) kill(pid, SIGKILL);
    }
  }

  std::vector<std::string> Args(const std::string& jobs,
                                const std::vector<std::string>& flags,
                                const std::string& script) const {
    std::vector<std::string> args = {"launch", "--jobs", jobs, "--logs",
                                     folder_.Path("logs")};
    args.insert(args.end(), flags.begin(), flags.end());
    for (const std::string& arg :
         {std::string("--"), std::string("/bin/sh"), std::string("-c"),
          absl::StrCat(kPrelude, script), std::string("script"),
          folder_.Path("")}) {
      args.push_back(arg);
    }
    return args;
  }
  std::unique_ptr<Process> Start(
      const std::string& jobs, const std::vector<std::string>& flags,
      const std::string& script,
      const std::vector<std::string>& variables = {}) const {
    return std::make_unique<Process>(LEAT_PROGRAM_LEAT,
                                     Args(jobs, flags, script), variables);
  }
  // Runs a launcher that ends by itself. Returns its exit code.
  int Run(const std::string& jobs, const std::vector<std::string>& flags,
          const std::string& script) {
    const auto launcher = Start(jobs, flags, script);
    const int code = launcher->Wait();
    out_ = launcher->Out();
    err_ = launcher->Err();
    return code;
  }
  // Waits until the script of the task, such as "ps-1", has called `begun`.
  void AwaitBegun(const std::string& task) const { AwaitFile("begun." + task); }
  void AwaitFile(const std::string& name) const {
    const absl::Time deadline = absl::Now() + absl::Seconds(60);
    while (access(folder_.Path(name).c_str(), F_OK) != 0) {
      ASSERT_LT(absl::Now(), deadline) << name;
      absl::SleepFor(absl::Milliseconds(1));
    }
  }
  static void AwaitOutput(const Process& launcher, const std::string& text) {
    const absl::Time deadline = absl::Now() + absl::Seconds(60);
    while (!absl::StrContains(launcher.Out(), text)) {
      ASSERT_LT(absl::Now(), deadline) << text << " in: " << launcher.Out();
      absl::SleepFor(absl::Milliseconds(1));
    }
  }
  std::string LogOf(const std::string& task) const {
    return ReadFile(folder_.Path("logs/" + task + ".log"));
  }
  // Returns the ids in the file "pids". Every script writes its process id to
  // this file.
  std::vector<pid_t> Pids() const {
    std::vector<pid_t> pids;
    std::ifstream file(folder_.Path("pids"));
    for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
    return pids;
  }

  const TemporaryFolder folder_;
  std::string out_;
  std::string err_;
};

TEST_F(LaunchTest, TellsEveryTaskTheClusterAndKeepsItsOutput) {
  // The tasks do not get environment variables of the launcher that describe
  // another cluster. They get all its other environment variables.
  const auto launcher =
      Start("chief=1,worker=2,ps=1,evaluator=1", {}, R"(
        echo "CONFIG $TF_CONFIG"
        echo "logs $LEAT_LOG_DIR other $LEAT_OTHER cluster $LEAT_CLUSTER" >&2
        begun "$1"
        for task in chief-0 worker-0 worker-1 ps-0 evaluator-0; do
          wait_for "$1/begun.$task"
        done)",
            {"LEAT_OTHER=kept", "LEAT_CLUSTER={}", "TF_CONFIG=none"});
  EXPECT_EQ(launcher->Wait(), 0) << launcher->Err();
  EXPECT_EQ(launcher->Err(), "");
  std::set<std::string> clusters;
  for (const TaskId& task :
       {TaskId{"chief", 0}, TaskId{"worker", 0}, TaskId{"worker", 1},
        TaskId{"ps", 0}, TaskId{"evaluator", 0}}) {
    const std::string name = absl::StrCat(task.job, "-", task.index);
    const std::string log = LogOf(name);
    const size_t at = log.find("CONFIG ");
    ASSERT_NE(at, log.npos) << log;
    const std::string text = log.substr(at + 7, log.find('\n', at) - at - 7);
    ResolverInput input;
    input.environment = [&text](const std::string&) { return text; };
    const auto config = ResolveTask(input);
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->task, task);
    EXPECT_EQ(config->cluster.Tasks().size(), 4u);
    clusters.insert(text.substr(0, text.find("\"task\"")));
    EXPECT_THAT(log, HasSubstr(absl::StrCat("logs ", folder_.Path("logs"),
                                            " other kept cluster \n")));
    EXPECT_THAT(launcher->Out(),
                HasSubstr(absl::StrCat("[", name, "]",
                                       std::string(12 - name.size(), ' '),
                                       "CONFIG ", text, "\n")));
  }
  EXPECT_EQ(clusters.size(), 1u);
}

TEST_F(LaunchTest, LogsBeginAnewAndGoOnAfterARestart) {
  std::filesystem::create_directories(folder_.Path("logs"));
  std::ofstream(folder_.Path("logs/worker-0.log")) << "of yesterday";
  EXPECT_EQ(Run("worker=1", {"--max-restarts", "1", "--restart-delay", "0"},
                R"(printf "no end of line"
                   [ -e "$1/again" ] && exit 0
                   : > "$1/again"; exit 200)"),
            0);
  EXPECT_THAT(
      LogOf("worker-0"),
      ::testing::MatchesRegex(
          "\\[leat\\] worker-0 is process [0-9]+\n"
          "no end of line\\[leat\\] worker-0 has ended: exit code "
          "200\n\\[leat\\] worker-0 starts again in 0; this is restart 1 of "
          "1\n"
          "\\[leat\\] worker-0 is process [0-9]+\n"
          "no end of line\\[leat\\] worker-0 has ended: exit code 0\n"));
  EXPECT_THAT(out_, HasSubstr("[worker-0] no end of line\n[leat]"));
}

TEST_F(LaunchTest, EndsWithTheChief) {
  EXPECT_EQ(Run("chief=1,worker=1,ps=1,evaluator=1", {},
                absl::StrCat(R"(
                  if [ $job = chief ]; then
                    wait_for "$1/begun.worker-0"
                    wait_for "$1/begun.ps-0"
                    wait_for "$1/begun.evaluator-0"
                    exit 0
                  fi
                  )",
                             kSleep)),
            0)
      << err_;
  EXPECT_EQ(err_, "");
  EXPECT_THAT(out_, HasSubstr("chief-0 has ended: exit code 0"));
  EXPECT_THAT(out_, HasSubstr("ps-0 has ended: SIGTERM"));
  EXPECT_EQ(Pids().size(), 4u);
}

TEST_F(LaunchTest, EndsWithTheFirstWorkerWithoutAChief) {
  EXPECT_EQ(Run("ps=1,worker=2", {},
                absl::StrCat(R"(
                  if [ $me = worker-1 ]; then begun "$1"; exit 0; fi
                  if [ $me = worker-0 ]; then
                    wait_for "$1/begun.worker-1"
                    wait_for "$1/begun.ps-0"
                    exit 0
                  fi
                  )",
                             kSleep)),
            0)
      << err_;
  EXPECT_EQ(Pids().size(), 3u);
}

TEST_F(LaunchTest, EndsWhenAllHaveEnded) {
  EXPECT_EQ(Run("ps=3", {}, "exit 0"), 0) << err_;
  EXPECT_EQ(Pids().size(), 3u);
}

TEST_F(LaunchTest, EndsWithTheCodeOfTheTaskThatFailed) {
  EXPECT_EQ(Run("chief=1,ps=1", {"--max-restarts", "5"},
                absl::StrCat("[ $job = ps ] && exit 7; ", kSleep)),
            7);
  EXPECT_THAT(err_, HasSubstr("ps-0 has failed for good: exit code 7"));
  EXPECT_EQ(Run("chief=1,ps=1", {},
                absl::StrCat("[ $job = chief ] && exit 127; ", kSleep)),
            127);
  EXPECT_EQ(Run("evaluator=1,ps=1", {},
                absl::StrCat("[ $job = evaluator ] && kill -9 $$; ", kSleep)),
            128 + SIGKILL);
  EXPECT_THAT(err_, HasSubstr("evaluator-0 has failed for good: SIGKILL after "
                              "0 restarts"));
}

TEST_F(LaunchTest, RestartsWhatMayBeRetriedSoOften) {
  for (const char* failure : {"kill -9 $$", "exit 128", "exit 255"}) {
    std::filesystem::remove(folder_.Path("pids"));
    std::filesystem::remove(folder_.Path("begun.chief-0"));
    const absl::Time start = absl::Now();
    EXPECT_GE(Run("chief=1,worker=1",
                  {"--max-restarts", "2", "--restart-delay", "0.1"},
                  absl::StrCat("[ $job = worker ] && wait_for "
                               "\"$1/begun.chief-0\" && ",
                               failure, "; ", kSleep)),
              128)
        << failure;
    EXPECT_GE(absl::Now() - start, absl::Milliseconds(300)) << failure;
    EXPECT_EQ(Pids().size(), 4u) << failure;
    EXPECT_THAT(err_, HasSubstr(" after 2 restarts"));
    EXPECT_THAT(
        out_,
        AllOf(HasSubstr("starts again in 100ms; this is restart 1 of 2"),
              HasSubstr("starts again in 200ms; this is restart 2 of 2")));
  }
}

TEST_F(LaunchTest, GoesOnWhenARestartHelps) {
  EXPECT_EQ(Run("chief=1,worker=1",
                {"--max-restarts", "1", "--restart-delay", "0.01"},
                absl::StrCat(R"(
                  if [ $job = chief ]; then wait_for "$1/second"; exit 0; fi
                  [ -e "$1/first" ] && : > "$1/second"
                  : > "$1/first"
                  [ -e "$1/second" ] || kill -9 $$
                  )",
                             kSleep)),
            0)
      << err_;
}

TEST_F(LaunchTest, WhatATaskLeavesBehindDoesNotDisturbItsRestart) {
  EXPECT_EQ(Run("worker=1", {"--max-restarts", "1", "--restart-delay", "0"},
                R"(if [ -e "$1/left" ]; then
                     for i in $(seq 100); do
                       kill -0 $(cat "$1/left") 2> /dev/null || exit 0
                       sleep 0.1
                     done
                     exit 9
                   fi
                   sleep 600 & echo $! | tee "$1/left" >> "$1/pids"
                   kill -9 $$)"),
            0)
      << err_;
}

TEST_F(LaunchTest, PassesSignalsOn) {
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    // Under nohup, SIGHUP is ignored, so neither the launcher nor its tasks
    // receive it.
    if (signal == SIGHUP && hangup.sa_handler == SIG_IGN) continue;
    const auto launcher = Start("chief=1,ps=1", {}, R"(
      for each in TERM INT HUP; do
        trap "echo got $each; exit 99" $each
      done
      : > "$1/ready.$me"; while :; do sleep 0.05; done)");
    AwaitFile("ready.chief-0");
    AwaitFile("ready.ps-0");
    launcher->Signal(signal);
    EXPECT_EQ(launcher->Wait(), 128 + signal) << launcher->Err();
    const char* name = signal == SIGTERM  ? "got TERM\n"
                       : signal == SIGINT ? "got INT\n"
                                          : "got HUP\n";
    EXPECT_THAT(LogOf("chief-0"), HasSubstr(name));
    EXPECT_THAT(LogOf("ps-0"), HasSubstr(name));
    std::filesystem::remove(folder_.Path("ready.chief-0"));
    std::filesystem::remove(folder_.Path("ready.ps-0"));
  }
}

TEST_F(LaunchTest, EndsWellWhenTheSignalComesAfterTheWork) {
  const auto launcher =
      Start("chief=1", {},
            "trap 'exit 0' TERM; begun \"$1\"; while :; do sleep 0.05; done");
  AwaitBegun("chief-0");
  launcher->Signal(SIGTERM);
  EXPECT_EQ(launcher->Wait(), 0);
}

constexpr char kDeaf[] = R"(trap '' TERM INT; begun "$1"
                            while :; do sleep 0.05; done)";

TEST_F(LaunchTest, ASecondSignalKills) {
  const auto launcher = Start("chief=1,ps=1", {"--grace", "600"}, kDeaf);
  AwaitBegun("chief-0");
  AwaitBegun("ps-0");
  launcher->Signal(SIGTERM);
  AwaitOutput(*launcher, "SIGTERM came and is passed on");
  AwaitOutput(*launcher, "waiting for chief-0, ps-0 to end");
  EXPECT_TRUE(launcher->IsRunning());
  launcher->Signal(SIGINT);
  EXPECT_EQ(launcher->Wait(absl::Seconds(30)), 128 + SIGTERM);
  EXPECT_THAT(launcher->Out(),
              HasSubstr("SIGINT came, so the tasks are killed"));
}

TEST_F(LaunchTest, KillsAfterTheGrace) {
  const absl::Time start = absl::Now();
  EXPECT_EQ(Run("chief=1,ps=1", {"--grace", "0.3"},
                absl::StrCat("if [ $job = chief ]; then wait_for "
                             "\"$1/begun.ps-0\"; exit 0; fi; ",
                             kDeaf)),
            0)
      << err_;
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(300));
  EXPECT_THAT(out_, AllOf(HasSubstr("the time of --grace is over, so leat "
                                    "launch kills ps-0\n"),
                          HasSubstr("ps-0 has ended: SIGKILL")));
}

TEST_F(LaunchTest, GivesStoppedTasksTheSignalToo) {
  EXPECT_EQ(Run("chief=1,ps=1", {"--grace", "600"},
                absl::StrCat(R"(if [ $job = chief ]; then
                  wait_for "$1/begun.ps-0"
                  kill -STOP $(cat "$1/ps")
                  exit 0
                fi
                echo $$ > "$1/ps"; )",
                             kSleep)),
            0);
}

TEST_F(LaunchTest, OrphansEndToo) {
  // The task starts two processes. The first one is in the task's process
  // group. The second one is in a new session and ignores SIGTERM.
  EXPECT_EQ(Run("chief=1,ps=1", {"--grace", "0.3"},
                absl::StrCat(R"(
                  if [ $job = chief ]; then wait_for "$1/begun.ps-0"; exit 0; fi
                  sh -c 'echo $$ >> "$0/pids"; : > "$0/near"; sleep 600' \
                     "$1" &
                  (setsid sh -c 'trap "" TERM; echo $$ >> "$0/pids"
                                 : > "$0/away"; while :; do sleep 1; done' \
                     "$1" &)
                  wait_for "$1/near"
                  wait_for "$1/away"
                  )",
                             kSleep)),
            0)
      << err_;
  EXPECT_EQ(Pids().size(), 4u);
}

TEST_F(LaunchTest, TasksDieWithTheLauncher) {
  const auto launcher = Start("chief=1,ps=2", {}, kDeaf);
  for (const char* task : {"chief-0", "ps-0", "ps-1"}) AwaitBegun(task);
  EXPECT_EQ(Pids().size(), 3u);
  launcher->Signal(SIGKILL);
  EXPECT_EQ(launcher->Wait(), -SIGKILL);
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  for (const pid_t pid : Pids()) {
    while (IsAlive(pid) && absl::Now() < deadline) {
      absl::SleepFor(absl::Milliseconds(1));
    }
  }
}

TEST_F(LaunchTest, DoesNotWaitForWhoeverReadsItsOutput) {
  const std::string fifo = folder_.Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const FileDescriptor reader(open(fifo.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(reader.is_open());
  const auto args = Args("worker=1", {},
                         "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); echo "
                         "0123456789012345678901234567890123456789 $i; done");
  const pid_t pid =
      testing::Spawn(LEAT_PROGRAM_LEAT, args, {}, fifo, folder_.Path("err"));
  ASSERT_GE(pid, 0);
  EXPECT_EQ(testing::WaitFor(pid), 0);
  EXPECT_THAT(LogOf("worker-0"), HasSubstr(" 30000\n"));
  EXPECT_THAT(ReadFile(folder_.Path("err")),
              HasSubstr("leat launch is waiting for somebody to read the rest "
                        "of its output, and drops it in "));
}

TEST_F(LaunchTest, TellsWhatItCannotRun) {
  const auto code = [this](const std::vector<std::string>& args) {
    Process launcher(LEAT_PROGRAM_LEAT, args);
    const int exit_code = launcher.Wait();
    err_ = launcher.Err();
    return exit_code;
  };
  const std::string file = folder_.Path("file");
  std::ofstream(file) << "no program";
  EXPECT_EQ(code({"launch", "--jobs", "ps=1", "--", file + "x"}), 127);
  EXPECT_THAT(
      err_, HasSubstr(absl::StrCat("the program '", file, "x' cannot be run")));
  EXPECT_EQ(code({"launch", "--jobs", "ps=1", "--", file}), 126);
  EXPECT_THAT(
      err_, HasSubstr(absl::StrCat("the program '", file, "' cannot be run")));
  EXPECT_EQ(code({"launch", "--jobs", "ps=1"}), 2);
  EXPECT_THAT(err_, HasSubstr("PROGRAM"));
  EXPECT_EQ(code({"launch", "--jobs", "ps=1", "--"}), 2);
  EXPECT_EQ(code({"launch", "--", "true"}), 2);
  EXPECT_THAT(err_, HasSubstr("--jobs"));
  EXPECT_EQ(code({"launch", "--jobs", "chief=2", "--", "true"}), 2);
  EXPECT_THAT(err_, HasSubstr("one chief at most"));
  EXPECT_EQ(
      code({"launch", "--jobs", "ps=1", "--max-restarts", "-1", "--", "true"}),
      2);
  EXPECT_EQ(code({"launch", "--jobs", "ps=1", "--logs", file, "--", "true"}),
            3);
  EXPECT_THAT(err_, HasSubstr(file));
  EXPECT_EQ(code({"run", "launch", "--", "x"}), 2);
}

TEST_F(LaunchTest, WritesNoLogIntoAPipe) {
  std::filesystem::create_directories(folder_.Path("logs"));
  const std::string fifo = folder_.Path("logs/ps-0.log");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(Run("ps=1", {}, "exit 0"), 3);
  EXPECT_THAT(err_, HasSubstr(fifo));
}

TEST_F(LaunchTest, PassesArgumentsToTheLetter) {
  Process launcher(LEAT_PROGRAM_LEAT,
                   {"launch", "--jobs", "ps=1", "--", "printf", "<%s>", "--",
                    "[1,2]", "--jobs", "", "a b"});
  EXPECT_EQ(launcher.Wait(), 0) << launcher.Err();
  EXPECT_THAT(launcher.Out(), HasSubstr("[ps-0] <--><[1,2]><--jobs><><a b>\n"));
}

TEST_F(LaunchTest, StartsServers) {
  const std::string graph = folder_.Path("graph.pbtxt");
  std::ofstream(graph) << R"(
    node { name: "c" op: "Const" device: "/job:ps/task:1"
           attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "value" value { tensor {
             dtype: DT_FLOAT tensor_shape { } float_val: 4 } } } })";
  // The chief also runs a server, because a master waits for all tasks.
  EXPECT_EQ(Run("chief=1,ps=2", {},
                absl::StrCat("leat=", LEAT_PROGRAM_LEAT,
                             R"(; [ $job = ps ] && exec $leat serve
                 $leat serve &
                 ps=${TF_CONFIG##*'"ps":["'}; ps=${ps%%'"'*}
                 until $leat run ")",
                             graph,
                             R"(" --target grpc://$ps --fetch c; do
                   sleep 0.2
                 done)")),
            0)
      << err_ << out_;
  EXPECT_THAT(LogOf("chief-0"), HasSubstr("c float[] 4\n"));
  EXPECT_THAT(LogOf("ps-1"), AllOf(HasSubstr("ready /job:ps/replica:0/task:1"),
                                   HasSubstr("exit code 143")));
}

}  // namespace
}  // namespace leat::launch_test
