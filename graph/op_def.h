// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpDef is the signature of an op, as in TensorFlow's OpDef: its arguments,
// attrs and flags, and the function that infers the shapes of its outputs. An
// OpRegistry (op_registry.h) owns the registered OpDefs, which never change.
// All types here are values and thread-compatible.
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
class WorkContext;
struct Work;

// Sets the shapes of a node's outputs, which follow from its attrs and the
// shapes of its inputs. Fails for a node that can never run. A shape function
// must check everything that it reads from the node, because the node comes
// from an untrusted graph.
using ShapeFunction = absl::Status (*)(InferenceContext&);

// Returns how much a node has to do (work.h). The shapes of the node are what
// the shape function has checked, or what a step has measured. The function
// must not rely on ranks, because a graph may be wrong.
using WorkFunction = Work (*)(const WorkContext&);

// Describes one input or output argument of an op. It stands for one tensor,
// for several of one type (`number_attr`), or for one tensor per type of a list
// (`type_list_attr`). Exactly one of `type`, `type_attr` and `type_list_attr`
// is set.
struct ArgDef {
  std::string name = {};
  DType type = DType::kInvalid;     // the type that it has in all nodes
  std::string type_attr = {};       // the attr that holds the type: "T"
  std::string number_attr = {};     // the attr that counts tensors: "N"
  std::string type_list_attr = {};  // the attr that lists the types: "Tout"
  bool is_ref = false;              // the argument is a reference

  friend bool operator==(const ArgDef&, const ArgDef&) = default;
};

// Declares an attr of an op. Every node of the op must set an attr that has no
// default value.
struct AttrDef {
  std::string name = {};
  std::string type = {};  // "int", "list(type)", "func": see AttrTypeName
  std::optional<AttrValue> default_value = {};
  // Is the minimum of an int, or of the length of a list.
  std::optional<int64_t> minimum = {};
  // Hold the values that are allowed for an attr, or for each element if the
  // attr is a list. allowed_types is for attrs of type "type", and
  // allowed_strings is for attrs of type "string". If empty, all values are
  // allowed.
  std::vector<DType> allowed_types = {};
  std::vector<std::string> allowed_strings = {};

  friend bool operator==(const AttrDef&, const AttrDef&) = default;
};

// Describes an op, or the signature of a function. The flags mean what they
// mean in TensorFlow's OpDef.
struct OpDef {
  std::string name = {};
  // Says in a sentence what the op does. The text belongs to the OpSpec. It is
  // empty if the definition was read from a message, and it is not written to
  // messages.
  absl::string_view doc = {};
  std::vector<ArgDef> inputs = {};
  std::vector<ArgDef> outputs = {};
  std::vector<AttrDef> attrs = {};
  bool is_stateful = false;     // has state or side effects
  bool is_commutative = false;  // its two inputs may be swapped
  bool is_aggregate = false;    // associative and commutative, like AddN
  // Is true if the op accepts a reference to a variable that has no value yet.
  bool allows_uninitialized_input = false;
  ShapeFunction shape_function = nullptr;  // null: all shapes are unknown
  WorkFunction work_function = nullptr;    // null: the op is element-wise

  // Returns the attr `name`, or null if the op does not declare it.
  const AttrDef* FindAttr(absl::string_view name) const;

  friend bool operator==(const OpDef&, const OpDef&) = default;
};

// Limits the number of input tensors of a node, and also of output tensors.
inline constexpr int kMaxArgs = 1 << 20;
// InputTypes returns the types of all input tensors of a node with these attrs,
// in order. OutputTypes returns the types of all output tensors. Both fail with
// INVALID_ARGUMENT for missing or contradictory attrs, a negative N, or more
// than kMaxArgs tensors.
absl::StatusOr<std::vector<DType>> InputTypes(const OpDef& op,
                                              const AttrMap& attrs);
absl::StatusOr<std::vector<DType>> OutputTypes(const OpDef& op,
                                               const AttrMap& attrs);

// Returns where the tensors of each argument are: argument i has the tensors
// [result[i], result[i + 1]). Fails as InputTypes does.
absl::StatusOr<std::vector<int>> ArgOffsets(const std::vector<ArgDef>& args,
                                            const AttrMap& attrs);

// Checks that `value` has the type that `attr` declares, obeys the declared
// minimum, and is one of the allowed values. Accepts an EmptyList if the
// declared type is a list. A reference type in `value` is an error. Fails with
// INVALID_ARGUMENT, naming attr and value.
absl::Status CheckAttrValue(const AttrDef& attr, const AttrValue& value);

// Checks that every attr that `op` declares has a value that CheckAttrValue
// accepts. If `fill_defaults` is set, sets absent attrs to their default
// values. Replaces an EmptyList by an empty list of the declared type. Allows
// attrs that are not declared, because other versions of TensorFlow add some.
// Fails with INVALID_ARGUMENT.
absl::Status CheckAttrs(const OpDef& op, AttrMap& attrs, bool fill_defaults);

}  // namespace leat

#endif  // LEAT_GRAPH_OP_DEF_H_
