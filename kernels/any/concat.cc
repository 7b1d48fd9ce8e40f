// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ConcatV2 and Pack. The output has one row for every
// index of the dimensions before the axis. Each row consists of one piece of
// each input.
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::concat {
namespace {

template <class E>
struct Piece {
  const E* data = nullptr;
  int64_t size = 0;  // in elements per row
};
template <class E>
using Pieces = absl::InlinedVector<Piece<E>, 8>;

// Writes `rows` rows to `output`. Each output row consists of one row of every
// piece.
template <class E>
absl::Status CopyPieces(KernelContext& context, const Pieces<E>& pieces,
                        int64_t rows, E* output) {
  int64_t row_size = 0;
  for (const Piece<E>& piece : pieces) row_size += piece.size;
  if (row_size == 0) return absl::OkStatus();
  if (StreamOf(context) != nullptr) {
    for (const Piece<E>& piece : pieces) {
      LEAT_RETURN_IF_ERROR(CopyToStrided(
          context, PlanStrided(Shape{rows, piece.size}, {row_size, 1}),
          piece.data, output));
      output += piece.size;
    }
    return absl::OkStatus();
  }
  ParallelFor(context.compute_queue(), rows, 4 + row_size / 4,
              [&](int64_t begin, int64_t end) {
                E* to = output + begin * row_size;
                for (int64_t row = begin; row < end; ++row) {
                  for (const Piece<E>& piece : pieces) {
                    CopyElements(piece.data + row * piece.size, piece.size, to);
                    to += piece.size;
                  }
                }
              });
  return absl::OkStatus();
}

// Returns the product of the extents of dimensions [begin, end).
int64_t Product(const Shape& shape, int begin, int end) {
  int64_t product = 1;
  for (int i = begin; i < end; ++i) product *= shape.dim(i);
  return product;
}

template <class E>
class Concat final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const int count = context.num_inputs() - 1;
    const Shape& first = context.input(0).shape();
    LEAT_ASSIGN_OR_RETURN(const int axis, GetAxis(context, first.rank()));
    int64_t extent = 0;
    for (int i = 0; i < count; ++i) {
      const Shape& shape = context.input(i).shape();
      LEAT_RETURN_IF_ERROR(CheckFits(shape, first, axis, i));
      LEAT_ASSIGN_OR_RETURN(extent, CheckedAdd(extent, shape.dim(axis)));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape, WithDim(first, axis, extent));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    Pieces<E> pieces;
    for (int i = 0; i < count; ++i) {
      const Tensor& input = context.input(i);
      if (input.num_elements() == 0) continue;
      pieces.push_back(
          {Elements<E>(input), Product(input.shape(), axis, input.rank())});
    }
    return CopyPieces(context, pieces, Product(first, 0, axis),
                      MutableElements<E>(*output));
  }

 private:
  static absl::StatusOr<int> GetAxis(const KernelContext& context, int rank) {
    LEAT_ASSIGN_OR_RETURN(
        const Dims axis,
        GetIndices(context.input(context.num_inputs() - 1), "axis"));
    if (axis.size() != 1) {
      return absl::InvalidArgumentError(
          "Concat axis must be a scalar, or a vector of one element");
    }
    if (axis[0] < -rank || axis[0] >= rank) {
      return absl::InvalidArgumentError(absl::StrCat(
          "ConcatOp : Expected concatenating dimensions in the range [", -rank,
          ", ", rank, "), but got ", axis[0]));
    }
    return static_cast<int>(axis[0] < 0 ? axis[0] + rank : axis[0]);
  }

  static absl::Status CheckFits(const Shape& shape, const Shape& first,
                                int axis, int i) {
    if (shape.rank() != first.rank()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "ConcatOp : Ranks of all input tensors should match: shape[0] = ",
          first.DebugString(), " vs. shape[", i, "] = ", shape.DebugString()));
    }
    for (int d = 0; d < first.rank(); ++d) {
      if (d != axis && shape.dim(d) != first.dim(d)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "ConcatOp : Dimension ", d,
            " in both shapes must be equal: shape[0] = ", first.DebugString(),
            " vs. shape[", i, "] = ", shape.DebugString()));
      }
    }
    return absl::OkStatus();
  }
};

template <class E>
class Pack final : public Kernel {
 public:
  explicit Pack(int64_t axis) : axis_(axis) {}

  absl::Status Compute(KernelContext& context) const final {
    const int count = context.num_inputs();
    const Shape& part = context.input(0).shape();
    const int rank = part.rank() + 1;
    if (axis_ < -rank || axis_ >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis = ", axis_, " not in [", -rank, ", ", rank, ")"));
    }
    const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
    const int64_t rows = Product(part, 0, axis);
    const int64_t row_size = Product(part, axis, part.rank());
    Pieces<E> pieces;
    for (int i = 0; i < count; ++i) {
      const Tensor& input = context.input(i);
      if (input.shape() != part) {
        return absl::InvalidArgumentError(
            absl::StrCat("Shapes of all inputs must match: values[0].shape = ",
                         part.DebugString(), " != values[", i,
                         "].shape = ", input.shape().DebugString()));
      }
      pieces.push_back({Elements<E>(input), row_size});
    }
    Dims dims(part.dims().begin(), part.dims().end());
    dims.insert(dims.begin() + axis, count);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    return CopyPieces(context, pieces, rows, MutableElements<E>(*output));
  }

 private:
  const int64_t axis_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakePack(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t axis,
                        node.attrs.GetOr<int64_t>("axis", 0));
  return MakeForAnyElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<Pack<typename decltype(tag)::type>>(axis);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ConcatV2", kCpu, &MakeElementKernel<Concat, kAttrT>);
  registry.Add("Pack", kCpu, &MakePack);
  registry.Add("ConcatV2", kGpu, &MakeElementKernel<Concat, kAttrT>);
  registry.Add("Pack", kGpu, &MakePack);
}

}  // namespace leat::kernels::any::concat
