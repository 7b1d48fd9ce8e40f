// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionLibrary: the named functions of a graph (FunctionDefLibrary): bodies
// of If, While, Case and calls. A value; copies share the immutable functions.
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

// One node of a body, by name, before attrs are known. Inputs are
// "node:output_argument:index", an argument's name, or "^node".
struct FunctionNode {
  std::string name = {};
  std::string op = {};
  std::vector<std::string> inputs = {};
  std::string device = {};
  AttrMap attrs = {};

  friend bool operator==(const FunctionNode&, const FunctionNode&) = default;
};

// TensorFlow's FunctionDef.
struct Function {
  OpDef signature = {};
  std::vector<FunctionNode> nodes = {};
  std::vector<std::pair<std::string, std::string>> returns = {};
  std::vector<std::pair<std::string, std::string>> control_returns = {};
  std::vector<std::string> control_outputs = {};
  AttrMap attrs = {};
  // Attrs of arguments by position, such as _output_shapes.
  std::map<int, AttrMap> arg_attrs = {};
};

class FunctionLibrary {
 public:
  // INVALID_ARGUMENT when the name is taken by a different function; adding an
  // equal one again is fine.
  absl::Status Add(std::shared_ptr<const Function> function);
  void Remove(absl::string_view name);

  // Null when unknown.
  const Function* Find(absl::string_view name) const;

  size_t size() const { return functions_.size(); }
  bool empty() const { return functions_.empty(); }
  // Sorted by name; looked up without making a string.
  using Map =
      std::map<std::string, std::shared_ptr<const Function>, std::less<>>;
  const Map& functions() const { return functions_; }

 private:
  Map functions_;
};

bool Equal(const Function& a, const Function& b);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTION_LIBRARY_H_
