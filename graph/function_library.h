// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionLibrary holds the named functions of a graph, which its If, Case,
// While and call nodes refer to. It is TensorFlow's FunctionDefLibrary.
#ifndef LEAT_GRAPH_FUNCTION_LIBRARY_H_
#define LEAT_GRAPH_FUNCTION_LIBRARY_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/graph/op_def.h"

namespace leat {

class OpRegistry;

// One node of a function. Its attrs may still hold placeholders ("$T"), so the
// number and types of its tensors are not known. `inputs` has a text for each
// input: "node:output_argument:index" or the name of an argument of the
// function, and after these "^node" for each control edge.
struct FunctionNode {
  std::string name = {};
  std::string op = {};
  std::vector<std::string> inputs = {};
  std::string device = {};
  AttrMap attrs = {};

  friend bool operator==(const FunctionNode&, const FunctionNode&) = default;
};

// A function: a body and its signature, whose attrs a caller supplies. This is
// TensorFlow's FunctionDef. Immutable once it is in a library.
struct Function {
  // Declares the name, arguments, results and attrs of the function.
  OpDef signature = {};
  std::vector<FunctionNode> nodes = {};
  // Pairs of the name of an output in the signature and the text of its tensor,
  // as in FunctionNode::inputs.
  std::vector<std::pair<std::string, std::string>> returns = {};
  // Pairs of the name of a control output and the name of its node. The node
  // runs even if no result needs it.
  std::vector<std::pair<std::string, std::string>> control_returns = {};
  // The names of the control outputs, in the order of the signature.
  std::vector<std::string> control_outputs = {};
  AttrMap attrs = {};  // annotations
  // Attrs of arguments, such as _output_shapes, by position.
  std::map<int, AttrMap> arg_attrs = {};
};

// Holds functions by name. It is a value, and copies share the functions.
// Thread-compatible.
class FunctionLibrary {
 public:
  // Adds a function; adding an equal one again does nothing. Fails with
  // INVALID_ARGUMENT if it has no name, or if the library has a different
  // function of its name.
  absl::Status Add(std::shared_ptr<const Function> function);
  // Removes the function, if there is one of this name.
  void Remove(absl::string_view name);

  // Returns the function `name`, or null if there is none. The pointer is valid
  // while a library holds the function.
  const Function* Find(absl::string_view name) const;

  size_t size() const { return functions_.size(); }
  bool empty() const { return functions_.empty(); }
  // std::less<> lets find() take a string_view without making a string of it.
  using Map =
      std::map<std::string, std::shared_ptr<const Function>, std::less<>>;
  // Returns all functions, sorted by name.
  const Map& functions() const { return functions_; }

 private:
  Map functions_;
};

// True if all members of the functions are equal.
bool Equal(const Function& a, const Function& b);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTION_LIBRARY_H_
