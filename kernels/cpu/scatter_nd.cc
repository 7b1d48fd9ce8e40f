// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ScatterNd, which adds updates to a tensor of zeros at
// given indices, and of TensorScatterUpdate and so on, which combine them with
// another tensor.
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/cpu/scatter_ops.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/scatter_shapes.h"

namespace leat::kernels::cpu::scatter_nd {
namespace {

// Adds `n` elements to `to`. Strings are appended; bools are combined by "or".
template <class T>
void AddTo(const T* from, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, std::string>) {
      to[i] += from[i];
    } else if constexpr (std::is_same_v<T, bool>) {
      to[i] = to[i] || from[i];
    } else if constexpr (std::is_integral_v<T>) {
      to[i] = static_cast<T>(static_cast<Wrapping<T>>(to[i]) +
                             static_cast<Wrapping<T>>(from[i]));
    } else {
      to[i] = static_cast<T>(static_cast<Wide<T>>(to[i]) +
                             static_cast<Wide<T>>(from[i]));
    }
  }
}

// Adds `updates` to the tensor `to` of shape `shape`. Returns INVALID_ARGUMENT
// for an index out of range.
template <class T, class Index>
absl::Status Scatter(const Tensor& indices, const Tensor& updates,
                     const Shape& shape, T* to) {
  const int64_t depth = indices.dim(indices.rank() - 1);
  int64_t inner = 1;
  for (int i = static_cast<int>(depth); i < shape.rank(); ++i) {
    inner *= shape.dim(i);
  }
  const Index* index = indices.data<Index>().data();
  const T* from = updates.data<T>().data();
  const int64_t rows = updates.num_elements() / inner;
  for (int64_t row = 0; row < rows; ++row, index += depth) {
    int64_t offset = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t i = static_cast<int64_t>(index[d]);
      const int64_t extent = shape.dim(static_cast<int>(d));
      if (i < 0 || i >= extent) {
        return IndexError(IndexRule::kTarget, {rows}, row,
                          Dims(index, index + depth), shape.dims());
      }
      offset = offset * extent + i;
    }
    AddTo(from + row * inner, inner, to + offset * inner);
  }
  return absl::OkStatus();
}

// Adds `updates` to `output`; both have elements of type T.
template <class T>
absl::Status ScatterAll(const Tensor& indices, const Tensor& updates,
                        Tensor& output) {
  if (updates.num_elements() == 0) return absl::OkStatus();
  T* const to = output.mutable_data<T>().data();
  return indices.dtype() == DType::kInt32
             ? Scatter<T, int32_t>(indices, updates, output.shape(), to)
             : Scatter<T, int64_t>(indices, updates, output.shape(), to);
}

template <class T>
class ScatterNd final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& indices = context.input(0);
    const Tensor& updates = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, ScatterNdShape(context));
    Tensor sizes;
    int64_t held_bytes = 0;
    if constexpr (std::is_same_v<T, std::string>) {
      LEAT_ASSIGN_OR_RETURN(sizes, JoinedSizes(context, shape));
      for (const int64_t size : sizes.data<int64_t>()) {
        held_bytes += HeldBytesOfText(static_cast<size_t>(size));
      }
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, shape, held_bytes));
    auto to = output->mutable_data<T>();
    std::fill(to.begin(), to.end(), T());
    if constexpr (std::is_same_v<T, std::string>) {
      // Each string gets its final size at once, because a string that grows
      // may take up to twice as much memory.
      const auto size = sizes.data<int64_t>();
      for (size_t i = 0; i < to.size(); ++i) to[i].reserve(size[i]);
    }
    return ScatterAll<T>(indices, updates, *output);
  }

 private:
  // Returns how long each string of the output becomes: strings with the same
  // index are joined.
  static absl::StatusOr<Tensor> JoinedSizes(KernelContext& context,
                                            const Shape& shape) {
    const Tensor& updates = context.input(1);
    LEAT_ASSIGN_OR_RETURN(Tensor sizes, context.AllocateTemporary(
                                            DType::kInt64, updates.shape()));
    const auto texts = updates.data<std::string>();
    std::transform(texts.begin(), texts.end(),
                   sizes.mutable_data<int64_t>().begin(),
                   [](const std::string& text) { return text.size(); });
    LEAT_ASSIGN_OR_RETURN(Tensor joined,
                          context.AllocateTemporary(DType::kInt64, shape));
    const auto to = joined.mutable_data<int64_t>();
    std::fill(to.begin(), to.end(), 0);
    LEAT_RETURN_IF_ERROR(ScatterAll<int64_t>(context.input(0), sizes, joined));
    return joined;
  }
};

// Combines parts of input 0 with updates. T is the type of the elements, or
// their PlainElement if they are only moved.
template <class Op, class T>
class TensorScatter final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& indices = context.input(1);
    const Tensor& updates = context.input(2);
    LEAT_RETURN_IF_ERROR(CheckScatterNd(indices, updates, input.shape()));
    if (updates.num_elements() == 0) {
      context.set_output(0, input);
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(const Tensor targets,
                          TargetsOf(context, indices, input.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    const T* const old = Elements<T>(input);
    T* const to = MutableElements<T>(*output);
    if (to != old) {
      ParallelFor(context.compute_queue(), input.num_elements(),
                  /*cost_per_item=*/1, [&](int64_t begin, int64_t end) {
                    CopyElements(old + begin, end - begin, to + begin);
                  });
    }
    CombineSlices<Op>(context.compute_queue(), targets, updates, to);
    return absl::OkStatus();
  }
};

template <class E>
using TensorScatterUpdate = TensorScatter<Update, E>;

template <class Op, const auto& types>
absl::StatusOr<std::unique_ptr<Kernel>> MakeTensorScatter(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<TensorScatter<Op, T>>();
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeScatterNd(const NodeDef& node) {
  return MakeForType(node, "T", kNumbersAndComplexes + kBoolOnly + kStringOnly,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<ScatterNd<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ScatterNd", kCpu, &MakeScatterNd);
  registry.Add("TensorScatterUpdate", kCpu,
               &MakeElementKernel<TensorScatterUpdate, kAttrT>);
  registry.Add("TensorScatterAdd", kCpu,
               &MakeTensorScatter<Add, kNumbersAndComplexes>);
  registry.Add("TensorScatterSub", kCpu,
               &MakeTensorScatter<Subtract, kNumbersAndComplexes>);
  registry.Add("TensorScatterMax", kCpu, &MakeTensorScatter<Maximum, kNumbers>);
  registry.Add("TensorScatterMin", kCpu, &MakeTensorScatter<Minimum, kNumbers>);
}

}  // namespace leat::kernels::cpu::scatter_nd
