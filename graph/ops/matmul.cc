// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines MatMul, and BatchMatMul in its three versions, which multiplies
// stacks of matrices. Also defines _FusedMatMul, which the fusion pass makes
// from a MatMul.
#include <utility>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::matmul {
namespace {

absl::Status MatMulShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool transpose_a,
                        context.Attr<bool>("transpose_a"));
  LEAT_ASSIGN_OR_RETURN(const bool transpose_b,
                        context.Attr<bool>("transpose_b"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape a, context.WithRank(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape b, context.WithRank(1, 2));
  LEAT_RETURN_IF_ERROR(
      MergeExtents(a.dim(transpose_a ? 0 : 1), b.dim(transpose_b ? 1 : 0))
          .status());
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        PartialShape::Create(Dims{a.dim(transpose_a ? 1 : 0),
                                                  b.dim(transpose_b ? 0 : 1)}));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status BatchMatMulShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool adj_x, context.Attr<bool>("adj_x"));
  LEAT_ASSIGN_OR_RETURN(const bool adj_y, context.Attr<bool>("adj_y"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRankAtLeast(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape y, context.WithRankAtLeast(1, 2));
  LEAT_RETURN_IF_ERROR(
      MergeExtents(ExtentOf(x, adj_x ? -2 : -1), ExtentOf(y, adj_y ? -1 : -2))
          .status());
  if (!x.rank_known() || !y.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape batch,
      BroadcastPartialShapes(Subshape(x, 0, -2), Subshape(y, 0, -2)));
  Dims dims(batch.dims().begin(), batch.dims().end());
  dims.push_back(ExtentOf(x, adj_x ? -1 : -2));
  dims.push_back(ExtentOf(y, adj_y ? -2 : -1));
  return SetOutput(dims, context);
}

// BatchMatMul does not broadcast.
absl::Status EqualBatchMatMulShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRankAtLeast(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape y, context.WithRankAtLeast(1, 2));
  LEAT_RETURN_IF_ERROR(BatchMatMulShape(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape batch,
                        Merge(Subshape(x, 0, -2), Subshape(y, 0, -2)));
  if (!batch.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const bool adj_x, context.Attr<bool>("adj_x"));
  LEAT_ASSIGN_OR_RETURN(const bool adj_y, context.Attr<bool>("adj_y"));
  Dims dims(batch.dims().begin(), batch.dims().end());
  dims.push_back(ExtentOf(x, adj_x ? -1 : -2));
  dims.push_back(ExtentOf(y, adj_y ? -2 : -1));
  return SetOutput(dims, context);
}

// Returns the work of a product in which each element is a sum of `count`
// products.
Work ProductWork(double count, const WorkContext& context) {
  Work work = works::Move(context);
  work.flops = 2 * count * FlopsOf(context.output(0));
  return work;
}

Work MatMulWork(const WorkContext& context) {
  const int axis = context.Flag("transpose_a") ? 0 : 1;
  return ProductWork(context.InputExtent(0, axis), context);
}

Work BatchMatMulWork(const WorkContext& context) {
  const int axis = context.Flag("adj_x") ? -2 : -1;
  return ProductWork(context.InputExtent(0, axis), context);
}

constexpr DTypeList<int16_t> kInt16Only;

// Returns the signatures of BatchMatMulV3: one for each type that is multiplied
// as it is, and those of 8-bit integers. GPUs multiply floats of one type.
std::vector<KernelSignature> MixedSignatures() {
  const auto mixed = [](std::vector<DType> a, std::vector<DType> b, DType out) {
    return ExpensiveOnCpu(
        {{"Ta", std::move(a)}, {"Tb", std::move(b)}, {"Tout", {out}}});
  };
  std::vector<KernelSignature> signatures;
  for (const DType dtype :
       (kFloatsAndComplexes + kIndices + kInt16Only).dtypes()) {
    signatures.push_back(mixed({dtype}, {dtype}, dtype));
  }
  for (const DType dtype : kFloats.dtypes()) {
    signatures.push_back(
        OnGpu({{"Ta", {dtype}}, {"Tb", {dtype}}, {"Tout", {dtype}}}));
  }
  const std::vector<DType> narrow = {DType::kInt8, DType::kUint8};
  const std::vector<DType> bfloat = {DType::kBfloat16};
  signatures.push_back(mixed(narrow, narrow, DType::kInt32));
  signatures.push_back(mixed(narrow, bfloat, DType::kBfloat16));
  signatures.push_back(mixed(bfloat, narrow, DType::kBfloat16));
  return signatures;
}

void RegisterOtherVersions(OpRegistry& registry) {
  registry.Add(
      {.name = "BatchMatMul",
       .doc =
           "Multiplies matrices in the last two axes of x and y, whose other "
           "axes are the same.",
       .inputs = {"x: T", "y: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, "
                 "complex128}",
                 "adj_x: bool = false", "adj_y: bool = false"},
       .shape = EqualBatchMatMulShape,
       .work = BatchMatMulWork},
      {ExpensiveOnCpu({{"T", (kFloatsAndComplexes + kIndices).dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "BatchMatMulV3",
       .doc = "Multiplies matrices in the last two axes of x and y, which may "
              "have different types.",
       .inputs = {"x: Ta", "y: Tb"},
       .outputs = {"output: Tout"},
       .attrs = {"Ta: {bfloat16, half, float, double, uint8, int8, int16, "
                 "int32, int64, complex64, complex128}",
                 "Tb: {bfloat16, half, float, double, uint8, int8, int16, "
                 "int32, int64, complex64, complex128}",
                 "Tout: {bfloat16, half, float, double, int16, int32, int64, "
                 "complex64, complex128}",
                 "adj_x: bool = false", "adj_y: bool = false"},
       .shape = BatchMatMulShape,
       .work = BatchMatMulWork},
      MixedSignatures());
}

}  // namespace

void Register(OpRegistry& registry) {
  RegisterOtherVersions(registry);
  registry.Add(
      {.name = "MatMul",
       .doc = "Multiplies two matrices, each of which may be transposed first.",
       .inputs = {"a: T", "b: T"},
       .outputs = {"product: T"},
       .attrs = {"transpose_a: bool = false", "transpose_b: bool = false",
                 "T: {bfloat16, half, float, double, int32, int64, uint8, "
                 "uint16, uint32, uint64, complex64, complex128}"},
       .shape = MatMulShape,
       .work = MatMulWork},
      {ExpensiveOnCpu({{"T", (kFloatsAndComplexes + kIndices).dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "_FusedMatMul",
       .doc = "Computes MatMul and applies fused_ops, a bias and maybe an "
              "activation, to the product.",
       .inputs = {"a: T", "b: T", "args: num_args * T"},
       .outputs = {"product: T"},
       .attrs = {"transpose_a: bool = false", "transpose_b: bool = false",
                 "T: {bfloat16, half, float}", "num_args: int >= 0",
                 "fused_ops: list(string) = []", "epsilon: float = 0.0001",
                 "leakyrelu_alpha: float = 0.2"},
       .shape = MatMulShape,
       .work = MatMulWork},
      {ExpensiveOnCpu({{"T", {DType::kFloat}}}),
       OnGpu({{"T", {DType::kHalf, DType::kBfloat16, DType::kFloat}}})});

  registry.Add(
      {.name = "BatchMatMulV2",
       .doc = "Multiplies matrices in the last two axes of x and y, and "
              "broadcasts the other axes.",
       .inputs = {"x: T", "y: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {bfloat16, half, float, double, int16, int32, int64, "
                 "uint8, uint16, uint32, uint64, complex64, complex128}",
                 "adj_x: bool = false", "adj_y: bool = false"},
       .shape = BatchMatMulShape,
       .work = BatchMatMulWork},
      {ExpensiveOnCpu(
           {{"T", (kFloatsAndComplexes + kIndices + DTypeList<int16_t>())
                      .dtypes()}}),
       OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::matmul
