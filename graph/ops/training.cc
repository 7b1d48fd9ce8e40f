// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Apply* and ResourceApply*, which apply one step of an optimizer, in
// place, to a variable and its slots.
#include <utility>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::training {
namespace {

// Checks that the variable, its slots and the gradient have the same shape, and
// that all other inputs are scalars. Gives output 0 the shape of the variable.
absl::Status ApplyShape(InferenceContext& context) {
  const std::vector<ArgDef>& args = context.op().inputs;
  PartialShape merged;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const ArgDef& arg = args[static_cast<size_t>(i)];
    if (arg.is_ref || arg.type == DType::kResource) {
      LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, VariableShapeOf(context, i)));
    } else if (arg.name == "grad" || arg.name == "delta") {
      LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, context.input(i)));
    } else {
      LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
    }
  }
  context.set_output(0, std::move(merged));
  return absl::OkStatus();
}

void AddApplyGradientDescent(OpRegistry& registry) {
  registry.Add({.name = "ApplyGradientDescent",
                .doc = "Subtracts alpha * delta from a reference variable.",
                .inputs = {"var: Ref(T)", "alpha: T", "delta: T"},
                .outputs = {"out: Ref(T)"},
                .attrs = {"T: numbertype", "use_locking: bool = false"},
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add({.name = "ResourceApplyGradientDescent",
                .doc = "Subtracts alpha * delta from a resource variable.",
                .inputs = {"var: resource", "alpha: T", "delta: T"},
                .attrs = {"T: numbertype", "use_locking: bool = false"},
                .stateful = true,
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});
}

void AddApplyMomentum(OpRegistry& registry) {
  registry.Add({.name = "ApplyMomentum",
                .doc = "Does a step of gradient descent with momentum on a "
                       "reference variable.",
                .inputs = {"var: Ref(T)", "accum: Ref(T)", "lr: T", "grad: T",
                           "momentum: T"},
                .outputs = {"out: Ref(T)"},
                .attrs = {"T: numbertype", "use_locking: bool = false",
                          "use_nesterov: bool = false"},
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add({.name = "ResourceApplyMomentum",
                .doc = "Does a step of gradient descent with momentum on a "
                       "resource variable.",
                .inputs = {"var: resource", "accum: resource", "lr: T",
                           "grad: T", "momentum: T"},
                .attrs = {"T: numbertype", "use_locking: bool = false",
                          "use_nesterov: bool = false"},
                .stateful = true,
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});
}

void AddApplyAdam(OpRegistry& registry) {
  registry.Add({.name = "ApplyAdam",
                .doc = "Does a step of Adam on a reference variable.",
                .inputs = {"var: Ref(T)", "m: Ref(T)", "v: Ref(T)",
                           "beta1_power: T", "beta2_power: T", "lr: T",
                           "beta1: T", "beta2: T", "epsilon: T", "grad: T"},
                .outputs = {"out: Ref(T)"},
                .attrs = {"T: numbertype", "use_locking: bool = false",
                          "use_nesterov: bool = false"},
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add({.name = "ResourceApplyAdam",
                .doc = "Does a step of Adam on a resource variable.",
                .inputs = {"var: resource", "m: resource", "v: resource",
                           "beta1_power: T", "beta2_power: T", "lr: T",
                           "beta1: T", "beta2: T", "epsilon: T", "grad: T"},
                .attrs = {"T: numbertype", "use_locking: bool = false",
                          "use_nesterov: bool = false"},
                .stateful = true,
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});
}

void AddApplyAdagrad(OpRegistry& registry) {
  registry.Add({.name = "ApplyAdagrad",
                .doc = "Does a step of Adagrad on a reference variable.",
                .inputs = {"var: Ref(T)", "accum: Ref(T)", "lr: T", "grad: T"},
                .outputs = {"out: Ref(T)"},
                .attrs = {"T: numbertype", "use_locking: bool = false",
                          "update_slots: bool = true"},
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "ResourceApplyAdagrad",
       .doc = "Does a step of Adagrad on a resource variable.",
       .inputs = {"var: resource", "accum: resource", "lr: T", "grad: T"},
       .attrs = {"T: numbertype", "use_locking: bool = false",
                 "update_slots: bool = true"},
       .stateful = true,
       .shape = ApplyShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});
}

void AddApplyRMSProp(OpRegistry& registry) {
  registry.Add({.name = "ApplyRMSProp",
                .doc = "Does a step of RMSProp on a reference variable.",
                .inputs = {"var: Ref(T)", "ms: Ref(T)", "mom: Ref(T)", "lr: T",
                           "rho: T", "momentum: T", "epsilon: T", "grad: T"},
                .outputs = {"out: Ref(T)"},
                .attrs = {"T: numbertype", "use_locking: bool = false"},
                .shape = ApplyShape},
               {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "ResourceApplyRMSProp",
       .doc = "Does a step of RMSProp on a resource variable.",
       .inputs = {"var: resource", "ms: resource", "mom: resource", "lr: T",
                  "rho: T", "momentum: T", "epsilon: T", "grad: T"},
       .attrs = {"T: numbertype", "use_locking: bool = false"},
       .stateful = true,
       .shape = ApplyShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});
}

void AddApplyCenteredRMSProp(OpRegistry& registry) {
  registry.Add(
      {.name = "ApplyCenteredRMSProp",
       .doc = "Does a step of centered RMSProp on a reference variable.",
       .inputs = {"var: Ref(T)", "mg: Ref(T)", "ms: Ref(T)", "mom: Ref(T)",
                  "lr: T", "rho: T", "momentum: T", "epsilon: T", "grad: T"},
       .outputs = {"out: Ref(T)"},
       .attrs = {"T: numbertype", "use_locking: bool = false"},
       .shape = ApplyShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "ResourceApplyCenteredRMSProp",
       .doc = "Does a step of centered RMSProp on a resource variable.",
       .inputs = {"var: resource", "mg: resource", "ms: resource",
                  "mom: resource", "lr: T", "rho: T", "momentum: T",
                  "epsilon: T", "grad: T"},
       .attrs = {"T: numbertype", "use_locking: bool = false"},
       .stateful = true,
       .shape = ApplyShape},
      {NotFoldable(OnCpu({{"T", kFloatsAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddApplyGradientDescent(registry);
  AddApplyMomentum(registry);
  AddApplyAdam(registry);
  AddApplyAdagrad(registry);
  AddApplyRMSProp(registry);
  AddApplyCenteredRMSProp(registry);
}

}  // namespace leat::ops::training
