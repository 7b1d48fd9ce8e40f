// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Sum, Mean, EuclideanNorm, Prod, Max, Min, All and Any.
// They accumulate 16-bit floats in float. The order of operations depends on
// shapes only and not on the number of threads, so the results are always the
// same.
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <type_traits>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/conversion.h"
#include "leat/kernels/functors/reduction.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/reduction.h"

namespace leat::kernels::cpu::reduction {
namespace {

// Is the number of partial results of a block that are computed side by side,
// so that the loop vectorises.
constexpr int64_t kLanes = 32;
// At most kBlock elements, or kRowBlock rows, are reduced before partial
// results are combined. These limits bound the rounding error.
constexpr int64_t kBlock = 4096;
constexpr int64_t kRowBlock = 128;
constexpr int64_t kTile = 512;  // columns; their partial results stay in cache

// Reduces at most kBlock elements, by way of kLanes partial results.
template <class Op, class In, class W>
W ReduceBlock(const In* from, int64_t n) {
  if (n < kLanes) {
    W result = Op::template kIdentity<W>;
    for (int64_t i = 0; i < n; ++i) {
      result = Op::Do(result, static_cast<W>(from[i]));
    }
    return result;
  }
  W lanes[kLanes];
  for (int64_t k = 0; k < kLanes; ++k) lanes[k] = static_cast<W>(from[k]);
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      lanes[k] = Op::Do(lanes[k], static_cast<W>(from[i + k]));
    }
  }
  for (; i < n; ++i) {
    lanes[i % kLanes] = Op::Do(lanes[i % kLanes], static_cast<W>(from[i]));
  }
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) {
      lanes[k] = Op::Do(lanes[k], lanes[k + width]);
    }
  }
  return lanes[0];
}

// Reduces `n` elements. Reduces each half first, and then the two results. The
// recursion is as deep as the logarithm of the number of blocks.
template <class Op, class In, class W>
W ReduceContiguous(const In* from, int64_t n) {
  if (n <= kBlock) return ReduceBlock<Op, In, W>(from, n);
  const int64_t half_blocks = (n / 2 + kBlock - 1) / kBlock;
  const int64_t left = half_blocks * kBlock;
  return Op::Do(ReduceContiguous<Op, In, W>(from, left),
                ReduceContiguous<Op, In, W>(from + left, n - left));
}

// Reduces each of `n` columns to one value: to[c] becomes the reduction of
// from[row * stride + c] over all rows. Reduces blocks of rows first, and then
// the results of the blocks. REQUIRES: n <= kTile.
template <class Op, class In, class W>
void ReduceColumns(const In* from, int64_t rows, int64_t stride, int64_t n,
                   W* to) {
  W partial[kTile];
  std::fill(to, to + n, Op::template kIdentity<W>);
  for (int64_t begin = 0; begin < rows; begin += kRowBlock) {
    const int64_t end = std::min(rows, begin + kRowBlock);
    std::fill(partial, partial + n, Op::template kIdentity<W>);
    for (int64_t row = begin; row < end; ++row) {
      const In* in = from + row * stride;
      LEAT_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < n; ++c) {
        partial[c] = Op::Do(partial[c], static_cast<W>(in[c]));
      }
    }
    LEAT_INDEPENDENT_ITERATIONS
    for (int64_t c = 0; c < n; ++c) to[c] = Op::Do(to[c], partial[c]);
  }
}

// Reduces one contiguous row. If it is large, its parts are reduced in parallel
// and their results are combined in order.
template <class Op, class In, class W>
W ReduceLargeRow(WorkQueue& queue, const In* from, int64_t n) {
  constexpr int64_t kPart = 16 * kBlock;
  const int64_t parts = (n + kPart - 1) / kPart;
  if (parts == 1) return ReduceContiguous<Op, In, W>(from, n);
  std::unique_ptr<W[]> partial(new W[parts]);
  ParallelFor(queue, parts, kPart / 8, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      partial[i] = ReduceContiguous<Op, In, W>(from + i * kPart,
                                               std::min(kPart, n - i * kPart));
    }
  });
  return ReduceContiguous<Op, W, W>(partial.get(), parts);
}

