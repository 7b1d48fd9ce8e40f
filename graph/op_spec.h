// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpSpec is the definition of an op as text, which ParseOpSpec turns into an
// OpDef. It is thread-safe.
#ifndef LEAT_GRAPH_OP_SPEC_H_
#define LEAT_GRAPH_OP_SPEC_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/op_def.h"

namespace leat {

// Holds the definition of an op as the files of graph/ops/ write it. The
// arguments and attrs have the textual form of TensorFlow's op definitions. The
// definition is parsed when the op is registered.
//
//   registry.Add({.name = "ConcatV2",
//                 .doc = "Concatenates tensors along an axis.",
//                 .inputs = {"values: N * T", "axis: Tidx"},
//                 .outputs = {"output: T"},
//                 .attrs = {"N: int >= 2", "T: type",
//                           "Tidx: {int32, int64} = int32"},
//                 .shape = ConcatShape});
//
// The forms of an argument are
//
//   "x: float"      one tensor of this type
//   "x: T"          one tensor, whose type is in the attr T
//   "x: N * T"      N tensors of one type
//   "x: Tlist"      one tensor for each type in the attr Tlist
//   "ref: Ref(T)"   a reference
//
// As in TensorFlow, N and the length of Tlist are at least 1 unless their attrs
// say otherwise ("N: int >= 0"). The forms of an attr are
//
//   "T: type"  "T: {float, double} = float"  "T: numbertype"
//   "T: realnumbertype"  "T: quantizedtype"  "T: list({int32, int64})"
//   "dtypes: list(type) >= 1"  "f: func"  "k: int >= 1 = 3"  "f: float = 0.5"
//   "b: bool = true"  "s: string = 'NHWC'"  "p: {'SAME', 'VALID'}"
//   "l: list(int) = [1, 1]"  "shape: shape = {}"
//   "shape: shape = { unknown_rank: true }"  "fs: list(func) = []"
//   "t: tensor = { dtype: int32 tensor_shape {} int_val: 1 }"
struct OpSpec {
  std::string name = {};
  // Says in a sentence of at most 100 characters what the op does. The sentence
  // begins with a verb. It must be a string literal, because the OpDef does not
  // copy it.
  absl::string_view doc = {};
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::vector<std::string> attrs = {};
  bool stateful = false;
  bool commutative = false;
  bool aggregate = false;
  bool allows_uninitialized_input = false;
  ShapeFunction shape = nullptr;
  WorkFunction work = nullptr;
};

// Parses `spec`. Fails with INVALID_ARGUMENT, naming the op, the declaration
// and what is wrong in it.
absl::StatusOr<OpDef> ParseOpSpec(const OpSpec& spec);

}  // namespace leat

#endif  // LEAT_GRAPH_OP_SPEC_H_
