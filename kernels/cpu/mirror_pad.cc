// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MirrorPad, which puts reflections of the input around
// it, and of MirrorPadGrad, its gradient.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/cpu/axis_runs.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::mirror_pad {
namespace {

// Returns the paddings of all dimensions: entry 2 * i is the one before
// dimension i, and entry 2 * i + 1 the one after it.
absl::StatusOr<Dims> GetPaddings(const Tensor& paddings, const Shape& input) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("paddings must be a matrix with 2 columns: ",
                     paddings.shape().DebugString()));
  }
  if (paddings.dim(0) != input.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The first dimension of paddings must be the rank of inputs",
        paddings.shape().DebugString(), ", ", input.DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Tensor flat,
                        paddings.Reshaped(Shape{paddings.num_elements()}));
  return GetIndices(flat, "paddings");
}

// Checks that the reflections are not larger than what they reflect, an axis
// of extent `extent`. `offset` is 1 if the border is not repeated, and
// otherwise 0. `what` is a word before "dimension" in the error.
absl::Status CheckReflections(int64_t before, int64_t after, int64_t extent,
                              int64_t offset, absl::string_view what) {
  const int64_t limit = extent - offset;
  if (before <= limit && after <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      offset == 0 ? absl::StrCat("paddings must be no greater than the ", what,
                                 "dimension size: ", before, ", ", after,
                                 " greater than ", extent)
                  : absl::StrCat("paddings must be less than the ", what,
                                 "dimension size: ", before, ", ", after,
                                 " not less than ", extent));
}

template <class E>
class MirrorPad final : public Kernel {
 public:
  explicit MirrorPad(int64_t offset) : offset_(offset) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Dims paddings,
                          GetPaddings(context.input(1), input.shape()));
    Dims dims;
    std::vector<AxisRuns> runs;
    for (int i = 0; i < input.rank(); ++i) {
      const int64_t before = paddings[2 * i];
      const int64_t after = paddings[2 * i + 1];
      const int64_t extent = input.dim(i);
      if (before < 0 || after < 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "paddings must be non-negative: ", before, " ", after));
      }
      LEAT_RETURN_IF_ERROR(
          CheckReflections(before, after, extent, offset_, ""));
      LEAT_ASSIGN_OR_RETURN(int64_t size, CheckedAdd(before, extent));
      LEAT_ASSIGN_OR_RETURN(size, CheckedAdd(size, after));
      dims.push_back(size);
      runs.push_back(
          {{.from = before - 1 + offset_, .to = 0, .size = before, .step = -1},
           {.from = 0, .to = before, .size = extent},
           {.from = extent - 1 - offset_,
            .to = before + extent,
            .size = after,
            .step = -1}});
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    CopyRuns(context.compute_queue(), std::move(runs), input.shape(),
             Elements<E>(input), shape, MutableElements<E>(*output));
    return absl::OkStatus();
  }

 private:
  const int64_t offset_;  // 1 if the border is not repeated, and otherwise 0
};

template <class T>
class MirrorPadGrad final : public Kernel {
 public:
  explicit MirrorPadGrad(int64_t offset) : offset_(offset) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Dims paddings,
                          GetPaddings(context.input(1), input.shape()));
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          OutputShape(input.shape(), paddings));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(
        Tensor sums, context.AllocateTemporary(input.dtype(), input.shape()));
    T* const sum = sums.mutable_data<T>().data();
    CopyElements(input.data<T>().data(), input.num_elements(), sum);
    // Once an axis is done, only what it keeps takes part in the next axes.
    const Dims strides = input.shape().Strides();
    Dims extents(input.shape().dims().begin(), input.shape().dims().end());
    int64_t kept = 0;  // position of the first element that is kept
    for (int i = 0; i < input.rank(); ++i) {
      const int64_t before = paddings[2 * i];
      const int64_t after = paddings[2 * i + 1];
      const int64_t extent = shape.dim(i);
      kept += before * strides[i];
      extents[i] = before;
      AddReflection(context.compute_queue(), extents, strides, i,
                    sum + kept - strides[i],
                    sum + kept + (offset_ * strides[i]));
      extents[i] = after;
      T* const end = sum + kept + extent * strides[i];
      AddReflection(context.compute_queue(), extents, strides, i,
                    end + (after - 1) * strides[i],
                    end - (after + offset_) * strides[i]);
      extents[i] = extent;
    }
    CopyFromStrided(context.compute_queue(), PlanStrided(shape, strides),
                    sum + kept, output->mutable_data<T>().data());
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Shape> OutputShape(const Shape& input,
                                    const Dims& paddings) const {
    Dims dims;
    for (int i = 0; i < input.rank(); ++i) {
      const int64_t before = paddings[2 * i];
      const int64_t after = paddings[2 * i + 1];
      if (before < 0 || after < 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Paddings must be non-negative: ", before, ", ", after));
      }
      LEAT_ASSIGN_OR_RETURN(const int64_t total, CheckedAdd(before, after));
      if (total >= input.dim(i)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Total paddings must be less than the input dimension size: ",
            total, " was not less than ", input.dim(i)));
      }
      dims.push_back(input.dim(i) - total);
      LEAT_RETURN_IF_ERROR(
          CheckReflections(before, after, dims.back(), offset_, "output "));
    }
    return Shape::Create(dims);
  }

  // Adds a box of the given extents to another one. Along `axis`, the first box
  // is read backwards. `from` and `to` are the elements where both begin.
  static void AddReflection(WorkQueue& queue, const Dims& extents,
                            const Dims& strides, int axis, const T* from,
                            T* to) {
    Dims from_strides = strides;
    from_strides[axis] = -from_strides[axis];
    const auto plan =
        PlanStrided(*Shape::Create(extents), from_strides, strides);
    if (plan.shape.num_elements() == 0) return;
    const int64_t from_step = plan.strides[0].back();
    const int64_t to_step = plan.strides[1].back();
    ParallelFor(queue, plan.num_rows(), /*cost_per_item=*/4 + plan.row_size(),
                [&](int64_t begin, int64_t end) {
                  plan.ForEachRow(
                      begin, end, [&](const std::array<int64_t, 2>& offsets) {
                        using N = Ring<Wide<T>>;
                        const T* in = from + offsets[0];
                        T* out = to + offsets[1];
                        for (int64_t i = 0; i < plan.row_size(); ++i) {
                          T& sum = out[i * to_step];
                          sum =
                              static_cast<T>(static_cast<N>(sum) +
                                             static_cast<N>(in[i * from_step]));
                        }
                      });
                });
  }

  const int64_t offset_;  // 1 if the border is not repeated, and otherwise 0
};

// Returns 1 if the border is not repeated, and otherwise 0.
absl::StatusOr<int64_t> GetOffset(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string mode,
                        node.attrs.Get<std::string>("mode"));
  return mode == "REFLECT" ? 1 : 0;
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeMirrorPad(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t offset, GetOffset(node));
  return MakeForElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<MirrorPad<typename decltype(tag)::type>>(offset);
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeMirrorPadGrad(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t offset, GetOffset(node));
  return MakeForType(
      node, "T", kNumbersAndComplexes,
      [&](auto tag) -> std::unique_ptr<Kernel> {
        return std::make_unique<MirrorPadGrad<typename decltype(tag)::type>>(
            offset);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MirrorPad", kCpu, &MakeMirrorPad);
  registry.Add("MirrorPadGrad", kCpu, &MakeMirrorPadGrad);
}

}  // namespace leat::kernels::cpu::mirror_pad
