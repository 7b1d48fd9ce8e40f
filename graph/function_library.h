// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionLibrary holds the named functions of a graph. The If, Case, While and
// call nodes of the graph refer to them by name. FunctionLibrary is
// TensorFlow's FunctionDefLibrary.
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

// Describes one node of a function. Its attrs may still hold placeholders
// ("$T"), so the number and types of its tensors are not known. `inputs` has
// one string per input: "node:output_argument:index", or the name of an
// argument of the function. The strings for control edges, "^node", come last.
struct FunctionNode {
  std::string name = {};
  std::string op = {};
  std::vector<std::string> inputs = {};
  std::string device = {};
  AttrMap attrs = {};

  friend bool operator==(const FunctionNode&, const FunctionNode&) = default;
};

// Describes a function: a signature and a body. A caller supplies the attrs
// that the signature declares. This is TensorFlow's FunctionDef. A function in
// a library is immutable.
struct Function {
  // Declares the name, arguments, results and attrs of the function.
  OpDef signature = {};
  std::vector<FunctionNode> nodes = {};
  // Holds one pair per output of the signature: the name of the output, and the
  // tensor that is returned, written as in FunctionNode::inputs.
  std::vector<std::pair<std::string, std::string>> returns = {};
  // Holds one pair per control output: the name of the control output, and the
  // name of a node. The node runs even if no result needs it.
  std::vector<std::pair<std::string, std::string>> control_returns = {};
  // Holds the names of the control outputs, in the order of the signature.
  std::vector<std::string> control_outputs = {};
  AttrMap attrs = {};  // annotations
  // Maps the position of an argument to its attrs, such as _output_shapes.
  std::map<int, AttrMap> arg_attrs = {};
};

// Holds functions by name. It is a value, and copies share the functions. A
// FunctionLibrary is thread-compatible.
class FunctionLibrary {
 public:
  // Adds a function. Does nothing if the library already has an equal function.
  // Fails with INVALID_ARGUMENT if the function has no name, or if the library
  // has a different function of the same name.
  absl::Status Add(std::shared_ptr<const Function> function);
  // Removes the function `name`. Does nothing if there is none.
  void Remove(absl::string_view name);

  // Makes `gradient` the gradient of `function`: the function that a
  // SymbolicGradient of `function` calls. The library need not have the two
  // functions. Fails with INVALID_ARGUMENT if `function` has another gradient
  // already.
  absl::Status SetGradient(const std::string& function,
                           const std::string& gradient);
  // Forgets the gradient of `function`. Does nothing if there is none.
  void RemoveGradient(absl::string_view function);
  // Returns the name of the gradient of `function`, or "" if none was set.
  absl::string_view Gradient(absl::string_view function) const;

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
  // Maps functions to their gradients.
  using Gradients = std::map<std::string, std::string, std::less<>>;
  const Gradients& gradients() const { return gradients_; }

 private:
  Map functions_;
  Gradients gradients_;
};

// Returns true if all members of the functions are equal.
bool Equal(const Function& a, const Function& b);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTION_LIBRARY_H_
