// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/dataset_kernel.h"

#include <algorithm>
#include <vector>

#include "leat/core/status_macros.h"

namespace leat::kernels {

absl::StatusOr<ElementSpec> OutputSpec(const NodeDef& node) {
  ElementSpec spec;
  LEAT_ASSIGN_OR_RETURN(spec.dtypes,
                        node.attrs.Get<std::vector<DType>>("output_types"));
  LEAT_ASSIGN_OR_RETURN(
      spec.shapes, node.attrs.Get<std::vector<PartialShape>>("output_shapes"));
  if (spec.dtypes.size() != spec.shapes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_types and output_shapes must have the same "
                     "length, but have ",
                     spec.dtypes.size(), " and ", spec.shapes.size()));
  }
  return spec;
}

absl::Status SetDataset(KernelContext& context, DatasetPtr dataset) {
  int num_below = 0;
  for (int i = 0; i < context.num_inputs(); ++i) {
    num_below = std::max(num_below, NumDatasetsIn(context.input(i)));
  }
  if (num_below >= kMaxStageDepth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("an input pipeline has more than ", kMaxStageDepth,
                     " datasets upon one another, which is the limit"));
  }
  context.set_output(0, TensorOf(std::move(dataset), num_below));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> BatchSizeArgument(const KernelContext& context, int i) {
  LEAT_ASSIGN_OR_RETURN(const int64_t size,
                        ScalarArgument<int64_t>(context, i, "batch_size"));
  if (size > 0) return size;
  return absl::InvalidArgumentError("Batch size must be greater than zero.");
}

void StartWithFunction(KernelContext& context, DatasetFunctionRequest request,
                       DatasetDone done,
                       absl::AnyInvocable<absl::StatusOr<DatasetPtr>(
                                              DatasetPtr, DatasetFunction) &&>
                           make) {
  absl::StatusOr<DatasetPtr> input = InputDataset(context);
  if (!input.ok()) return std::move(done)(input.status());
  request.arg_types = (*input)->spec().dtypes;
  DatasetFunction::Find(
      context, request,
      [input = *input, done = std::move(done),
       make = std::move(make)](DatasetFunction::Found function) mutable {
        if (!function.ok()) return std::move(done)(function.status());
        std::move(done)(
            std::move(make)(std::move(input), *std::move(function)));
      });
}

}  // namespace leat::kernels
