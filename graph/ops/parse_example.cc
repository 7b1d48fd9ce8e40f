// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ParseExample, ParseExampleV2 and ParseSingleExample, which turn
// serialized Examples into tensors.
#include <cstdint>
#include <string>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::parse_example {
namespace {

absl::Status Contradiction() {
  return absl::InvalidArgumentError(
      "the numbers of keys, types, shapes and defaults do not fit");
}

// Returns INVALID_ARGUMENT if the attrs of dense features contradict each
// other. An unknown extent, other than that of the first axis, is an error.
absl::StatusOr<std::vector<PartialShape>> DenseShapes(
    const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      auto shapes, context.Attr<std::vector<PartialShape>>("dense_shapes"));
  LEAT_ASSIGN_OR_RETURN(const auto types,
                        context.Attr<std::vector<DType>>("Tdense"));
  if (shapes.size() != types.size()) return Contradiction();
  for (const PartialShape& shape : shapes) {
    for (int i = 1; i < shape.rank(); ++i) {
      if (!shape.dim_known(i)) return Contradiction();
    }
    if (!shape.rank_known()) return Contradiction();
  }
  return shapes;
}

// Sets the shapes of the outputs, which come in this order: the indices, the
// values and the shapes of sparse features, and the dense features. `batch` is
// the shape of the serialized Examples. Returns the number of outputs set.
absl::StatusOr<int> SetSparseAndDense(const PartialShape& batch,
                                      int64_t num_sparse,
                                      InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const auto dense, DenseShapes(context));
  const int64_t rank =
      batch.rank_known() ? batch.rank() + 1 : PartialShape::kUnknown;
  int output = 0;
  const auto set_sparse = [&](const PartialShape& shape) {
    for (int64_t i = 0; i < num_sparse; ++i) {
      context.set_output(output++, shape);
    }
  };
  if (num_sparse > context.num_outputs()) return Contradiction();
  set_sparse({PartialShape::kUnknown, rank});
  set_sparse({PartialShape::kUnknown});
  set_sparse({rank});
  for (const PartialShape& shape : dense) {
    LEAT_ASSIGN_OR_RETURN(PartialShape whole, ConcatenateShapes(batch, shape));
    context.set_output(output++, std::move(whole));
  }
  return output;
}

// Returns the value of the attr `number`, which must be the length of the list
// of types `types`.
absl::StatusOr<int64_t> CountOf(const InferenceContext& context,
                                absl::string_view number,
                                absl::string_view types) {
  LEAT_ASSIGN_OR_RETURN(const int64_t count, context.Attr<int64_t>(number));
  LEAT_ASSIGN_OR_RETURN(const auto list,
                        context.Attr<std::vector<DType>>(types));
  if (count != static_cast<int64_t>(list.size())) return Contradiction();
  return count;
}

absl::Status ParseExampleShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t num_sparse,
                        CountOf(context, "Nsparse", "sparse_types"));
  LEAT_RETURN_IF_ERROR(CountOf(context, "Ndense", "Tdense").status());
  LEAT_ASSIGN_OR_RETURN(const PartialShape batch, context.WithRank(0, 1));
  return SetSparseAndDense(batch, num_sparse, context).status();
}

absl::Status ParseExampleV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t num_sparse,
                        CountOf(context, "num_sparse", "sparse_types"));
  LEAT_ASSIGN_OR_RETURN(const auto values,
                        context.Attr<std::vector<DType>>("ragged_value_types"));
  LEAT_ASSIGN_OR_RETURN(const auto splits,
                        context.Attr<std::vector<DType>>("ragged_split_types"));
  if (values.size() != splits.size()) return Contradiction();
  const PartialShape& batch = context.input(0);
  if (batch.rank_known() && batch.rank() > 1) {
    return absl::InvalidArgumentError("the Examples have a rank above 1");
  }
  LEAT_ASSIGN_OR_RETURN(int output,
                        SetSparseAndDense(batch, num_sparse, context));
  for (size_t i = 0; i < values.size(); ++i) {
    context.set_output(output++, {PartialShape::kUnknown});
  }
  // There is a row for each Example.
  int64_t num_splits = PartialShape::kUnknown;
  if (batch.rank_known() && batch.rank() == 1) {
    LEAT_ASSIGN_OR_RETURN(num_splits, AddExtents(ExtentOf(batch, 0), 1));
  }
  for (size_t i = 0; i < splits.size(); ++i) {
    context.set_output(output++, {num_splits});
  }
  return absl::OkStatus();
}

absl::Status ParseSingleExampleShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t num_sparse,
                        CountOf(context, "num_sparse", "sparse_types"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape batch, context.WithRank(0, 0));
  return SetSparseAndDense(batch, num_sparse, context).status();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "ParseExample",
       .doc = "Parses a vector of Examples into sparse and dense tensors.",
       .inputs = {"serialized: string", "names: string",
                  "sparse_keys: Nsparse * string",
                  "dense_keys: Ndense * string", "dense_defaults: Tdense"},
       .outputs = {"sparse_indices: Nsparse * int64",
                   "sparse_values: sparse_types",
                   "sparse_shapes: Nsparse * int64", "dense_values: Tdense"},
       .attrs = {"Nsparse: int >= 0", "Ndense: int >= 0",
                 "sparse_types: list({float, int64, string}) >= 0",
                 "Tdense: list({float, int64, string}) >= 0",
                 "dense_shapes: list(shape) >= 0"},
       .shape = ParseExampleShape},
      {ExpensiveOnCpu()});

  registry.Add(
      {.name = "ParseExampleV2",
       .doc = "Parses Examples into sparse, dense and ragged tensors.",
       .inputs = {"serialized: string", "names: string", "sparse_keys: string",
                  "dense_keys: string", "ragged_keys: string",
                  "dense_defaults: Tdense"},
       .outputs = {"sparse_indices: num_sparse * int64",
                   "sparse_values: sparse_types",
                   "sparse_shapes: num_sparse * int64", "dense_values: Tdense",
                   "ragged_values: ragged_value_types",
                   "ragged_row_splits: ragged_split_types"},
       .attrs = {"Tdense: list({float, int64, string}) >= 0",
                 "num_sparse: int >= 0",
                 "sparse_types: list({float, int64, string}) >= 0",
                 "ragged_value_types: list({float, int64, string}) >= 0",
                 "ragged_split_types: list({int32, int64}) >= 0",
                 "dense_shapes: list(shape) >= 0"},
       .shape = ParseExampleV2Shape},
      {ExpensiveOnCpu()});

  registry.Add(
      {.name = "ParseSingleExample",
       .doc = "Parses one Example into sparse and dense tensors.",
       .inputs = {"serialized: string", "dense_defaults: Tdense"},
       .outputs = {"sparse_indices: num_sparse * int64",
                   "sparse_values: sparse_types",
                   "sparse_shapes: num_sparse * int64", "dense_values: Tdense"},
       .attrs = {"num_sparse: int >= 0", "sparse_keys: list(string) >= 0",
                 "dense_keys: list(string) >= 0",
                 "sparse_types: list({float, int64, string}) >= 0",
                 "Tdense: list({float, int64, string}) >= 0",
                 "dense_shapes: list(shape) >= 0"},
       .shape = ParseSingleExampleShape},
      {OnCpu()});
}

}  // namespace leat::ops::parse_example
