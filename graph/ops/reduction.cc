// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Sum, Mean, Prod, Max, Min, All and Any, which reduce over given axes.
#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::reduction {
namespace {

void AddSumAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Sum",
                .inputs = {"input: T", "reduction_indices: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"keep_dims: bool = false", "T: numbertype",
                          "Tidx: {int32, int64} = int32"},
                .shape = shapes::Reduction},
               {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});

  registry.Add({.name = "Mean",
                .inputs = {"input: T", "reduction_indices: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"keep_dims: bool = false", "T: numbertype",
                          "Tidx: {int32, int64} = int32"},
                .shape = shapes::Reduction},
               {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});

  registry.Add({.name = "Prod",
                .inputs = {"input: T", "reduction_indices: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"keep_dims: bool = false", "T: numbertype",
                          "Tidx: {int32, int64} = int32"},
                .shape = shapes::Reduction},
               {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});

  registry.Add({.name = "Max",
                .inputs = {"input: T", "reduction_indices: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"keep_dims: bool = false",
                          "T: {float, double, int32, uint8, int16, int8, "
                          "int64, bfloat16, uint16, half, uint32, uint64, "
                          "qint8, quint8, qint32, qint16, quint16}",
                          "Tidx: {int32, int64} = int32"},
                .shape = shapes::Reduction},
               {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});
}

void AddMinAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Min",
                .inputs = {"input: T", "reduction_indices: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"keep_dims: bool = false",
                          "T: {float, double, int32, uint8, int16, int8, "
                          "int64, bfloat16, uint16, half, uint32, uint64, "
                          "qint8, quint8, qint32, qint16, quint16}",
                          "Tidx: {int32, int64} = int32"},
                .shape = shapes::Reduction},
               {ExpensiveOnCpu({{"T", kNumbers.dtypes()}})});

  registry.Add(
      {.name = "All",
       .inputs = {"input: bool", "reduction_indices: Tidx"},
       .outputs = {"output: bool"},
       .attrs = {"keep_dims: bool = false", "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction},
      {ExpensiveOnCpu()});

  registry.Add(
      {.name = "Any",
       .inputs = {"input: bool", "reduction_indices: Tidx"},
       .outputs = {"output: bool"},
       .attrs = {"keep_dims: bool = false", "Tidx: {int32, int64} = int32"},
       .shape = shapes::Reduction},
      {ExpensiveOnCpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddSumAndOthers(registry);
  AddMinAndOthers(registry);
}

}  // namespace leat::ops::reduction
