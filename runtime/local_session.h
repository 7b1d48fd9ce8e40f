// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewLocalSession makes a session that plans and runs a graph on the devices of
// this process.
//
//   GraphBuilder b;
//   Output x = b.Placeholder<float>("x");
//   Output y = op::Square(x);
//   LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
//   LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Session> session,
//                         NewLocalSession(graph));
//   LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> fetched,
//                         session->Run({.feeds = {{x, Tensor::Scalar(3.0f)}},
//                                       .fetches = {y}}));
//
// Programs that may also run on a cluster call NewSession (train/session.h).
#ifndef LEAT_RUNTIME_LOCAL_SESSION_H_
#define LEAT_RUNTIME_LOCAL_SESSION_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/partitioner/policy.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session.h"

namespace leat {

// Returns the kernels of this library. The registry is never destroyed.
const KernelRegistry& BuiltinKernels();

// Holds the options for planning and running the steps of a session.
struct LocalSessionOptions {
  // Holds the options for the devices that the session makes for itself.
  DeviceSetOptions devices = {};
  // Holds the devices that this session uses together with other sessions of
  // this process. All of these sessions share the variables on the devices. If
  // this is not null, `devices` is not used.
  std::shared_ptr<DeviceSet> device_set = {};
  // If true, a node goes to another device if the requested device does not
  // exist or has no kernel for the node.
  bool allow_soft_placement = false;
  // Is the name of a policy of partitioner/policies/.
  std::string placement_policy = kDefaultPolicy;
  // Limits the size of the graph while its functions are inlined.
  LowerLimits lower_limits = {};
  // Selects the passes that optimize the graph of a step before the graph is
  // compiled.
  OptimizerOptions optimizer = {};
  // Gets a line "name: (Op): device" for each node when the session is made,
  // and for each new node when it is extended. May be null.
  std::function<void(absl::string_view line)> log_placement = {};
  // Is the clock of deadlines. Is borrowed and must outlive the session. Null
  // stands for RealClock().
  Clock* clock = nullptr;
  // Holds the passes to choose from. Is borrowed and must outlive the session.
  // Null stands for BuiltinPasses().
  const PassRegistry* passes = nullptr;
};

// Makes a session for a copy of `graph`. Places the whole graph, not only the
// part that a step needs. `kernels` is borrowed and must outlive the session.
//
// The session is thread-safe: while one step is being planned, others are
// planned and run. If the session is closed while a step is being planned, that
// step fails. The session keeps the 1,000 plans that were used last; a Callable
// keeps its own plan.
//
// Returns INVALID_ARGUMENT, naming the node, if a node cannot be placed.
// Returns RESOURCE_EXHAUSTED if the graph grows beyond `lower_limits`. Extend
// fails in the same cases.
absl::StatusOr<std::shared_ptr<Session>> NewLocalSession(
    const Graph& graph, const LocalSessionOptions& options = {},
    const KernelRegistry& kernels = BuiltinKernels());

}  // namespace leat

#endif  // LEAT_RUNTIME_LOCAL_SESSION_H_
