// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of RangeDataset.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::range {
namespace {

struct Range {
  int64_t start = 0;
  int64_t stop = 0;
  int64_t step = 1;

  // Returns how many numbers the range has.
  int64_t Count() const {
    if (step > 0 ? start >= stop : start <= stop) return 0;
    // The differences have no sign, so that they cannot overflow.
    const auto distance =
        step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                 : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
    const uint64_t width =
        step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
    return static_cast<int64_t>(std::min<uint64_t>(
        (distance - 1) / width + 1, std::numeric_limits<int64_t>::max()));
  }
  // Returns number i. The arithmetic has no sign, so that it cannot overflow.
  int64_t At(int64_t i) const {
    return static_cast<int64_t>(static_cast<uint64_t>(start) +
                                static_cast<uint64_t>(i) *
                                    static_cast<uint64_t>(step));
  }
};

// Writes numbers as elements of type `dtype`.
absl::StatusOr<Tensor> NumberAs(DType dtype, int64_t number,
                                Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(Tensor tensor,
                        Tensor::Allocate(allocator, dtype, Shape{}));
  VisitDType(kNumbers, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    tensor.mutable_data<T>()[0] = static_cast<T>(number);
  });
  return tensor;
}

class RangeStage final : public Stage {
 public:
  RangeStage(const Range& range, DType dtype, const StageContext& context)
      : range_(range),
        count_(range.Count()),
        dtype_(dtype),
        pipeline_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (next_ == count_) return Progress::kEnd;
    LEAT_ASSIGN_OR_RETURN(Tensor tensor, NumberAs(dtype_, range_.At(next_),
                                                  pipeline_->allocator()));
    ++next_;
    element.clear();
    element.push_back(std::move(tensor));
    return Progress::kElement;
  }

 private:
  const Range range_;
  const int64_t count_;
  const DType dtype_;
  const std::shared_ptr<const Pipeline> pipeline_;
  int64_t next_ = 0;
};

class RangeDataset final : public Dataset {
 public:
  RangeDataset(ElementSpec spec, const Range& range)
      : Dataset(std::move(spec)), range_(range) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return std::make_unique<RangeStage>(range_, spec().dtypes[0], context);
  }
  int64_t ComputeCardinality() const override { return range_.Count(); }

 private:
  const Range range_;
};

absl::StatusOr<DatasetPtr> MakeRange(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec, OutputSpec(context.node()));
  if (spec.dtypes.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("RangeDataset has one component, but output_types has ",
                     spec.dtypes.size()));
  }
  spec.shapes = {Shape{}};
  if (!VisitDType(kNumbers, spec.dtypes[0], [](auto) {})) {
    return absl::InvalidArgumentError(
        absl::StrCat("Unsupported data type: ", Name(spec.dtypes[0])));
  }
  Range range;
  LEAT_ASSIGN_OR_RETURN(range.start,
                        ScalarArgument<int64_t>(context, 0, "start"));
  LEAT_ASSIGN_OR_RETURN(range.stop,
                        ScalarArgument<int64_t>(context, 1, "stop"));
  LEAT_ASSIGN_OR_RETURN(range.step,
                        ScalarArgument<int64_t>(context, 2, "step"));
  if (range.step == 0) {
    return absl::InvalidArgumentError("step must be a non-zero integer.");
  }
  return std::make_shared<const RangeDataset>(std::move(spec), range);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("RangeDataset", kCpu, &MakeDatasetKernel<&MakeRange>);
}

}  // namespace leat::kernels::datasets::range
