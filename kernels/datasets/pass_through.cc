// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of OptionsDataset, OptimizeDatasetV2, RewriteDataset and
// ModelDataset. They have the elements of their input: the options do not
// change elements, and Leat neither rewrites pipelines nor tunes them.
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::pass_through {
namespace {

absl::StatusOr<DatasetPtr> PassThrough(KernelContext& context) {
  return InputDataset(context);
}

}  // namespace

void Register(KernelRegistry& registry) {
  for (const char* op : {"OptionsDataset", "OptimizeDatasetV2",
                         "RewriteDataset", "ModelDataset"}) {
    registry.Add(op, kCpu, &MakeDatasetKernel<&PassThrough>);
  }
}

}  // namespace leat::kernels::datasets::pass_through
