// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Sum, Mean, EuclideanNorm, Prod, Max, Min, All and Any, which reduce
// over given axes.
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::reduction {
namespace {

void AddSumAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Sum",
                .doc = "Adds up the elements of a tensor along the given axes.",
                .inputs = {"input: T", "reduction_indices: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"keep_dims: bool = false", "T: numbertype",
                          "Tidx: {int32, int64} = int32"},
                .shape = shapes::Reduction},
               {ExpensiveOnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
                InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                             {"reduction_indices"}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "Mean",
                .doc = "Computes the mean of the elements of a tensor along "
                       "the given axes.",
                .inputs = {"input: T", "reduction_indices: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"keep_dims: bool = false", "T: numbertype",
                          "Tidx: {int32, int64} = int32"},
                .shape = shapes::Reduction},
               {ExpensiveOnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
                InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                             {"reduction_indices"}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "EuclideanNorm",
       .doc = "Computes the square root of the sum of squares along the given "
              "axes.",
       .inputs = {"input: T", "reduction_indices: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"keep_dims: bool = false", "T: numbertype",
                 "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction,
       .work = works::PerElement<2>},
      {ExpensiveOnCpu({{"T", kNumbersAndComplexes.dtypes()}})});

  registry.Add(
      {.name = "Prod",
       .doc = "Multiplies the elements of a tensor along the given axes.",
       .inputs = {"input: T", "reduction_indices: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"keep_dims: bool = false", "T: numbertype",
                 "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction},
      {ExpensiveOnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                    {"reduction_indices"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "Max",
       .doc = "Returns the largest element of a tensor along the given axes.",
       .inputs = {"input: T", "reduction_indices: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"keep_dims: bool = false",
                 "T: {float, double, int32, uint8, int16, int8, "
                 "int64, bfloat16, uint16, half, uint32, uint64, "
                 "qint8, quint8, qint32, qint16, quint16}",
                 "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                    {"reduction_indices"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddMinAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "Min",
       .doc = "Returns the smallest element of a tensor along the given axes.",
       .inputs = {"input: T", "reduction_indices: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"keep_dims: bool = false",
                 "T: {float, double, int32, uint8, int16, int8, "
                 "int64, bfloat16, uint16, half, uint32, uint64, "
                 "qint8, quint8, qint32, qint16, quint16}",
                 "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                    {"reduction_indices"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "All",
       .doc = "Returns whether all elements of a tensor along the given axes "
              "are true.",
       .inputs = {"input: bool", "reduction_indices: Tidx"},
       .outputs = {"output: bool"},
       .attrs = {"keep_dims: bool = false", "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction},
      {ExpensiveOnCpu(), InHostMemory(OnGpu(), {"reduction_indices"})});

  registry.Add(
      {.name = "Any",
       .doc = "Returns whether any element of a tensor along the given axes is "
              "true.",
       .inputs = {"input: bool", "reduction_indices: Tidx"},
       .outputs = {"output: bool"},
       .attrs = {"keep_dims: bool = false", "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction},
      {ExpensiveOnCpu(), InHostMemory(OnGpu(), {"reduction_indices"})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddSumAndOthers(registry);
  AddMinAndOthers(registry);
}

}  // namespace leat::ops::reduction
