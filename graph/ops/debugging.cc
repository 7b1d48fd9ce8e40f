// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Abort, Assert, CheckNumerics, Print and PrintV2.
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::debugging {
namespace {

absl::Status PrintV2Shape(InferenceContext& context) {
  return context.WithRank(0, 0).status();
}

// Passes its input on.
Work CheckWork(const WorkContext& context) {
  return {.flops = context.input(0).num_elements(),
          .bytes_read = context.input(0).num_bytes()};
}

void AddAbortAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "Abort",
       .doc = "Ends the step with the error error_msg.",
       .attrs = {"error_msg: string = ''", "exit_without_error: bool = false"},
       .shape = shapes::NoOutputs},
      {NotFoldable(OnCpu())});

  registry.Add({.name = "Assert",
                .doc = "Ends the step with an error that shows data, unless "
                       "condition is true.",
                .inputs = {"condition: bool", "data: T"},
                .attrs = {"T: list(type)", "summarize: int = 3"},
                .stateful = true,
                .shape = shapes::NoOutputs,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), HostOnGpu()});

  registry.Add(
      {.name = "CheckNumerics",
       .doc =
           "Passes on a tensor, but fails if it contains a NaN or an infinity.",
       .inputs = {"tensor: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {bfloat16, half, float, double}", "message: string"},
       .stateful = true,
       .shape = shapes::Unchanged,
       .work = CheckWork},
      {NotFoldable(OnCpu({{"T", kFloats.dtypes()}}))});

  registry.Add(
      {.name = "Print",
       .doc = "Passes on its input, and prints message and data to standard "
              "error.",
       .inputs = {"input: T", "data: U"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "U: list(type) >= 0", "message: string = ''",
                 "first_n: int = -1", "summarize: int = 3"},
       .stateful = true,
       .shape = shapes::Unchanged},
      {NotFoldable(OnCpu())});
}

void AddPrintV2(OpRegistry& registry) {
  registry.Add(
      {.name = "PrintV2",
       .doc = "Prints a string to standard error.",
       .inputs = {"input: string"},
       .attrs = {"output_stream: string = 'stderr'", "end: string = '\\n'"},
       .stateful = true,
       .shape = PrintV2Shape},
      {NotFoldable(OnCpu())});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddAbortAndOthers(registry);
  AddPrintV2(registry);
}

}  // namespace leat::ops::debugging
