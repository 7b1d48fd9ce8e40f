// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LocalSession: plans and runs a graph on the devices of this process. While a
// step is planned, others are planned and run, and the session may be closed
// (the step that is planned then fails). The last 1,000 plans are kept; a
// Callable keeps its own.
#ifndef LEAT_RUNTIME_LOCAL_SESSION_H_
#define LEAT_RUNTIME_LOCAL_SESSION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "leat/graph/lower.h"
#include "leat/graph/pass.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/partitioner/policy.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session.h"

namespace leat {

// The kernels of this library.
const KernelRegistry& BuiltinKernels();

struct LocalSessionOptions {
  DeviceSetOptions devices = {};
  // Devices to share with other sessions of this process, with their
  // variables; `devices` is then not used.
  std::shared_ptr<DeviceSet> device_set = {};
  bool allow_soft_placement = false;
  std::string placement_policy = kDefaultPolicy;
  // How large the graph may become when its functions are inlined.
  LowerLimits lower_limits = {};
  // What is done to the graph of a step before it is compiled.
  OptimizerOptions optimizer = {};
  // Borrowed, outlives the session; null: BuiltinPasses().
  const PassRegistry* passes = nullptr;
};

// Plans the whole graph: INVALID_ARGUMENT naming the node that cannot be
// placed, RESOURCE_EXHAUSTED above `lower_limits` (Extend too). `kernels` is
// borrowed and outlives the session.
absl::StatusOr<std::shared_ptr<Session>> NewLocalSession(
    const Graph& graph, const LocalSessionOptions& options = {},
    const KernelRegistry& kernels = BuiltinKernels());

}  // namespace leat

#endif  // LEAT_RUNTIME_LOCAL_SESSION_H_
