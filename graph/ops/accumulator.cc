// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on conditional accumulators, which average gradients and drop
// gradients of earlier steps. The ops have two forms. In the first form, the
// handle is a reference to two strings: the container and the name. In the
// second form, which only dense accumulators have, the handle is a resource.
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::accumulator {
namespace {

// Gives every handle the shape [2], as in TensorFlow, although resource handles
// are scalars.
absl::Status TwoStrings(InferenceContext& context) {
  context.set_output(0, Shape{2});
  return absl::OkStatus();
}

// Checks that input 1 is a scalar. Depending on the op, input 1 is a step or a
// number of gradients. Infers nothing about the outputs.
absl::Status ScalarArgument(InferenceContext& context) {
  return context.WithRank(1, 0).status();
}

KernelSignature OnAnyType() { return NotFoldable(OnCpu()); }
KernelSignature OnFloats() {
  return NotFoldable(OnCpu({{"dtype", kFloats.dtypes()}}));
}

void AddAccumulator(const char* name, const char* doc, const char* handle,
                    OpRegistry& registry) {
  registry.Add({.name = name,
                .doc = doc,
                .outputs = {handle},
                .attrs = {"dtype: numbertype", "shape: shape",
                          "container: string = ''", "shared_name: string = ''",
                          "reduction_type: {'MEAN', 'SUM'} = 'MEAN'"},
                .stateful = true,
                .shape = TwoStrings},
               {OnFloats()});
}

void AddAccumulators(OpRegistry& registry) {
  AddAccumulator("ConditionalAccumulator",
                 "Returns a reference to an accumulator of dense gradients, "
                 "which it makes if there is none.",
                 "handle: Ref(string)", registry);
  AddAccumulator("SparseConditionalAccumulator",
                 "Returns a reference to an accumulator of sparse gradients, "
                 "which it makes if there is none.",
                 "handle: Ref(string)", registry);
  AddAccumulator("ResourceConditionalAccumulator",
                 "Returns the handle of an accumulator of dense gradients, "
                 "which it makes if there is none.",
                 "handle: resource", registry);
}

void AddReferenceForms(OpRegistry& registry) {
  registry.Add({.name = "AccumulatorApplyGradient",
                .doc = "Adds a gradient to an accumulator, or drops it if it "
                       "is of an earlier step.",
                .inputs = {"handle: Ref(string)", "local_step: int64",
                           "gradient: dtype"},
                .attrs = {"dtype: numbertype"},
                .shape = ScalarArgument},
               {OnFloats()});

  registry.Add({.name = "AccumulatorTakeGradient",
                .doc = "Takes the mean or sum out of an accumulator, once it "
                       "has num_required gradients.",
                .inputs = {"handle: Ref(string)", "num_required: int32"},
                .outputs = {"average: dtype"},
                .attrs = {"dtype: numbertype"},
                .shape = ScalarArgument},
               {OnFloats()});

  registry.Add({.name = "AccumulatorNumAccumulated",
                .doc = "Counts the gradients that an accumulator has collected "
                       "in its current step.",
                .inputs = {"handle: Ref(string)"},
                .outputs = {"num_accumulated: int32"},
                .shape = shapes::Scalar},
               {OnAnyType()});

  registry.Add({.name = "AccumulatorSetGlobalStep",
                .doc = "Sets the step of an accumulator, which drops gradients "
                       "of earlier steps.",
                .inputs = {"handle: Ref(string)", "new_global_step: int64"},
                .shape = ScalarArgument},
               {OnAnyType()});
}

void AddSparseForms(OpRegistry& registry) {
  registry.Add({.name = "SparseAccumulatorApplyGradient",
                .doc = "Adds a gradient of some rows to an accumulator, or "
                       "drops it if it is of an earlier step.",
                .inputs = {"handle: Ref(string)", "local_step: int64",
                           "gradient_indices: int64", "gradient_values: dtype",
                           "gradient_shape: int64"},
                .attrs = {"dtype: numbertype", "has_known_shape: bool"},
                .shape = ScalarArgument},
               {OnFloats()});

  registry.Add({.name = "SparseAccumulatorTakeGradient",
                .doc = "Takes the mean or sum of rows out of an accumulator, "
                       "once it has num_required gradients.",
                .inputs = {"handle: Ref(string)", "num_required: int32"},
                .outputs = {"indices: int64", "values: dtype", "shape: int64"},
                .attrs = {"dtype: numbertype"},
                .shape = ScalarArgument},
               {OnFloats()});
}

void AddResourceForms(OpRegistry& registry) {
  registry.Add(
      {.name = "ResourceAccumulatorApplyGradient",
       .doc = "Adds a gradient to the accumulator of a resource handle, or "
              "drops it if it is of an earlier step.",
       .inputs = {"handle: resource", "local_step: int64", "gradient: dtype"},
       .attrs = {"dtype: numbertype"},
       .stateful = true,
       .shape = ScalarArgument},
      {OnFloats()});

  registry.Add({.name = "ResourceAccumulatorTakeGradient",
                .doc = "Takes the mean or sum out of the accumulator of a "
                       "handle, once it has num_required gradients.",
                .inputs = {"handle: resource", "num_required: int32"},
                .outputs = {"average: dtype"},
                .attrs = {"dtype: numbertype"},
                .stateful = true,
                .shape = ScalarArgument},
               {OnFloats()});

  registry.Add({.name = "ResourceAccumulatorNumAccumulated",
                .doc = "Counts the gradients of the current step in the "
                       "accumulator of a resource handle.",
                .inputs = {"handle: resource"},
                .outputs = {"num_accumulated: int32"},
                .stateful = true,
                .shape = shapes::Scalar},
               {OnAnyType()});

  registry.Add({.name = "ResourceAccumulatorSetGlobalStep",
                .doc = "Sets the step of the accumulator of a resource handle, "
                       "which drops gradients of earlier steps.",
                .inputs = {"handle: resource", "new_global_step: int64"},
                .stateful = true,
                .shape = ScalarArgument},
               {OnAnyType()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddAccumulators(registry);
  AddReferenceForms(registry);
  AddSparseForms(registry);
  AddResourceForms(registry);
}

}  // namespace leat::ops::accumulator
