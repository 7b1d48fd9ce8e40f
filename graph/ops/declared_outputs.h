// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeclaredOutputs is the shape function of ops whose attr output_shapes has the
// shapes of all outputs. It is stateless.
#ifndef LEAT_GRAPH_OPS_DECLARED_OUTPUTS_H_
#define LEAT_GRAPH_OPS_DECLARED_OUTPUTS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops {

// Returns INVALID_ARGUMENT if there is not one shape for each output.
inline absl::Status DeclaredOutputs(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      const std::vector<PartialShape> shapes,
      context.Attr<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != context.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_shapes has ", shapes.size(), " shapes for ",
                     context.num_outputs(), " outputs"));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    context.set_output(static_cast<int>(i), shapes[i]);
  }
  return absl::OkStatus();
}

}  // namespace leat::ops

#endif  // LEAT_GRAPH_OPS_DECLARED_OUTPUTS_H_