// Reduces a matrix of few columns and many rows. Reduces parts of the rows in
// parallel, and then combines their results.
template <class Op, class In, class W>
void ReduceTallColumns(WorkQueue& queue, const In* from,
                       const ReductionStep& step, W* to) {
  const int64_t part = std::max<int64_t>(kRowBlock, 65536 / step.inner);
  const int64_t parts = (step.reduced + part - 1) / part;
  std::unique_ptr<W[]> partial(new W[parts * step.inner]);
  ParallelFor(
      queue, parts, part * step.inner / 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          ReduceColumns<Op, In, W>(from + i * part * step.inner,
                                   std::min(part, step.reduced - i * part),
                                   step.inner, step.inner,
                                   partial.get() + i * step.inner);
        }
      });
  ReduceColumns<Op, W, W>(partial.get(), parts, step.inner, step.inner, to);
}

// Does one step of a reduction with the function that suits the step's sizes.
template <class Op, class In, class W>
void ReduceStep(WorkQueue& queue, const ReductionStep& step, const In* from,
                W* to) {
  const int64_t size = step.reduced * step.inner;
  if (step.inner == 1 && step.outer == 1) {
    *to = ReduceLargeRow<Op, In, W>(queue, from, step.reduced);
  } else if (step.inner == 1) {
    ParallelFor(queue, step.outer, 4 + step.reduced / 8,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    to[i] = ReduceContiguous<Op, In, W>(from + i * step.reduced,
                                                        step.reduced);
                  }
                });
  } else if (step.outer == 1 && step.inner <= kTile &&
             step.reduced > kRowBlock && size > 65536) {
    ReduceTallColumns<Op, In, W>(queue, from, step, to);
  } else {
    const int64_t tiles = (step.inner + kTile - 1) / kTile;
    ParallelFor(queue, step.outer * tiles, 4 + size / tiles / 8,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t outer = i / tiles;
                    const int64_t column = i % tiles * kTile;
                    ReduceColumns<Op, In, W>(
                        from + outer * size + column, step.reduced, step.inner,
                        std::min(kTile, step.inner - column),
                        to + outer * step.inner + column);
                  }
                });
  }
}

// Says how the result is made from the sum that was accumulated: it is the
// value itself, the mean of the elements, or the square root.
enum class Result { kValue, kMean, kSquareRoot };

// Returns the square root of a sum of squares. The sum of integers has wrapped
// around if the integers are large.
template <class W>
auto SquareRoot(W sum) {
  if constexpr (std::is_integral_v<W>) {
    return functors::FromFloating<W>(std::sqrt(static_cast<double>(sum)));
  } else {
    return std::sqrt(sum);
  }
}

// Turns the accumulated value of `count` elements into the output.
template <class T, class W, Result result>
T Finish(W value, int64_t count) {
  if constexpr (result == Result::kValue) {
    return static_cast<T>(value);
  } else if constexpr (result == Result::kSquareRoot) {
    return static_cast<T>(SquareRoot(value));
  } else if constexpr (std::is_integral_v<W>) {
    if (count == 0) return 0;
    if constexpr (std::is_signed_v<W>) {
      return static_cast<T>(static_cast<int64_t>(value) / count);
    } else {
      return static_cast<T>(value / static_cast<uint64_t>(count));
    }
  } else if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
    // As in TensorFlow, the mean of no numbers is 0 if they are complex.
    return count == 0 ? T(0) : value / static_cast<W>(count);
  } else {
    return static_cast<T>(value / static_cast<W>(count));
  }
}

// Reads an element of a tensor as its square, or, if it is complex, as the
// square of its absolute value.
template <class T>
class Squared {
 public:
  template <class W>
  explicit operator W() const {
    const W x = static_cast<W>(element_);
    return functors::Prod::Do(x, Conjugate(x));
  }

 private:
  T element_;
};

// The type as which a reduction reads elements of type T.
template <class T, Result result>
using Read = std::conditional_t<result == Result::kSquareRoot, Squared<T>, T>;

