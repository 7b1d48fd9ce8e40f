// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ops on shapes: Shape, ShapeN, Size, Rank,
// BroadcastArgs, BroadcastGradientArgs, InvertPermutation and ConcatOffset.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::shape_ops {
namespace {

// Sets output `i`, which is int32 or int64, to a vector of `values`.
absl::Status SetVector(KernelContext& context, int i,
                       absl::Span<const int64_t> values) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor * output,
      context.AllocateOutput(i, Shape{static_cast<int64_t>(values.size())}));
  if (output->dtype() == DType::kInt64) {
    std::copy(values.begin(), values.end(),
              output->mutable_data<int64_t>().begin());
    return absl::OkStatus();
  }
  int32_t* to = output->mutable_data<int32_t>().data();
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k] > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape output type is 32-bit but dim ", k, " is ", values[k]));
    }
    to[k] = static_cast<int32_t>(values[k]);
  }
  return absl::OkStatus();
}

absl::Status SetScalar(KernelContext& context, int64_t value) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  if (output->dtype() == DType::kInt64) {
    output->mutable_data<int64_t>()[0] = value;
  } else if (value > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Number of elements was larger than representable by 32-bit output "
        "type: ",
        value));
  } else {
    output->mutable_data<int32_t>()[0] = static_cast<int32_t>(value);
  }
  return absl::OkStatus();
}

absl::Status ComputeShapes(KernelContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) {
    LEAT_RETURN_IF_ERROR(
        SetVector(context, i, context.input(i).shape().dims()));
  }
  return absl::OkStatus();
}

absl::Status ComputeSize(KernelContext& context) {
  return SetScalar(context, context.input(0).num_elements());
}

absl::Status ComputeRank(KernelContext& context) {
  return SetScalar(context, context.input(0).rank());
}

// Returns the extent of dimension `i` when `shape` is extended to `rank`
// dimensions by ones at the front.
int64_t AlignedExtent(const Dims& shape, size_t rank, size_t i) {
  const size_t missing = rank - shape.size();
  return i < missing ? 1 : shape[i - missing];
}

absl::Status CheckVectors(const KernelContext& context) {
  for (int i = 0; i < 2; ++i) {
    if (context.input(i).rank() == 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("In[", i, "] must be a vector.",
                     context.input(i).shape().DebugString()));
  }
  return absl::OkStatus();
}

// Returns a text such as "[2,3]". Extents that no shape can have are left out.
std::string Bracketed(absl::Span<const int64_t> extents) {
  const auto shown = extents.subspan(0, Shape::kMaxRank);
  return absl::StrCat("[", absl::StrJoin(shown, ","),
                      shown.size() < extents.size() ? ",...]" : "]");
}

absl::Status DoNotBroadcast(const Dims& a, const Dims& b) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Incompatible shapes: ", Bracketed(a), " vs. ", Bracketed(b)));
}

absl::Status ComputeBroadcastArgs(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(CheckVectors(context));
  LEAT_ASSIGN_OR_RETURN(const Dims a, GetIndices(context.input(0), "s0"));
  LEAT_ASSIGN_OR_RETURN(const Dims b, GetIndices(context.input(1), "s1"));
  const size_t rank = std::max(a.size(), b.size());
  Dims result;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = AlignedExtent(a, rank, i);
    const int64_t y = AlignedExtent(b, rank, i);
    if (x != y && x != 1 && y != 1) return DoNotBroadcast(a, b);
    result.push_back(x == 1 ? y : x);
  }
  return SetVector(context, 0, result);
}

absl::Status ComputeBroadcastGradientArgs(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(CheckVectors(context));
  LEAT_ASSIGN_OR_RETURN(const Dims a, GetIndices(context.input(0), "s0"));
  LEAT_ASSIGN_OR_RETURN(const Dims b, GetIndices(context.input(1), "s1"));
  Dims reduce_a;
  Dims reduce_b;
  if (a != b) {
    const size_t rank = std::max(a.size(), b.size());
    for (size_t i = 0; i < rank; ++i) {
      const int64_t x = AlignedExtent(a, rank, i);
      const int64_t y = AlignedExtent(b, rank, i);
      if (x != y && x != 1 && y != 1) return DoNotBroadcast(a, b);
      if (x == 1) reduce_a.push_back(static_cast<int64_t>(i));
      if (y == 1) reduce_b.push_back(static_cast<int64_t>(i));
    }
  }
  LEAT_RETURN_IF_ERROR(SetVector(context, 0, reduce_a));
  return SetVector(context, 1, reduce_b);
}

absl::Status ComputeInvertPermutation(KernelContext& context) {
  const Tensor& input = context.input(0);
  if (input.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("invert_permutation expects a 1D vector."));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(input, "x"));
  const int64_t n = input.num_elements();
  Dims inverse(n, -1);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t value = values[i];
    if (value < 0 || value >= n) {
      return absl::InvalidArgumentError(
          absl::StrCat(value, " is not between 0 and ", n));
    }
    if (inverse[value] != -1) {
      return absl::InvalidArgumentError(
          absl::StrCat(value, " is duplicated in the input."));
    }
    inverse[value] = i;
  }
  return SetVector(context, 0, inverse);
}

absl::Status ComputeConcatOffset(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(CheckScalar(context.input(0), "Concat dim tensor"));
  LEAT_ASSIGN_OR_RETURN(const int32_t dim,
                        GetScalar<int32_t>(context.input(0), "concat_dim"));
  std::vector<Dims> shapes;
  for (int i = 1; i < context.num_inputs(); ++i) {
    if (context.input(i).rank() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", i - 1, " should be a vector, but got shape ",
                       context.input(i).shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Dims shape, GetIndices(context.input(i), "shape"));
    shapes.push_back(std::move(shape));
  }
  const int rank = static_cast<int>(shapes[0].size());
  const auto normalized = NormalizeAxis(dim, rank);
  if (!normalized.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Concat dim is out of range: ", dim, " vs. ", rank));
  }
  const int axis = *normalized;
  int64_t offset = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Dims expected = shapes[0];
    if (static_cast<int>(shapes[i].size()) == rank) {
      expected[axis] = shapes[i][axis];
    }
    if (shapes[i] != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat("All dimensions except ", axis, " must match. Input ", i,
                       " has shape [", absl::StrJoin(shapes[i], " "),
                       "] and doesn't match input 0 with shape [",
                       absl::StrJoin(shapes[0], " "), "]."));
    }
    Dims offsets(rank, 0);
    offsets[axis] = offset;
    LEAT_RETURN_IF_ERROR(SetVector(context, static_cast<int>(i), offsets));
    LEAT_ASSIGN_OR_RETURN(offset, CheckedAdd(offset, shapes[i][axis]));
  }
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("Shape", &MakeFunction<&ComputeShapes>);
  registry.AddForAllDevices("ShapeN", &MakeFunction<&ComputeShapes>);
  registry.AddForAllDevices("Size", &MakeFunction<&ComputeSize>);
  registry.AddForAllDevices("Rank", &MakeFunction<&ComputeRank>);
  registry.Add("BroadcastArgs", kCpu, &MakeFunction<&ComputeBroadcastArgs>);
  registry.Add("BroadcastGradientArgs", kCpu,
               &MakeFunction<&ComputeBroadcastGradientArgs>);
  registry.Add("InvertPermutation", kCpu,
               &MakeFunction<&ComputeInvertPermutation>);
  registry.Add("ConcatOffset", kCpu, &MakeFunction<&ComputeConcatOffset>);
}

}  // namespace leat::kernels::cpu::shape_ops
