// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphCompiler compiles graphs for the devices of this task, as one session
// sees them. What it has compiled may outlive the session: an iterator, for
// example, goes on calling its functions.
#ifndef LEAT_RUNTIME_GRAPH_COMPILER_H_
#define LEAT_RUNTIME_GRAPH_COMPILER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/kernels/function_caller.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/device_resources.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/executor/executor.h"
#include "leat/runtime/executor/session_kernels.h"
#include "leat/runtime/session_devices.h"

namespace leat {

class GraphSampler;

// Describes a graph that was compiled for the devices of this task: one
// executor for each device that the graph uses. It must not outlive the
// DeviceSet.
struct CompiledGraph {
  // Calls the functions of the graph. Null if there are none, and if the graph
  // is a function that uses the object of the graph that calls it.
  std::shared_ptr<FunctionCaller> functions;
  std::vector<std::unique_ptr<Executor>> executors;
  // Measures what the nodes cost. It is null if the DeviceSet has no
  // CostRecorder, and for a function.
  std::shared_ptr<GraphSampler> sampler;
};

// Is thread-safe. A shared_ptr owns it, and the graphs that it compiles share
// its ownership.
class GraphCompiler : public std::enable_shared_from_this<GraphCompiler> {
 public:
  // `devices` and `kernels` are borrowed and must outlive everything that is
  // compiled. `resources` and `session_devices` (null if the memory of the
  // session is not limited) are kept alive by `owner`, or outlive `devices`.
  GraphCompiler(DeviceSet& devices, DeviceResources& resources,
                const KernelRegistry& kernels,
                const SessionDevices* session_devices,
                std::shared_ptr<const void> owner)
      : devices_(devices),
        resources_(resources),
        registry_(kernels),
        session_devices_(session_devices),
        owner_(std::move(owner)) {}

  // Splits `graph` by device and adds an executor for each part to `compiled`.
  // `kernels` makes the kernels. `functions` is borrowed. It calls the
  // functions that the kernels call, or is null. Returns INVALID_ARGUMENT,
  // naming the node, op and device, for a node that cannot run there.
  absl::Status Compile(Graph graph, SessionKernels& kernels,
                       FunctionCaller* functions, CompiledGraph& compiled);

  DeviceSet& devices() { return devices_; }
  const KernelRegistry& registry() const { return registry_; }

 private:
  DeviceSet& devices_;
  DeviceResources& resources_;
  const KernelRegistry& registry_;
  const SessionDevices* const session_devices_;
  const std::shared_ptr<const void> owner_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_GRAPH_COMPILER_H_
