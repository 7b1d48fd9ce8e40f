// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of UnbatchDataset, whose elements are the rows of the
// elements of another dataset.
#include <memory>
#include <utility>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/pipeline/batch.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::unbatch {
namespace {

class UnbatchStage final : public Stage {
 public:
  UnbatchStage(std::unique_ptr<Stage> input, const StageContext& context)
      : input_(std::move(input)), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_); next_ == num_rows_;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(batch_));
      if (progress != Progress::kElement) return progress;
      LEAT_ASSIGN_OR_RETURN(num_rows_, NumRows(batch_));
      next_ = 0;
    }
    element.clear();
    for (const Tensor& component : batch_) {
      LEAT_ASSIGN_OR_RETURN(const Shape shape,
                            Shape::Create(component.shape().dims().subspan(1)));
      LEAT_ASSIGN_OR_RETURN(Tensor row, RowOf(component, next_, shape));
      element.push_back(std::move(row));
    }
    if (++next_ == num_rows_) batch_.clear();
    return Progress::kElement;
  }

 private:
  const std::unique_ptr<Stage> input_;
  const StageContext context_;
  Element batch_;
  int64_t num_rows_ = 0;
  int64_t next_ = 0;  // the row that comes next
};

class UnbatchDataset final : public Dataset {
 public:
  UnbatchDataset(ElementSpec spec, DatasetPtr input)
      : Dataset(std::move(spec)), input_(std::move(input)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<UnbatchStage>(std::move(input), context);
  }

 private:
  const DatasetPtr input_;
};

absl::StatusOr<DatasetPtr> MakeUnbatch(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  ElementSpec spec{.dtypes = input->spec().dtypes};
  for (const PartialShape& shape : input->spec().shapes) {
    if (!shape.rank_known() || shape.rank() == 0) {
      spec.shapes.emplace_back();
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(PartialShape row,
                          PartialShape::Create(shape.dims().subspan(1)));
    spec.shapes.push_back(std::move(row));
  }
  return std::make_shared<const UnbatchDataset>(std::move(spec),
                                                std::move(input));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("UnbatchDataset", kCpu, &MakeDatasetKernel<&MakeUnbatch>);
}

}  // namespace leat::kernels::datasets::unbatch
