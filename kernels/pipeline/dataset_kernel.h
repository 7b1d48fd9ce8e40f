// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These templates make kernels whose only output is a dataset, and these
// functions read what nodes of datasets have in common.
//
//   absl::StatusOr<DatasetPtr> MakeTake(KernelContext& context);
//   registry.Add("TakeDataset", kCpu, &MakeDatasetKernel<&MakeTake>);
#ifndef LEAT_KERNELS_PIPELINE_DATASET_KERNEL_H_
#define LEAT_KERNELS_PIPELINE_DATASET_KERNEL_H_

#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/pipeline/dataset.h"
#include "leat/kernels/pipeline/dataset_function.h"

namespace leat::kernels {

// Returns the attrs output_types and output_shapes. Returns INVALID_ARGUMENT if
// their lengths differ.
absl::StatusOr<ElementSpec> OutputSpec(const NodeDef& node);

// Returns the dataset in input `i`.
inline absl::StatusOr<DatasetPtr> InputDataset(const KernelContext& context,
                                               int i = 0) {
  return DatasetOf(context.input(i));
}

// Returns the value of input `i`, which must be a scalar. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if it is none. `name` is the name
// of the input.
template <class T>
absl::StatusOr<T> ScalarArgument(const KernelContext& context, int i,
                                 absl::string_view name) {
  const Tensor& tensor = context.input(i);
  if (tensor.dtype() == kDTypeOf<T> && tensor.rank() == 0) {
    return tensor.scalar<T>();
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " must be a scalar"));
}

// Returns the input batch_size, which is input `i` and must be above 0.
absl::StatusOr<int64_t> BatchSizeArgument(const KernelContext& context, int i);

// Sets output 0 to `dataset`. Returns RESOURCE_EXHAUSTED if more than
// kMaxStageDepth datasets would stand upon one another.
absl::Status SetDataset(KernelContext& context, DatasetPtr dataset);

// Is a factory for the kernel of a dataset without functions.
using MakeDataset = absl::StatusOr<DatasetPtr> (*)(KernelContext&);
template <MakeDataset make>
absl::StatusOr<std::unique_ptr<Kernel>> MakeDatasetKernel(const NodeDef&) {
  class DatasetKernel final : public Kernel {
    absl::Status Compute(KernelContext& context) const final {
      absl::StatusOr<DatasetPtr> dataset = make(context);
      if (!dataset.ok()) return dataset.status();
      return SetDataset(context, *std::move(dataset));
    }
  };
  return std::unique_ptr<Kernel>(std::make_unique<DatasetKernel>());
}

// Is a factory for the kernel of a dataset with functions, which have to be
// found first. Calls the second argument exactly once. The context lives until
// then.
using DatasetDone = absl::AnyInvocable<void(absl::StatusOr<DatasetPtr>) &&>;
using StartDataset = void (*)(KernelContext&, DatasetDone);
template <StartDataset start>
absl::StatusOr<std::unique_ptr<Kernel>> StartDatasetKernel(const NodeDef&) {
  class DatasetKernel final : public AsyncKernel {
    void ComputeAsync(KernelContext& context, Done done) const final {
      start(context, [&context, done = std::move(done)](
                         absl::StatusOr<DatasetPtr> dataset) mutable {
        if (!dataset.ok()) return std::move(done)(dataset.status());
        std::move(done)(SetDataset(context, *std::move(dataset)));
      });
    }
  };
  return std::unique_ptr<Kernel>(std::make_unique<DatasetKernel>());
}

// Starts a dataset that calls one function on the elements of the dataset in
// input 0. `make` makes the dataset from that dataset and the function.
// `request` says which function; its arg_types are set here.
void StartWithFunction(KernelContext& context, DatasetFunctionRequest request,
                       DatasetDone done,
                       absl::AnyInvocable<absl::StatusOr<DatasetPtr>(
                                              DatasetPtr, DatasetFunction) &&>
                           make);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_DATASET_KERNEL_H_
