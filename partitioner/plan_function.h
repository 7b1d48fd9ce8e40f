// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanFunction plans the calls that kernels make of one function while a step
// runs (kernels/function_caller.h). It does for a function what PrepareGraph
// and PlanStep do for the graph of a client.
#ifndef LEAT_PARTITIONER_PLAN_FUNCTION_H_
#define LEAT_PARTITIONER_PLAN_FUNCTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/core/dtype.h"
#include "leat/graph/attr.h"
#include "leat/graph/function_library.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat {

// Describes a function as its caller wants to use it. Everything is borrowed.
struct FunctionToPlan {
  const FunctionRef& function;
  const FunctionLibrary& library;
  const OpRegistry& ops;
  absl::Span<const DType> arg_types = {};
  absl::Span<const DType> return_types = {};
  // The nodes that request no other device run on this device.
  absl::string_view device = {};
  // Is empty, or has a device for each argument. An argument that is a handle
  // has the device of the resource, so that nodes that use it are placed there.
  // The others have empty names.
  absl::Span<const std::string> arg_devices = {};
};

// Returns a plan for `devices`, which are devices of one task. The feeds of the
// plan are the arguments, and its fetches are the results. Nodes of the
// function that must run although no result needs them are targets. Fails with
// INVALID_ARGUMENT if the library does not have the function, or if the types
// of its arguments or results are not those of `wanted`. Also fails as
// PrepareGraph and PlanStep do.
absl::StatusOr<StepPlan> PlanFunction(const FunctionToPlan& wanted,
                                      absl::Span<const DeviceInfo> devices,
                                      const PrepareOptions& prepare,
                                      const PlanOptions& plan);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PLAN_FUNCTION_H_
