// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpDef: the signature of an op, as TensorFlow's OpDef: arguments, attrs and
// flags, and the function that infers output shapes. Immutable once registered.
#ifndef LEAT_GRAPH_OP_DEF_H_
#define LEAT_GRAPH_OP_DEF_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/attr.h"

namespace leat {

class InferenceContext;

// Sets the output shapes of a node from its inputs' shapes and attrs, or
// refuses what can never run. A plain function, given untrusted graphs.
using ShapeFunction = absl::Status (*)(InferenceContext&);

// One input or output argument; it stands for one tensor, for `number_attr`
// tensors of one type, or for one tensor per type in `type_list_attr`.
struct ArgDef {
  std::string name = {};
  DType type = DType::kInvalid;     // set, or type_attr is, or type_list_attr
  std::string type_attr = {};       // "T"
  std::string number_attr = {};     // "N"
  std::string type_list_attr = {};  // "Tout"
  bool is_ref = false;

  friend bool operator==(const ArgDef&, const ArgDef&) = default;
};

struct AttrDef {
  std::string name = {};
  std::string type = {};  // "int", "list(type)", "func", ... see AttrTypeName
  std::optional<AttrValue> default_value = {};
  std::optional<int64_t> minimum = {};            // of an int, or list length
  std::vector<DType> allowed_types = {};          // empty: any
  std::vector<std::string> allowed_strings = {};  // empty: any

  friend bool operator==(const AttrDef&, const AttrDef&) = default;
};

struct OpDef {
  std::string name = {};
  std::vector<ArgDef> inputs = {};
  std::vector<ArgDef> outputs = {};
  std::vector<AttrDef> attrs = {};
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  ShapeFunction shape_function = nullptr;

  const AttrDef* FindAttr(absl::string_view name) const;

  friend bool operator==(const OpDef&, const OpDef&) = default;
};

// What op files write: argument and attr declarations in TensorFlow's textual
// form, parsed when the op is registered.
//
//   registry.Add({.name = "ConcatV2",
//                 .inputs = {"values: N * T", "axis: Tidx"},
//                 .outputs = {"output: T"},
//                 .attrs = {"N: int >= 2", "T: type",
//                           "Tidx: {int32, int64} = int32"},
//                 .shape = ConcatShape});
//
// Arguments: "x: float", "x: T", "x: N * T", "x: Tlist", "ref: Ref(T)".
// N and Tlist are at least 1 long unless their attrs say otherwise ("N: int >=
// 0"), as in TensorFlow. Attrs: "T: type", "T: {float, double} = float", "T:
// numbertype" (also realnumbertype, quantizedtype), "k: int >= 1 = 3", "s:
// string = 'NHWC'", "p: {'SAME', 'VALID'}", "l: list(int) = [1, 1]", "b: bool =
// true", "shape: shape = {}" ("shape: shape = { unknown_rank: true }"), "f:
// func", "f: float = 0.5", "dtypes: list(type) >= 1", "T: list({int32,
// int64})".
struct OpSpec {
  std::string name = {};
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::vector<std::string> attrs = {};
  bool stateful = false;
  bool commutative = false;
  bool aggregate = false;
  bool allows_uninitialized_input = false;
  ShapeFunction shape = nullptr;
};

// INVALID_ARGUMENT with the op, the declaration and what is wrong in it.
absl::StatusOr<OpDef> ParseOpSpec(const OpSpec& spec);

// The types of all input (output) tensors of a node with these attrs, in order.
// INVALID_ARGUMENT for missing or contradicting attrs, or a negative N;
// bounded: more than kMaxArgs tensors are refused.
inline constexpr int kMaxArgs = 1 << 20;
absl::StatusOr<std::vector<DType>> InputTypes(const OpDef& op,
                                              const AttrMap& attrs);
absl::StatusOr<std::vector<DType>> OutputTypes(const OpDef& op,
                                               const AttrMap& attrs);

// Where each argument's tensors are: argument i spans [result[i], result[i+1]).
absl::StatusOr<std::vector<int>> ArgOffsets(const std::vector<ArgDef>& args,
                                            const AttrMap& attrs);

// `value` is of the declared type (an EmptyList is of any list type), within
// its bounds and among what is allowed; no type is a reference.
// INVALID_ARGUMENT with attr and value otherwise.
absl::Status CheckAttrValue(const AttrDef& attr, const AttrValue& value);

// Every declared attr has a value that CheckAttrValue accepts and, with
// `fill_defaults`, absent ones get their defaults. An EmptyList becomes an
// empty list of the declared type. Undeclared attrs are tolerated: other
// versions of TensorFlow add some.
absl::Status CheckAttrs(const OpDef& op, AttrMap& attrs, bool fill_defaults);

}  // namespace leat

#endif  // LEAT_GRAPH_OP_DEF_H_
