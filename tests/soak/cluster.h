// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SoakCluster is the cluster that the soak disturbs. It has two workers and two
// parameter servers with small limits. Each of these tasks is behind a proxy
// that can act as a bad network.
#ifndef LEAT_TESTS_SOAK_CLUSTER_H_
#define LEAT_TESTS_SOAK_CLUSTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/tcp_proxy.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::soak {

inline constexpr int kWorkers = 2;
inline constexpr int kPs = 2;

// These are the limits of each task.
inline constexpr int64_t kMaxMessageBytes = 8 << 20;
inline constexpr int64_t kMaxTransportBytes = 16 << 20;
inline constexpr int kMaxConnections = 100;
inline constexpr int kMaxGraphNodes = 500;

// Says how much of each resource a process uses.
struct Usage {
  int descriptors = 0;
  int threads = 0;
  int64_t resident_bytes = 0;
  // Holds the bytes of the tensors. They are measured only when the task is
  // idle.
  int64_t live_bytes = 0;

  // Raise sets each number to the larger one of this Usage and `other`. Lower
  // sets each number to the smaller one.
  void Raise(const Usage& other);
  void Lower(const Usage& other);
  // Returns a text such as "3 descriptors, ...".
  std::string Text() const;
};

// Is not thread-safe. If the tasks do not start, the constructor makes the test
// fail.
class SoakCluster {
 public:
  SoakCluster();

  testing::ServedCluster& served() { return served_; }
  Transport& transport() { return *transport_; }
  std::vector<TaskId> tasks() const { return served_.tasks(); }
  // Returns the folder to which all tasks write their plans.
  std::string dump_folder() const { return folder_.Path("plans"); }

  // Kill kills a task. Restart starts it again.
  void Kill(const TaskId& task);
  void Restart(const TaskId& task) { served_.Start(task); }
  testing::TcpProxy& network(const TaskId& task) {
    return *proxies_.at(Key(task));
  }

  // Measures how much the processes use now. TakeHighest uses the result.
  void Measure();
  // Returns the highest numbers that Measure has found for any process since
  // the last call of TakeHighest.
  Usage TakeHighest();

  // Returns the number of connections that the task has refused.
  int64_t NumRefused(const TaskId& task);
  // Expects that the number of refused connections of the task exceeds `before`
  // within a minute.
  void ExpectRefuses(const TaskId& task, int64_t before);
  // Expects that all processes run. Returns false if one has ended.
  bool ExpectRunning();
  // Expects that each task reports that it is serving.
  void ExpectServing();
  // Expects that each process uses only slightly more than at earlier times
  // when it was idle, and that its tensors use no more memory. REQUIRES: all
  // tasks are idle.
  void ExpectNothingLeaked();
  // Removes the plans that were written.
  void RemovePlans() const;
  // Returns the last lines of each task's log.
  std::string Logs();

 private:
  using TaskKey = std::pair<std::string, int>;
  static TaskKey Key(const TaskId& task) { return {task.job, task.index}; }
  static testing::ServedClusterOptions Options(const std::string& dump_folder);
  Usage UsageOf(const TaskId& task);
  absl::StatusOr<Usage> IdleUsageOf(const TaskId& task);

  const TemporaryFolder folder_;
  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  testing::ServedCluster served_;
  std::map<TaskKey, std::unique_ptr<testing::TcpProxy>> proxies_;
  // Holds the lowest numbers that were measured for each process when it was
  // idle.
  std::map<TaskKey, Usage> least_;
  Usage highest_;
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_CLUSTER_H_
