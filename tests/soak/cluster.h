// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SoakCluster is the cluster that the soak disturbs: two workers and two
// parameter servers with small limits, each behind a proxy that can be a bad
// network.
#ifndef LEAT_TESTS_SOAK_CLUSTER_H_
#define LEAT_TESTS_SOAK_CLUSTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/soak/tcp_proxy.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::soak {

inline constexpr int kWorkers = 2;
inline constexpr int kPs = 2;

// The limits of each task.
inline constexpr int64_t kMaxMessageBytes = 8 << 20;
inline constexpr int64_t kMaxTransportBytes = 16 << 20;
inline constexpr int kMaxConnections = 100;
inline constexpr int kMaxGraphNodes = 500;

// What a process uses.
struct Usage {
  int descriptors = 0;
  int threads = 0;
  int64_t resident_bytes = 0;

  // Sets each number to the larger one.
  void Raise(const Usage& other);
};

// Used by one thread. Fails the test if the tasks do not start.
class SoakCluster {
 public:
  SoakCluster();

  testing::ServedCluster& served() { return served_; }
  Transport& transport() { return *transport_; }
  std::vector<TaskId> tasks() const { return served_.tasks(); }
  // The folder to which all tasks write their plans.
  std::string dump_folder() const { return folder_.Path("plans"); }

  // Kills a task, and starts it again.
  void Kill(const TaskId& task);
  void Restart(const TaskId& task) { served_.Start(task); }
  TcpProxy& network(const TaskId& task) { return *proxies_.at(Key(task)); }

  // Looks at what the processes use now, for `highest`.
  void Measure();
  // Returns the most that any process has used since the last call.
  Usage TakeHighest();

  // Expects that all processes run. Returns false if one has ended.
  bool ExpectRunning();
  // Expects that each task says that it serves.
  void ExpectServing();
  // Expects that each process uses not much more than when it was idle for the
  // first time. REQUIRES: all tasks are idle.
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

  const TemporaryFolder folder_;
  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  testing::ServedCluster served_;
  std::map<TaskKey, std::unique_ptr<TcpProxy>> proxies_;
  // What each process used when it was idle for the first time.
  std::map<TaskKey, Usage> first_;
  Usage highest_;
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_CLUSTER_H_
