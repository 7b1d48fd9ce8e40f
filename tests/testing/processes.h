// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Programs that tests start. Their streams go to files, so that nothing waits
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

// The content of a file, "" when there is none.
std::string ReadFile(const std::string& path);

// Starts a program with no input; -1, and the test fails, when it cannot.
// `variables` are "NAME=value"; none of ours (LEAT_*, TF_CONFIG) and of
// terminals are passed on.
pid_t Spawn(const std::string& program, const std::vector<std::string>& args,
            const std::vector<std::string>& variables, const std::string& out,
            const std::string& err);

// Its exit code, or -N when signal N ended it. What does not end by then is
// killed, and the test fails.
int WaitFor(pid_t pid, absl::Duration timeout = absl::Seconds(60));

// A program that runs until it is told to end, killed by the destructor at the
// latest. Used by one thread.
class Process {
 public:
  Process(const std::string& program, const std::vector<std::string>& args,
          const std::vector<std::string>& variables = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The first whole line of standard output; "", and the test fails, when there
  // is none in time or when it ends before.
  std::string FirstLine(absl::Duration timeout = absl::Seconds(30));

  void Signal(int signal);
  // SIGSTOP. When it returns, no thread of the process runs any more.
  void Stop();
  // As WaitFor. REQUIRES: not called before.
  int Wait(absl::Duration timeout = absl::Seconds(60));
  bool IsRunning();
  pid_t pid() const { return pid_; }  // -1 when it is known to have ended

  std::string Out() const { return ReadFile(folder_.Path("out")); }
  std::string Err() const { return ReadFile(folder_.Path("err")); }

  // Of the kernel; 0 when it has ended.
  int64_t ResidentBytes() const;
  int NumOpenFiles() const;

 private:
  const TemporaryFolder folder_;
  pid_t pid_ = -1;  // -1: it has ended
  int code_ = 0;
};

// `leat serve` on a free port, or at `address`, as the only task of job ps.
std::vector<std::string> ServeAlone(const std::string& address = "127.0.0.1:0");

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_PROCESSES_H_
