// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines _Arg and _Retval, through which tensors go into and out of a function
// or a partition.
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::arguments {
namespace {

// Gives output 0 the shape in the attr _output_shapes, if the node has this
// attr. An importer or a caller may have set it.
absl::Status ArgShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      const std::vector<PartialShape> shapes,
      context.attrs().GetOr<std::vector<PartialShape>>("_output_shapes", {}));
  if (shapes.size() == 1) context.set_output(0, shapes[0]);
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "_Arg",
                .doc = "Returns the argument number index of the function or "
                       "partition that the node is in.",
                .outputs = {"output: T"},
                .attrs = {"T: type", "index: int >= 0"},
                .stateful = true,
                .shape = ArgShape,
                .work = works::Nothing},
               RoutesOnAllDevices());

  registry.Add({.name = "_Retval",
                .doc = "Makes a tensor the result number index of the function "
                       "or partition that the node is in.",
                .inputs = {"input: T"},
                .attrs = {"T: type", "index: int >= 0"},
                .stateful = true,
                .shape = shapes::NoOutputs,
                .work = works::Nothing},
               RoutesOnAllDevices());
}

}  // namespace leat::ops::arguments
