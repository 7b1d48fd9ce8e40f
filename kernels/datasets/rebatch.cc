// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of RebatchDatasetV2, which divides the rows of the batches
// of another dataset into batches of other sizes.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/batch.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::rebatch {
namespace {

struct RebatchOptions {
  std::vector<int64_t> sizes = {};  // of the batches, in turns
  bool drop_remainder = false;
};

class RebatchStage final : public Stage {
 public:
  RebatchStage(std::unique_ptr<Stage> input, const RebatchOptions& options,
               const ElementSpec& spec, const StageContext& context)
      : input_(std::move(input)),
        options_(options),
        spec_(spec),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    const int64_t wanted = options_.sizes[turn_];
    LEAT_ASSIGN_OR_RETURN(const bool is_filled, Fill(wanted));
    if (!is_filled) return Progress::kWaiting;
    const std::vector<Element> parts = std::exchange(parts_, {});
    const int64_t count = std::exchange(num_rows_, 0);
    if (has_ended_ && count == 0) return Progress::kEnd;
    if (options_.drop_remainder && count < wanted) return Progress::kEnd;
    turn_ = (turn_ + 1) % options_.sizes.size();
    if (wanted == 0) return EmptyBatch(element);
    if (parts.size() == 1) {
      element = parts[0];
      return Progress::kElement;
    }
    LEAT_ASSIGN_OR_RETURN(element,
                          JoinRows(parts, context_.pipeline->allocator(),
                                   context_.pipeline->queue()));
    return Progress::kElement;
  }

 private:
  // Collects rows until there are `wanted` or the input has ended. Returns
  // false if the input waits.
  absl::StatusOr<bool> Fill(int64_t wanted) {
    for (Rounds rounds(context_); !has_ended_ && num_rows_ < wanted;) {
      if (rounds.AreUsedUp()) return false;
      if (batch_.empty()) {
        Element batch;
        LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(batch));
        if (progress == Progress::kWaiting) return false;
        if (progress == Progress::kEnd) {
          has_ended_ = true;
          break;
        }
        LEAT_RETURN_IF_ERROR(NumRows(batch).status());
        batch_ = std::move(batch);
        next_row_ = 0;
      }
      TakeRows(wanted - num_rows_);
    }
    return true;
  }

  // Takes at most `count` rows of the batch of the input.
  void TakeRows(int64_t count) {
    const int64_t num_rows = batch_[0].dim(0);
    const int64_t end = next_row_ + std::min(count, num_rows - next_row_);
    Element part;
    for (const Tensor& component : batch_) {
      part.push_back(component.Slice(next_row_, end));
    }
    if (end > next_row_) parts_.push_back(std::move(part));
    num_rows_ += end - next_row_;
    next_row_ = end;
    if (end == num_rows) batch_.clear();
  }

  // Makes an element without rows. Extents that are not known are 0.
  absl::StatusOr<Progress> EmptyBatch(Element& element) const {
    element.clear();
    for (size_t i = 0; i < spec_.dtypes.size(); ++i) {
      const PartialShape& shape = spec_.shapes[i];
      Dims dims = {0};
      for (int d = 1; shape.rank_known() && d < shape.rank(); ++d) {
        dims.push_back(shape.dim_known(d) ? shape.dim(d) : 0);
      }
      LEAT_ASSIGN_OR_RETURN(const Shape empty, Shape::Create(dims));
      LEAT_ASSIGN_OR_RETURN(Tensor tensor,
                            Tensor::Allocate(context_.pipeline->allocator(),
                                             spec_.dtypes[i], empty));
      element.push_back(std::move(tensor));
    }
    return Progress::kElement;
  }

  const std::unique_ptr<Stage> input_;
  const RebatchOptions options_;
  const ElementSpec spec_;  // of the result
  const StageContext context_;
  size_t turn_ = 0;
  Element batch_;  // of the input, empty if all of its rows were taken
  int64_t next_row_ = 0;
  std::vector<Element> parts_;  // of the next batch
  int64_t num_rows_ = 0;        // in `parts_`
  bool has_ended_ = false;
};

class RebatchDataset final : public Dataset {
 public:
  RebatchDataset(ElementSpec spec, DatasetPtr input, RebatchOptions options)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        options_(std::move(options)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<RebatchStage>(std::move(input), options_, spec(),
                                          context);
  }

 private:
  const DatasetPtr input_;
  const RebatchOptions options_;
};

absl::StatusOr<DatasetPtr> MakeRebatch(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  const Tensor& sizes = context.input(1);
  if (sizes.rank() > 1) {
    return absl::InvalidArgumentError(
        "`batch_sizes` must be a scalar or a vector.");
  }
  RebatchOptions options;
  for (const int64_t size : sizes.data<int64_t>()) {
    if (size < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("`batch_sizes` must not be negative, but has ", size));
    }
    options.sizes.push_back(size);
  }
  if (std::count(options.sizes.begin(), options.sizes.end(), 0) ==
      static_cast<std::ptrdiff_t>(options.sizes.size())) {
    return absl::InvalidArgumentError(
        "`batch_sizes` must have a size above 0.");
  }
  LEAT_ASSIGN_OR_RETURN(options.drop_remainder,
                        ScalarArgument<bool>(context, 2, "drop_remainder"));
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec, OutputSpec(context.node()));
  if (spec.dtypes != input->spec().dtypes) {
    return absl::InvalidArgumentError(
        "output_types are not the types of the input dataset");
  }
  return std::make_shared<const RebatchDataset>(
      std::move(spec), std::move(input), std::move(options));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("RebatchDatasetV2", kCpu, &MakeDatasetKernel<&MakeRebatch>);
}

}  // namespace leat::kernels::datasets::rebatch
