// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of DatasetCardinality.
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::cardinality {
namespace {

absl::Status Cardinality(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DatasetPtr dataset, InputDataset(context));
  context.set_output(0, Tensor::Scalar<int64_t>(dataset->Cardinality()));
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("DatasetCardinality", kCpu, &MakeFunction<&Cardinality>);
}

}  // namespace leat::kernels::datasets::cardinality
