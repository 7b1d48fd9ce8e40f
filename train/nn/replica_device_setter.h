// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReplicaDeviceSetter is the device function of between-graph training
// (tf.compat.v1.train.replica_device_setter). Every worker builds its own copy
// of the graph under
//
//   Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
//       {.ps_tasks = 2, .worker_device = "/job:worker/task:1"}));
//
// The variables go to the parameter servers in turn, or in such a way that all
// servers have about the same number of bytes:
//
//   Scope balanced = b.OnDevice(nn::ReplicaDeviceSetter(
//       {.ps_tasks = 2, .strategy = nn::GreedyByBytes(2)}));
//
// Variables go to tasks of "/job:ps", and everything else goes to the worker.
// The task of a variable depends only on the nodes before it, so all copies of
// the graph agree about it. Device functions, like builders, are not
// thread-safe.
#ifndef LEAT_TRAIN_NN_REPLICA_DEVICE_SETTER_H_
#define LEAT_TRAIN_NN_REPLICA_DEVICE_SETTER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/builder/builder.h"

namespace leat::nn {

// Chooses a parameter server for a node that belongs on one, and returns the
// number of its task. A strategy may remember earlier nodes. Copies of a
// strategy share this memory.
using PsStrategy = std::function<absl::StatusOr<int>(const NodeDef& node)>;

// Chooses the tasks in turn: 0, 1, ... ps_tasks - 1, 0, ...
PsStrategy RoundRobin(int ps_tasks);

// Chooses the task that has the fewest bytes of variables so far
// (tf.contrib.training.GreedyLoadBalancingStrategy with byte_size_load_fn).
// Unlike in TensorFlow, the handle of a resource variable counts as many bytes
// as its variable. An element of a string variable counts 8 bytes. A node that
// is not a variable counts 1 byte in all. Returns INVALID_ARGUMENT for a
// variable whose shape is not fully known.
PsStrategy GreedyByBytes(int ps_tasks);

// Returns the ops that TensorFlow puts on parameter servers: variables, hash
// tables and other ops that keep state.
const std::vector<std::string>& StandardPsOps();

// Holds the options of ReplicaDeviceSetter.
struct ReplicaDeviceSetterOptions {
  int ps_tasks = 0;  // if 0, no device is chosen for any node
  std::string ps_device = "/job:ps";
  std::string worker_device = "/job:worker";  // or "/job:worker/task:0"
  // Holds the ops whose nodes belong on parameter servers.
  std::vector<std::string> ps_ops = StandardPsOps();
  PsStrategy strategy = {};  // empty: RoundRobin(ps_tasks)
};

// Returns the device function. If an inner scope requests a job, and this is
// not the job of `ps_device`, the strategy is not asked about the node. Errors
// (a malformed device, a task that is not below `ps_tasks`) become errors of
// the node.
DeviceFunction ReplicaDeviceSetter(ReplicaDeviceSetterOptions options);

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_REPLICA_DEVICE_SETTER_H_