template <class Op, class T, Result result>
class Reduction final : public Kernel {
 public:
  explicit Reduction(bool keep_dims) : keep_dims_(keep_dims) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(
        const ReductionPlan plan,
        PlanReduction(input.shape(), context.input(1), keep_dims_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.output));
    const int64_t n = plan.output.num_elements();
    T* to = output->mutable_data<T>().data();
    const auto* from =
        reinterpret_cast<const Read<T, result>*>(input.raw_data());
    if (plan.count == 0) {
      std::fill(to, to + n, Finish<T, W, result>(Op::template kIdentity<W>, 0));
    } else if (plan.steps.empty()) {
      for (int64_t i = 0; i < n; ++i) {
        to[i] = Finish<T, W, result>(static_cast<W>(from[i]), 1);
      }
    } else {
      return Reduce(context, plan, from, to, n);
    }
    return absl::OkStatus();
  }

 private:
  using W = Wide<T>;

  absl::Status Reduce(KernelContext& context, const ReductionPlan& plan,
                      const Read<T, result>* from, T* to, int64_t n) const {
    WorkQueue& queue = context.compute_queue();
    constexpr bool kInPlace = std::is_same_v<T, W>;
    // Each step reads the temporary tensor of the previous step, and writes to
    // a new one. The last step writes to the output instead, if the output has
    // the type of the arithmetic.
    Tensor previous;
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const ReductionStep& step = plan.steps[i];
      const bool is_last = i + 1 == plan.steps.size();
      Tensor current;
      W* target = nullptr;
      if constexpr (kInPlace) {
        if (is_last) target = to;
      }
      if (target == nullptr) {
        LEAT_ASSIGN_OR_RETURN(const int64_t size,
                              CheckedMultiply(step.outer, step.inner));
        LEAT_ASSIGN_OR_RETURN(
            current, context.AllocateTemporary(kDTypeOf<W>, Shape{size}));
        target = current.template mutable_data<W>().data();
      }
      if (i == 0) {
        ReduceStep<Op, Read<T, result>, W>(queue, step, from, target);
      } else {
        ReduceStep<Op, W, W>(queue, step, previous.template data<W>().data(),
                             target);
      }
      previous = std::move(current);
      if (is_last && (result != Result::kValue || !kInPlace)) {
        for (int64_t k = 0; k < n; ++k) {
          to[k] = Finish<T, W, result>(target[k], plan.count);
        }
      }
    }
    return absl::OkStatus();
  }

  const bool keep_dims_;
};

template <class Op, const auto& types, Result result = Result::kValue>
absl::StatusOr<std::unique_ptr<Kernel>> MakeReduction(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool keep_dims,
                        node.attrs.GetOr<bool>("keep_dims", false));
  return MakeForType(
      node, "T", types, [&](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<Reduction<Op, T, result>>(keep_dims);
      });
}

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeLogical(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool keep_dims,
                        node.attrs.GetOr<bool>("keep_dims", false));
  return std::unique_ptr<Kernel>(
      std::make_unique<Reduction<Op, bool, Result::kValue>>(keep_dims));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Sum", kCpu,
               &MakeReduction<functors::Sum, kNumbersAndComplexes>);
  registry.Add(
      "Mean", kCpu,
      &MakeReduction<functors::Sum, kNumbersAndComplexes, Result::kMean>);
  registry.Add(
      "EuclideanNorm", kCpu,
      &MakeReduction<functors::Sum, kNumbersAndComplexes, Result::kSquareRoot>);
  registry.Add("Prod", kCpu,
               &MakeReduction<functors::Prod, kNumbersAndComplexes>);
  registry.Add("Max", kCpu, &MakeReduction<functors::Max, kNumbers>);
  registry.Add("Min", kCpu, &MakeReduction<functors::Min, kNumbers>);
  registry.Add("All", kCpu, &MakeLogical<functors::All>);
  registry.Add("Any", kCpu, &MakeLogical<functors::Any>);
}

}  // namespace leat::kernels::cpu::reduction
