// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Relu, Relu6, Elu, Selu, LeakyRelu, Softplus and Softsign and the ops
// of their gradients.
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::activations {
namespace {

void AddReluAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "Relu",
       .doc = "Returns features where they are positive, and 0 elsewhere.",
       .inputs = {"features: T"},
       .outputs = {"activations: T"},
       .attrs = {"T: {float, double, int32, uint8, int16, int8, int64, "
                 "bfloat16, uint16, half, uint32, uint64, qint8}"},
       .shape = shapes::Unchanged},
      {OnCpu({{"T", kNumbers.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "ReluGrad",
       .doc = "Computes the gradient of Relu: gradients where "
              "features are positive, and 0 elsewhere.",
       .inputs = {"gradients: T", "features: T"},
       .outputs = {"backprops: T"},
       .attrs = {"T: realnumbertype"},
       .shape = shapes::MergeAll,
       .work = works::PerElement<2>},
      {OnCpu({{"T", kNumbers.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "Relu6",
       .doc = "Limits features to the range from 0 to 6.",
       .inputs = {"features: T"},
       .outputs = {"activations: T"},
       .attrs = {"T: realnumbertype"},
       .shape = shapes::Unchanged,
       .work = works::PerElement<2>},
      {OnCpu({{"T", kNumbers.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "Relu6Grad",
       .doc = "Computes the gradient of Relu6: gradients where "
              "features are between 0 and 6, and 0 elsewhere.",
       .inputs = {"gradients: T", "features: T"},
       .outputs = {"backprops: T"},
       .attrs = {"T: realnumbertype"},
       .shape = shapes::MergeAll,
       .work = works::PerElement<3>},
      {OnCpu({{"T", kNumbers.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
}

void AddEluAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "Elu",
       .doc = "Returns features where they are positive, and "
              "exp(features) - 1 elsewhere.",
       .inputs = {"features: T"},
       .outputs = {"activations: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::Unchanged,
       .work = works::Transcendental},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "EluGrad",
       .doc =
           "Computes the gradient of Elu from its outputs and their gradients.",
       .inputs = {"gradients: T", "outputs: T"},
       .outputs = {"backprops: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::MergeAll,
       .work = works::PerElement<3>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "LeakyRelu",
       .doc = "Returns features where they are positive, and alpha * "
              "features elsewhere.",
       .inputs = {"features: T"},
       .outputs = {"activations: T"},
       .attrs = {"alpha: float = 0.2",
                 "T: {half, bfloat16, float, double} = float"},
       .shape = shapes::Unchanged,
       .work = works::PerElement<2>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "LeakyReluGrad",
       .doc = "Computes the gradient of LeakyRelu from its features "
              "and the gradients of its output.",
       .inputs = {"gradients: T", "features: T"},
       .outputs = {"backprops: T"},
       .attrs = {"alpha: float = 0.2",
                 "T: {half, bfloat16, float, double} = float"},
       .shape = shapes::MergeAll,
       .work = works::PerElement<2>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
}

void AddSoftplusAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "Softplus",
       .doc = "Returns log(1 + exp(features)), element by element.",
       .inputs = {"features: T"},
       .outputs = {"activations: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::Unchanged,
       .work = works::PerElement<30>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "SoftplusGrad",
       .doc = "Computes the gradient of Softplus, which is gradients "
              "* Sigmoid(features).",
       .inputs = {"gradients: T", "features: T"},
       .outputs = {"backprops: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::MergeAll,
       .work = works::Transcendental},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
}

void AddSeluAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "Selu",
       .doc = "Returns features, or a multiple of exp(features) - 1 "
              "where they are negative, scaled.",
       .inputs = {"features: T"},
       .outputs = {"activations: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::Unchanged,
       .work = works::Transcendental},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "SeluGrad",
       .doc = "Computes the gradient of Selu from its outputs and "
              "their gradients.",
       .inputs = {"gradients: T", "outputs: T"},
       .outputs = {"backprops: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::MergeAll,
       .work = works::PerElement<3>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "Softsign",
       .doc = "Returns features / (1 + |features|), element by "
              "element.",
       .inputs = {"features: T"},
       .outputs = {"activations: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::Unchanged,
       .work = works::PerElement<3>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "SoftsignGrad",
       .doc = "Computes the gradient of Softsign, which is gradients "
              "/ (1 + |features|)^2.",
       .inputs = {"gradients: T", "features: T"},
       .outputs = {"backprops: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = shapes::MergeAll,
       .work = works::PerElement<4>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddReluAndOthers(registry);
  AddEluAndOthers(registry);
  AddSoftplusAndOthers(registry);
  AddSeluAndOthers(registry);
}

}  // namespace leat::ops::activations
