// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the random ops that are functions of a key and a counter.
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::stateless_random {
namespace {

// These are the numbers of uint64 elements in a key and in a counter. They are
// the same for Philox and ThreeFry.
constexpr int64_t kKeyLength = 1;
constexpr int64_t kCounterLength = 2;

absl::Status StatelessRandomShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 1).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 1).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(3, 0).status());
  LEAT_RETURN_IF_ERROR(
      Merge(context.input(1), PartialShape(Shape{kKeyLength})).status());
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, ShapeInput(context, 0));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status KeyCounterShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape seed, context.WithRank(0, 1));
  LEAT_RETURN_IF_ERROR(MergeExtents(seed.dim(0), 2).status());
  context.set_output(0, Shape{kKeyLength});
  context.set_output(1, Shape{kCounterLength});
  return absl::OkStatus();
}

void AddStatelessRandomUniformV2AndOthers(OpRegistry& registry) {
  registry.Add({.name = "StatelessRandomUniformV2",
                .doc = "Returns numbers as RandomUniform does, which depend "
                       "only on key, counter and alg.",
                .inputs = {"shape: Tshape", "key: uint64", "counter: uint64",
                           "alg: int32"},
                .outputs = {"output: dtype"},
                .attrs = {"dtype: {half, bfloat16, float, double} = float",
                          "Tshape: {int32, int64} = int32"},
                .shape = StatelessRandomShape,
                .work = works::Generate<25>},
               {NotFoldable(OnCpu({{"dtype", kFloats.dtypes()},
                                   {"Tshape", kIndices.dtypes()}})),
                InHostMemory(OnGpu({{"dtype", kFloats.dtypes()}}),
                             {"shape", "key", "counter", "alg"})});

  registry.Add({.name = "StatelessRandomNormalV2",
                .doc = "Returns numbers as RandomStandardNormal does, which "
                       "depend only on key, counter and alg.",
                .inputs = {"shape: Tshape", "key: uint64", "counter: uint64",
                           "alg: int32"},
                .outputs = {"output: dtype"},
                .attrs = {"dtype: {half, bfloat16, float, double} = float",
                          "Tshape: {int32, int64} = int32"},
                .shape = StatelessRandomShape,
                .work = works::Generate<50>},
               {NotFoldable(OnCpu({{"dtype", kFloats.dtypes()},
                                   {"Tshape", kIndices.dtypes()}})),
                InHostMemory(OnGpu({{"dtype", kFloats.dtypes()}}),
                             {"shape", "key", "counter", "alg"})});

  registry.Add({.name = "StatelessTruncatedNormalV2",
                .doc = "Returns numbers as TruncatedNormal does, which depend "
                       "only on key, counter and alg.",
                .inputs = {"shape: Tshape", "key: uint64", "counter: uint64",
                           "alg: int32"},
                .outputs = {"output: dtype"},
                .attrs = {"dtype: {half, bfloat16, float, double} = float",
                          "Tshape: {int32, int64} = int32"},
                .shape = StatelessRandomShape,
                .work = works::Generate<50>},
               {NotFoldable(OnCpu({{"dtype", kFloats.dtypes()},
                                   {"Tshape", kIndices.dtypes()}})),
                InHostMemory(OnGpu({{"dtype", kFloats.dtypes()}}),
                             {"shape", "key", "counter", "alg"})});

  registry.Add({.name = "StatelessRandomGetKeyCounter",
                .doc = "Makes of a seed the key and the counter of a random "
                       "number generator.",
                .inputs = {"seed: Tseed"},
                .outputs = {"key: uint64", "counter: uint64"},
                .attrs = {"Tseed: {int32, int64} = int64"},
                .shape = KeyCounterShape},
               {NotFoldable(OnCpu()), HostOnGpu()});
}

void AddStatelessRandomGetAlg(OpRegistry& registry) {
  registry.Add({.name = "StatelessRandomGetAlg",
                .doc = "Returns the number of the algorithm that makes random "
                       "numbers on the device.",
                .outputs = {"alg: int32"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu()), HostOnGpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddStatelessRandomUniformV2AndOthers(registry);
  AddStatelessRandomGetAlg(registry);
}

}  // namespace leat::ops::stateless_random
