// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphRunner: the graphs of one task, each split by device and compiled, and
// running their steps on all of its devices. One per session. Thread-safe.
#ifndef LEAT_RUNTIME_GRAPH_RUNNER_H_
#define LEAT_RUNTIME_GRAPH_RUNNER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/device_resources.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/executor.h"
#include "leat/runtime/session_devices.h"
#include "leat/runtime/session_kernels.h"
#include "leat/runtime/step.h"

namespace leat {

// A compiled graph of this task: an executor per device it uses. The devices
// and their resources must outlive it.
struct CompiledGraph {
  std::vector<std::unique_ptr<Executor>> executors;
};

// When a step must have ended, and the time it was given for that.
struct StepDeadline {
  std::chrono::steady_clock::time_point at = {};
  std::chrono::nanoseconds timeout = {};
  bool is_longest = false;  // The most that any step gets.
};

class GraphRunner {
 public:
  using Done = absl::AnyInvocable<void(absl::Status) &&>;

  // All are borrowed and outlive this. `resources`: devices.resources(), or
  // those of an isolated session. `session_devices`, not null for a session
  // whose memory is limited: what its kernels run on.
  GraphRunner(DeviceSet& devices, DeviceResources& resources,
              const KernelRegistry& kernels,
              const SessionDevices* session_devices = nullptr)
      : devices_(devices),
        resources_(resources),
        session_devices_(session_devices),
        kernels_(kernels) {}

  // Compiles a graph whose nodes all have an assigned device of this task.
  // INVALID_ARGUMENT naming the node, op and device for one that cannot run.
  absl::StatusOr<std::shared_ptr<CompiledGraph>> Register(Graph graph);

  // Runs a step and waits for its end. DEADLINE_EXCEEDED, naming the timeout,
  // when that has not come by `deadline`; once it has passed, nothing is begun.
  // FAILED_PRECONDITION on a thread of the compute pool, which must never wait.
  absl::Status Run(CompiledGraph& graph, Step& step,
                   const std::optional<StepDeadline>& deadline = {});

  // Starts a step and returns; may be called on any thread, which runs only
  // what is quick. `done` is called exactly once, on any thread, perhaps before
  // this returns, with step.status() as it is when every kernel has called
  // done; it must not block. `graph` is kept until then, `step` lives until
  // then and until every call of its Fail has returned. Whoever wants a
  // deadline fails the step.
  void Start(std::shared_ptr<CompiledGraph> graph, Step& step, Done done);

  DeviceSet& devices() { return devices_; }

 private:
  DeviceSet& devices_;
  DeviceResources& resources_;
  const SessionDevices* const session_devices_;
  SessionKernels kernels_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_GRAPH_RUNNER_H_
