// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Reshape, Squeeze and ExpandDims. The output shares the
// input's bytes and has another shape.
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::reshape {
namespace {

absl::Status SetReshaped(KernelContext& context, const Dims& dims) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  LEAT_ASSIGN_OR_RETURN(Tensor output, context.input(0).Reshaped(shape));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

// Returns the product of the extents that are above 0.
absl::StatusOr<int64_t> NonZeroProduct(absl::Span<const int64_t> extents) {
  int64_t product = 1;
  for (const int64_t extent : extents) {
    if (extent <= 0) continue;
    LEAT_ASSIGN_OR_RETURN(product, CheckedMultiply(product, extent));
  }
  return product;
}

// Returns the position of the -1 in the requested sizes, or -1 if there is
// none. Returns INVALID_ARGUMENT for a second -1 or other negative sizes.
absl::StatusOr<int> FindUnknownSize(const Dims& sizes) {
  int unknown = -1;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    if (sizes[i] < -1) {
      return absl::InvalidArgumentError(
          absl::StrCat("Size ", i, " must be non-negative, not ", sizes[i]));
    }
    if (sizes[i] != -1) continue;
    if (unknown != -1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Only one input size may be -1, not both ", unknown, " and ", i));
    }
    unknown = i;
  }
  return unknown;
}

// Replaces a -1 in `sizes` by the extent that makes the element counts equal.
// If both shapes have an extent of 0, zeros are left out of the division, as in
// TensorFlow: [0,3] reshaped to [0,-1] is [0,3].
absl::Status InferMissingSize(const Shape& input, Dims& sizes) {
  LEAT_ASSIGN_OR_RETURN(const int unknown, FindUnknownSize(sizes));
  if (unknown == -1) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const int64_t product, NonZeroProduct(sizes));
  int64_t count = input.num_elements();
  const bool wants_zero = absl::c_linear_search(sizes, 0);
  if (wants_zero && count == 0) {
    LEAT_ASSIGN_OR_RETURN(count, NonZeroProduct(input.dims()));
  } else if (count % product != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input to reshape is a tensor with ", count,
        " values, but the requested shape requires a multiple of ", product));
  }
  sizes[unknown] = count / product;
  return absl::OkStatus();
}

absl::Status ComputeReshape(KernelContext& context) {
  // In old graphs this input may be a scalar. It means the same as a vector
  // that has the scalar as its only element.
  if (context.input(1).rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("sizes input must be 1-D, not ",
                     context.input(1).shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(Dims sizes, GetIndices(context.input(1), "shape"));
  const Tensor& input = context.input(0);
  LEAT_RETURN_IF_ERROR(InferMissingSize(input.shape(), sizes));
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(sizes));
  if (shape.num_elements() != input.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input to reshape is a tensor with ", input.num_elements(),
        " values, but the requested shape has ", shape.num_elements()));
  }
  return SetReshaped(context, sizes);
}

class Squeeze final : public Kernel {
 public:
  explicit Squeeze(std::vector<int64_t> axes) : axes_(std::move(axes)) {}

  absl::Status Compute(KernelContext& context) const final {
    const Shape& shape = context.input(0).shape();
    const int rank = shape.rank();
    Dims removed(rank, axes_.empty() ? 1 : 0);
    for (const int64_t axis : axes_) {
      if (axis < -rank || axis >= rank) {
        return absl::InvalidArgumentError(
            absl::StrCat("Tried to squeeze dim index ", axis,
                         " for tensor with ", rank, " dimensions."));
      }
      removed[axis < 0 ? axis + rank : axis] = 1;
    }
    Dims dims;
    for (int i = 0; i < rank; ++i) {
      if (removed[i] == 0 || (axes_.empty() && shape.dim(i) != 1)) {
        dims.push_back(shape.dim(i));
      } else if (shape.dim(i) != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("Can not squeeze dim[", i,
                         "], expected a dimension of 1, got ", shape.dim(i)));
      }
    }
    return SetReshaped(context, dims);
  }

 private:
  const std::vector<int64_t> axes_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeSqueeze(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      auto axes, node.attrs.GetOr<std::vector<int64_t>>("squeeze_dims", {}));
  return std::unique_ptr<Kernel>(std::make_unique<Squeeze>(std::move(axes)));
}

absl::Status ComputeExpandDims(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Dims axis, GetIndices(context.input(1), "dim"));
  if (axis.size() != 1) {
    return absl::InvalidArgumentError(
        "'dim' must be a tensor with a single value");
  }
  const auto old = context.input(0).shape().dims();
  const int64_t rank = static_cast<int64_t>(old.size());
  if (axis[0] < -1 - rank || axis[0] > rank) {
    return absl::InvalidArgumentError(absl::StrCat("Tried to expand dim index ",
                                                   axis[0], " for tensor with ",
                                                   rank, " dimensions."));
  }
  Dims dims(old.begin(), old.end());
  const int64_t position = axis[0] < 0 ? axis[0] + rank + 1 : axis[0];
  dims.insert(dims.begin() + position, 1);
  return SetReshaped(context, dims);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("Reshape", &MakeFunction<&ComputeReshape>);
  registry.AddForAllDevices("Squeeze", &MakeSqueeze);
  registry.AddForAllDevices("ExpandDims", &MakeFunction<&ComputeExpandDims>);
}

}  // namespace leat::kernels::any::reshape
