// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of PrefetchDataset, which reads ahead.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/background_stage.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::prefetch {
namespace {

class PrefetchDataset final : public Dataset {
 public:
  PrefetchDataset(DatasetPtr input, int64_t buffer_size)
      : Dataset(input->spec()),
        input_(std::move(input)),
        buffer_size_(buffer_size) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return NewBackgroundStage(
        context, buffer_size_, Begins::kAtFirstCall,
        [this](const StageContext& own) { return MakeStage(*input_, own); });
  }
  int64_t ComputeCardinality() const override { return input_->Cardinality(); }

 private:
  const DatasetPtr input_;
  const int64_t buffer_size_;
};

absl::StatusOr<DatasetPtr> MakePrefetch(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  LEAT_ASSIGN_OR_RETURN(int64_t buffer_size,
                        ScalarArgument<int64_t>(context, 1, "buffer_size"));
  if (buffer_size < 0 && buffer_size != -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffer_size must be >= 0 or set buffer_size to be -1 "
                     "for auto-tuning, but it is ",
                     buffer_size));
  }
  // More elements than these seldom help, but take memory.
  constexpr int64_t kDefaultBufferSize = 8;
  if (buffer_size == -1) buffer_size = kDefaultBufferSize;
  if (buffer_size == 0) return input;
  return std::make_shared<const PrefetchDataset>(std::move(input), buffer_size);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("PrefetchDataset", kCpu, &MakeDatasetKernel<&MakePrefetch>);
}

}  // namespace leat::kernels::datasets::prefetch
