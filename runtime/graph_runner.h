// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphRunner compiles the graphs of one task and runs their steps on all of
// the task's devices. LocalSession uses it for a whole graph. A worker uses it
// for the part of a graph that a master has given to the worker.
#ifndef LEAT_RUNTIME_GRAPH_RUNNER_H_
#define LEAT_RUNTIME_GRAPH_RUNNER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/device_resources.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/executor/session_kernels.h"
#include "leat/runtime/executor/step.h"
#include "leat/runtime/function_planning.h"
#include "leat/runtime/graph_compiler.h"
#include "leat/runtime/session_devices.h"
#include "leat/runtime/step_deadline.h"

namespace leat {

// Is thread-safe. Each session has its own GraphRunner, because stateful
// kernels belong to a session (SessionKernels).
class GraphRunner {
 public:
  using Done = absl::AnyInvocable<void(absl::Status) &&>;

  // `devices`, `kernels` and what `planning` borrows must outlive the
  // GraphRunner and the graphs that it compiles. `resources` is
  // devices.resources() or, for an isolated session, the session's own
  // DeviceResources. If the memory of the session is limited, its kernels run
  // on `session_devices`. Otherwise `session_devices` is null. `owner` keeps
  // these two alive for graphs that outlive the session; it is null if they
  // outlive all graphs anyway. `planning` says how functions are planned that
  // kernels call.
  GraphRunner(DeviceSet& devices, DeviceResources& resources,
              const KernelRegistry& kernels,
              const SessionDevices* session_devices = nullptr,
              const FunctionPlanning& planning = {},
              std::shared_ptr<const void> owner = nullptr)
      : compiler_(std::make_shared<GraphCompiler>(
            devices, resources, kernels, session_devices, std::move(owner))),
        planning_(planning),
        kernels_(kernels) {}

  // Splits `graph` by device and compiles each part. Every node must have an
  // assigned device of this task. Returns INVALID_ARGUMENT, naming the node, op
  // and device, for a node that cannot run there.
  absl::StatusOr<std::shared_ptr<CompiledGraph>> Register(Graph graph);

  // Runs a step, waits until it has ended and returns its outcome.
  //
  // Returns DEADLINE_EXCEEDED, naming the timeout, if the step has not ended by
  // `deadline`. If `deadline` has passed before the call, no kernel is started.
  // Returns FAILED_PRECONDITION if the calling thread is a thread of the
  // compute pool, because these threads must never wait.
  absl::Status Run(CompiledGraph& graph, Step& step,
                   const std::optional<StepDeadline>& deadline = {});

  // Starts a step and returns without waiting. May be called on any thread. If
  // `computes` is false, the calling thread runs quick instructions only.
  // Otherwise it must be a thread that may compute. It then works on the step
  // until no more instructions are ready for it.
  //
  // Calls `done` exactly once, on any thread, with step.status(), when every
  // kernel of the step has ended. The call may come before Start returns.
  // `done` must not block. The runner keeps `graph` until it calls `done`.
  // `step` must live until `done` is called and every call of step.Fail has
  // returned. A caller that wants a deadline calls step.Fail when the deadline
  // has passed.
  static void Start(std::shared_ptr<CompiledGraph> graph, Step& step, Done done,
                    bool computes = false);

  DeviceSet& devices() { return compiler_->devices(); }

 private:
  const std::shared_ptr<GraphCompiler> compiler_;
  const FunctionPlanning planning_;
  SessionKernels kernels_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_GRAPH_RUNNER_H_
