// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReplicaDeviceSetter: the device function of between-graph training. Every
// worker builds its own copy of the graph under
//
//   Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
//       {.ps_tasks = 2, .worker_device = "/job:worker/task:1"}));
//
// Variables go to tasks of "/job:ps", everything else to the worker. Where a
// variable goes depends on the nodes before it only, so that all copies agree
// (tf.compat.v1.train.replica_device_setter). Not thread-safe, like builders.
#ifndef LEAT_TRAIN_NN_REPLICA_DEVICE_SETTER_H_
#define LEAT_TRAIN_NN_REPLICA_DEVICE_SETTER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/builder.h"

namespace leat::nn {

// The number of the parameter server's task for a node that belongs on one.
// Copies share what they remember.
using PsStrategy = std::function<absl::StatusOr<int>(const NodeDef& node)>;

// 0, 1, ... ps_tasks - 1, 0, ...
PsStrategy RoundRobin(int ps_tasks);

// The task with the fewest bytes of variables so far
// (tf.contrib.training.GreedyLoadBalancingStrategy with byte_size_load_fn, but
// here handles of resources count as what they stand for). An element of a
// string variable counts 8 bytes, a node that is no variable 1 in all.
// INVALID_ARGUMENT for a variable whose shape is not fully known.
PsStrategy GreedyByBytes(int ps_tasks);

// The ops that TensorFlow puts on parameter servers: variables, hash tables and
// others that keep state.
const std::vector<std::string>& StandardPsOps();

struct ReplicaDeviceSetterOptions {
  int ps_tasks = 0;  // 0: the function says nothing about any node
  std::string ps_device = "/job:ps";
  std::string worker_device = "/job:worker";  // such as "/job:worker/task:0"
  std::vector<std::string> ps_ops = StandardPsOps();
  PsStrategy strategy = {};  // empty: RoundRobin(ps_tasks)
};

// A node that inner scopes put into another job than that of `ps_device` does
// not ask the strategy. Errors (a malformed device, a task that is none of
// ps_tasks) are the node's.
DeviceFunction ReplicaDeviceSetter(ReplicaDeviceSetterOptions options);

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_REPLICA_DEVICE_SETTER_H_
