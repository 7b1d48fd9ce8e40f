// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ZipDataset, whose elements are the elements of several
// datasets side by side.
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::zip {
namespace {

class ZipStage final : public Stage {
 public:
  explicit ZipStage(std::vector<std::unique_ptr<Stage>> inputs)
      : inputs_(std::move(inputs)) {}

  // If an input waits or fails, the parts that the inputs before it have given
  // stay for the next call. After an error they are dropped, as in TensorFlow.
  absl::StatusOr<Progress> Next(Element& element) override {
    if (has_ended_) return Progress::kEnd;
    for (; next_ < inputs_.size(); ++next_) {
      Element part;
      const absl::StatusOr<Progress> progress = inputs_[next_]->Next(part);
      if (!progress.ok()) {
        Reset();
        return progress.status();
      }
      if (*progress == Progress::kWaiting) return Progress::kWaiting;
      if (*progress == Progress::kEnd) {
        Reset();
        inputs_.clear();
        has_ended_ = true;
        return Progress::kEnd;
      }
      parts_.insert(parts_.end(), std::make_move_iterator(part.begin()),
                    std::make_move_iterator(part.end()));
    }
    element = std::move(parts_);
    Reset();
    return Progress::kElement;
  }

 private:
  void Reset() {
    parts_ = Element();
    next_ = 0;
  }

  std::vector<std::unique_ptr<Stage>> inputs_;
  size_t next_ = 0;  // the input whose part comes next
  Element parts_;
  bool has_ended_ = false;
};

class ZipDataset final : public Dataset {
 public:
  ZipDataset(ElementSpec spec, std::vector<DatasetPtr> inputs)
      : Dataset(std::move(spec)), inputs_(std::move(inputs)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    std::vector<std::unique_ptr<Stage>> stages;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> stage,
                            MakeStage(*inputs_[i], OfInput(context, i)));
      stages.push_back(std::move(stage));
    }
    return std::make_unique<ZipStage>(std::move(stages));
  }
  int64_t ComputeCardinality() const override {
    int64_t least = kInfinite;
    for (const DatasetPtr& input : inputs_) {
      const int64_t count = input->Cardinality();
      if (count == kUnknown) return kUnknown;
      if (count != kInfinite && (least == kInfinite || count < least)) {
        least = count;
      }
    }
    return least;
  }

 private:
  const std::vector<DatasetPtr> inputs_;
};

absl::StatusOr<DatasetPtr> MakeZip(KernelContext& context) {
  std::vector<DatasetPtr> inputs;
  ElementSpec spec;
  for (int i = 0; i < context.num_inputs(); ++i) {
    LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context, i));
    const ElementSpec& part = input->spec();
    if (spec.dtypes.size() + part.dtypes.size() > kMaxComponents) {
      return absl::ResourceExhaustedError(
          absl::StrCat("an element would have more than ", kMaxComponents,
                       " components, which is the limit"));
    }
    spec.dtypes.insert(spec.dtypes.end(), part.dtypes.begin(),
                       part.dtypes.end());
    spec.shapes.insert(spec.shapes.end(), part.shapes.begin(),
                       part.shapes.end());
    inputs.push_back(std::move(input));
  }
  return std::make_shared<const ZipDataset>(std::move(spec), std::move(inputs));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ZipDataset", kCpu, &MakeDatasetKernel<&MakeZip>);
}

}  // namespace leat::kernels::datasets::zip
