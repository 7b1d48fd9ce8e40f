// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Processes runs a cluster of `leat serve` processes on free ports of this
// machine, for benchmarks. An error prints a message and ends the program.
#ifndef LEAT_BENCH_PROCESSES_H_
#define LEAT_BENCH_PROCESSES_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace leat::bench {

// Is the number of tasks of each job, such as {{"ps", 1}, {"worker", 2}}.
using Jobs = std::map<std::string, int>;

// Is a child process. This object reads the standard output of the process
// through a pipe, and kills the process when it is destroyed. A ChildProcess is
// used by one thread.
class ChildProcess {
 public:
  // Starts command[0] with the other elements as arguments.
  explicit ChildProcess(const std::vector<std::string>& command);
  // Kills the process.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  // Waits for the next line of the process's output and returns the line.
  std::string ReadLine();

 private:
  pid_t pid_ = -1;
  int output_ = -1;  // read end of the pipe
};

// Is a running cluster. Is used by one thread. Destroying it kills the tasks.
class Processes {
 public:
  // Starts all tasks, and returns when all of them serve. `leat` is the path of
  // the program. Every task gets `flags`, which are further flags of `leat
  // serve`.
  Processes(const std::string& leat, const Jobs& jobs,
            const std::vector<std::string>& flags = {});

  // Returns the target of a task, such as "grpc://127.0.0.1:7001".
  std::string Target(const std::string& job, int task) const;

 private:
  // Holds the ports of each job's tasks, by index.
  std::map<std::string, std::vector<int>> ports_;
  std::vector<ChildProcess> processes_;
};

// Returns the path of the folder that contains this program.
std::string OwnFolder();

}  // namespace leat::bench

#endif  // LEAT_BENCH_PROCESSES_H_
