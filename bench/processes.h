// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Processes: a cluster of `leat serve` processes on free ports of this machine,
// for benchmarks. Failures end the program. Used by one thread.
#ifndef LEAT_BENCH_PROCESSES_H_
#define LEAT_BENCH_PROCESSES_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace leat::bench {

// Tasks per job: {{"ps", 1}, {"worker", 2}}.
using Jobs = std::map<std::string, int>;

// Runs until it is killed. Standard output comes by a pipe.
class ChildProcess {
 public:
  // The first element is the program.
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  // The next line of its output.
  std::string ReadLine();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

class Processes {
 public:
  // All serve when it returns. `leat` is the program's path; `flags` are
  // `leat serve`'s, of every task.
  Processes(const std::string& leat, const Jobs& jobs,
            const std::vector<std::string>& flags = {});

  // "grpc://127.0.0.1:7001".
  std::string Target(const std::string& job, int task) const;

 private:
  std::map<std::string, std::vector<int>> ports_;
  std::vector<ChildProcess> processes_;
};

// Of the folder in which this program lies.
std::string OwnFolder();

}  // namespace leat::bench

#endif  // LEAT_BENCH_PROCESSES_H_
