// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of DirectedInterleaveDataset. A selector, which is a
// dataset of numbers, says from which dataset each element comes.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/signature.h"

namespace leat::kernels::datasets::directed_interleave {
namespace {

using Stages = std::vector<std::unique_ptr<Stage>>;

class DirectedStage final : public Stage {
 public:
  DirectedStage(std::unique_ptr<Stage> selector, Stages inputs,
                bool stops_on_empty, const StageContext& context)
      : selector_(std::move(selector)),
        inputs_(std::move(inputs)),
        stops_on_empty_(stops_on_empty),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_); !has_ended_;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      if (!selected_.has_value()) {
        LEAT_ASSIGN_OR_RETURN(const Progress progress, Select());
        if (progress == Progress::kWaiting) return progress;
        if (progress == Progress::kEnd) break;
      }
      std::unique_ptr<Stage>& input = inputs_[*selected_];
      if (input == nullptr) {  // It has ended before.
        selected_.reset();
        continue;
      }
      const absl::StatusOr<Progress> progress = input->Next(element);
      if (progress.ok() && *progress == Progress::kWaiting) return progress;
      selected_.reset();
      if (!progress.ok() || *progress == Progress::kElement) return progress;
      input.reset();
      if (stops_on_empty_ || HaveAllEnded()) break;
    }
    has_ended_ = true;
    inputs_.clear();
    selector_.reset();
    return Progress::kEnd;
  }

 private:
  absl::StatusOr<Progress> Select() {
    Element number;
    LEAT_ASSIGN_OR_RETURN(const Progress progress, selector_->Next(number));
    if (progress != Progress::kElement) return progress;
    LEAT_ASSIGN_OR_RETURN(const int64_t index,
                          GetScalar<int64_t>(number[0], "selector"));
    if (index < 0 || index >= static_cast<int64_t>(inputs_.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Selector index out of range: ", index, " >= ", inputs_.size()));
    }
    selected_ = static_cast<size_t>(index);
    return progress;
  }

  bool HaveAllEnded() const {
    return std::all_of(inputs_.begin(), inputs_.end(),
                       [](const auto& input) { return input == nullptr; });
  }

  std::unique_ptr<Stage> selector_;
  Stages inputs_;  // null for those that have ended
  const bool stops_on_empty_;
  const StageContext context_;
  std::optional<size_t> selected_;
  bool has_ended_ = false;
};

class DirectedDataset final : public Dataset {
 public:
  DirectedDataset(ElementSpec spec, DatasetPtr selector,
                  std::vector<DatasetPtr> inputs, bool stops_on_empty)
      : Dataset(std::move(spec)),
        selector_(std::move(selector)),
        inputs_(std::move(inputs)),
        stops_on_empty_(stops_on_empty) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> selector,
                          MakeStage(*selector_, OfInput(context, 0)));
    Stages stages;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> stage,
                            MakeStage(*inputs_[i], OfInput(context, i + 1)));
      stages.push_back(std::move(stage));
    }
    return std::make_unique<DirectedStage>(
        std::move(selector), std::move(stages), stops_on_empty_, context);
  }

 private:
  const DatasetPtr selector_;
  const std::vector<DatasetPtr> inputs_;
  const bool stops_on_empty_;
};

absl::StatusOr<DatasetPtr> MakeDirected(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr selector, InputDataset(context, 0));
  const ElementSpec& numbers = selector->spec();
  if (numbers.dtypes != std::vector<DType>{DType::kInt64} ||
      !numbers.shapes[0].IsCompatibleWith(Shape{})) {
    return absl::InvalidArgumentError(
        "The selector input must be a dataset of scalar int64 elements.");
  }
  std::vector<DatasetPtr> inputs;
  ElementSpec spec;
  for (int i = 1; i < context.num_inputs(); ++i) {
    LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context, i));
    if (i == 1) spec = input->spec();
    if (input->spec().dtypes != spec.dtypes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "All inputs must have the same output_dtypes. First input has types ",
          TypesText(spec.dtypes), ", and input ", i - 1, " has types ",
          TypesText(input->spec().dtypes)));
    }
    for (size_t c = 0; c < spec.shapes.size(); ++c) {
      spec.shapes[c] = Relax(spec.shapes[c], input->spec().shapes[c]);
    }
    inputs.push_back(std::move(input));
  }
  LEAT_ASSIGN_OR_RETURN(const bool stops, context.node().attrs.GetOr<bool>(
                                              "stop_on_empty_dataset", false));
  return std::make_shared<const DirectedDataset>(
      std::move(spec), std::move(selector), std::move(inputs), stops);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("DirectedInterleaveDataset", kCpu,
               &MakeDatasetKernel<&MakeDirected>);
}

}  // namespace leat::kernels::datasets::directed_interleave
