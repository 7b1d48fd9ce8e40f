// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines SparseApply* and ResourceSparseApply*, which update some rows of a
// variable and of its slots in place.
#include <utility>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::sparse_training {
namespace {

// Checks that the gradient has one row per index, and that its rows have the
// shape of the variable's rows.
absl::Status CheckRows(const PartialShape& variable,
                       const PartialShape& gradient,
                       const PartialShape& indices) {
  if (variable.rank_known() && variable.rank() == 0) {
    return absl::InvalidArgumentError(
        "Shape must be at least rank 1 but is rank 0");
  }
  LEAT_ASSIGN_OR_RETURN(const PartialShape expected,
                        ConcatenateShapes(indices, Subshape(variable, 1)));
  return Merge(expected, gradient).status();
}

absl::Status ApplyRowsShape(InferenceContext& context) {
  const std::vector<ArgDef>& args = context.op().inputs;
  PartialShape variable;
  PartialShape gradient;
  PartialShape indices;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const ArgDef& arg = args[static_cast<size_t>(i)];
    if (arg.is_ref || arg.type == DType::kResource) {
      LEAT_ASSIGN_OR_RETURN(variable,
                            Merge(variable, VariableShapeOf(context, i)));
    } else if (arg.name == "grad") {
      LEAT_ASSIGN_OR_RETURN(gradient, context.WithRankAtLeast(i, 1));
    } else if (arg.name == "indices") {
      LEAT_ASSIGN_OR_RETURN(indices, context.WithRank(i, 1));
    } else {
      LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
    }
  }
  LEAT_RETURN_IF_ERROR(CheckRows(variable, gradient, indices));
  context.set_output(0, std::move(variable));
  return absl::OkStatus();
}

void AddSparseApplyMomentum(OpRegistry& registry) {
  registry.Add(
      {.name = "SparseApplyMomentum",
       .doc = "Does a step of gradient descent with momentum on some rows of a "
              "reference variable.",
       .inputs = {"var: Ref(T)", "accum: Ref(T)", "lr: T", "grad: T",
                  "indices: Tindices", "momentum: T"},
       .outputs = {"out: Ref(T)"},
       .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                 "use_locking: bool = false", "use_nesterov: bool = false"},
       .shape = ApplyRowsShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "ResourceSparseApplyMomentum",
       .doc = "Does a step of gradient descent with momentum on some rows of a "
              "resource variable.",
       .inputs = {"var: resource", "accum: resource", "lr: T", "grad: T",
                  "indices: Tindices", "momentum: T"},
       .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                 "use_locking: bool = false", "use_nesterov: bool = false"},
       .stateful = true,
       .shape = ApplyRowsShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});
}

void AddSparseApplyAdagrad(OpRegistry& registry) {
  registry.Add(
      {.name = "SparseApplyAdagrad",
       .doc = "Does a step of Adagrad on some rows of a reference variable.",
       .inputs = {"var: Ref(T)", "accum: Ref(T)", "lr: T", "grad: T",
                  "indices: Tindices"},
       .outputs = {"out: Ref(T)"},
       .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                 "use_locking: bool = false", "update_slots: bool = true"},
       .shape = ApplyRowsShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "ResourceSparseApplyAdagrad",
       .doc = "Does a step of Adagrad on some rows of a resource variable.",
       .inputs = {"var: resource", "accum: resource", "lr: T", "grad: T",
                  "indices: Tindices"},
       .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                 "use_locking: bool = false", "update_slots: bool = true"},
       .stateful = true,
       .shape = ApplyRowsShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});
}

void AddSparseApplyRMSProp(OpRegistry& registry) {
  registry.Add(
      {.name = "SparseApplyRMSProp",
       .doc = "Does a step of RMSProp on some rows of a reference variable.",
       .inputs = {"var: Ref(T)", "ms: Ref(T)", "mom: Ref(T)", "lr: T", "rho: T",
                  "momentum: T", "epsilon: T", "grad: T", "indices: Tindices"},
       .outputs = {"out: Ref(T)"},
       .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                 "use_locking: bool = false"},
       .shape = ApplyRowsShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "ResourceSparseApplyRMSProp",
       .doc = "Does a step of RMSProp on some rows of a resource variable.",
       .inputs = {"var: resource", "ms: resource", "mom: resource", "lr: T",
                  "rho: T", "momentum: T", "epsilon: T", "grad: T",
                  "indices: Tindices"},
       .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                 "use_locking: bool = false"},
       .stateful = true,
       .shape = ApplyRowsShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddSparseApplyMomentum(registry);
  AddSparseApplyAdagrad(registry);
  AddSparseApplyRMSProp(registry);
}

}  // namespace leat::ops::sparse_training
