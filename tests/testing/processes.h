// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs programs for tests. Their output goes to files, so that they never wait
// for a reader. Every wait is bounded.
#ifndef LEAT_TESTS_TESTING_PROCESSES_H_
#define LEAT_TESTS_TESTING_PROCESSES_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::testing {

// Returns the content of a file, or "" if it cannot be read.
std::string ReadFile(const std::string& path);

// Waits until the file at `path` contains `text`. Fails the test and returns
// false if the file does not contain it after `timeout`.
bool AwaitText(const std::string& path, const std::string& text,
               absl::Duration timeout = absl::Seconds(60));

// Starts a program whose standard input is empty. `out` and `err` are the files
// for its output. Each of `variables` has the form "NAME=value". The
// environment of this process is passed on without LEAT_*, TF_CONFIG, TERM and
// NO_COLOR. If `has_own_group` is true, the program gets a process group of its
// own. Returns -1, and fails the test, if the program cannot be started.
pid_t Spawn(const std::string& program, const std::vector<std::string>& args,
            const std::vector<std::string>& variables, const std::string& out,
            const std::string& err, bool has_own_group = false);

// Waits for a child process and returns its exit code, or -N if signal N ended
// it. If the process has not ended after `timeout`, kills it and fails the
// test.
int WaitFor(pid_t pid, absl::Duration timeout = absl::Seconds(60));

// A Process is a program that runs in the background. The destructor kills the
// program if it still runs. A Process is used by one thread. A Process owns the
// folder of its output files.
class Process {
 public:
  // Starts the program, as Spawn does.
  Process(const std::string& program, const std::vector<std::string>& args,
          const std::vector<std::string>& variables = {},
          bool has_own_group = false);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits for the first whole line of standard output and returns it. Fails the
  // test and returns "" if there is no line after `timeout`, or if the program
  // ends first.
  std::string FirstLine(absl::Duration timeout = absl::Seconds(30));

  // Waits until standard error contains `text`. Fails the test and returns
  // false if the text is not there after `timeout`, or if the program ends
  // first.
  bool AwaitError(const std::string& text,
                  absl::Duration timeout = absl::Seconds(60));

  void Signal(int signal);
  // Sends SIGSTOP. No thread of the process runs any more when this returns.
  void Stop();
  // Waits as WaitFor does. REQUIRES: not called before.
  int Wait(absl::Duration timeout = absl::Seconds(60));
  bool IsRunning();
  // Returns -1 after Wait or IsRunning has noticed the end of the process.
  pid_t pid() const { return pid_; }

  std::string Out() const { return ReadFile(folder_.Path("out")); }
  std::string Err() const { return ReadFile(folder_.Path("err")); }

  // These functions return numbers from Linux's /proc for the process, or 0 if
  // the process has ended.
  int64_t ResidentBytes() const;
  int NumOpenFiles() const;
  int NumThreads() const;

 private:
  const TemporaryFolder folder_;
  pid_t pid_ = -1;  // -1 after the end of the process was noticed
  int code_ = 0;
};

// Returns the arguments of `leat serve` for the only task of job ps. The task
// listens at `address`, by default on a free port.
std::vector<std::string> ServeAlone(const std::string& address = "127.0.0.1:0");

// Returns arguments for /bin/sh. With these arguments, the shell sets a limit,
// such as "-n 200" (see ulimit), and then becomes `program` with the arguments
// `args`.
std::vector<std::string> ArgsUnder(const std::string& limit,
                                   const std::string& program,
                                   const std::vector<std::string>& args);

// Returns arguments for /bin/sh. With these arguments, the shell sets `limit`
// and then becomes `program`, which is leat. The program runs the server of
// ServeAlone with the additional flags `more`.
std::vector<std::string> ServeAloneUnder(
    const std::string& program, const std::string& limit,
    const std::vector<std::string>& more = {});

// Returns the address of a server that ServeAlone has started. Waits until the
// server is ready. Fails the test, and returns "", if it does not become ready.
std::string AddressOf(Process& server);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_PROCESSES_H_
