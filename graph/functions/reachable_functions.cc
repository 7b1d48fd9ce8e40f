// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/functions/reachable_functions.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/graph/analysis/graph_validation.h"

namespace leat {
namespace {

// Collects the functions that can be reached by calls.
class Collector {
 public:
  explicit Collector(const FunctionLibrary& library) : library_(library) {}

  // Adds the function `name`, if the library has it.
  void Add(absl::string_view name) {
    const auto found = library_.functions().find(name);
    if (found == library_.functions().end()) return;
    if (reached_.Find(name) != nullptr) return;
    // Add cannot fail, because `reached_` has no function with this name.
    reached_.Add(found->second).IgnoreError();
    to_visit_.push_back(found->second.get());
  }
  void AddAttrs(const OpDef* op, const AttrMap& attrs) {
    ForEachFunctionRef(op, attrs,
                       [this](const std::string&, const FunctionRef& function) {
                         Add(function.name);
                       });
  }

  // Adds the gradient of `function`, if it has one.
  void AddGradient(const std::string& function) {
    const std::string gradient(library_.Gradient(function));
    if (gradient.empty()) return;
    reached_.SetGradient(function, gradient).IgnoreError();
    Add(gradient);
  }

  // Also adds all functions that the added functions name, directly or
  // indirectly, and the gradients of all these functions. Returns the result.
  FunctionLibrary Finish() {
    while (!to_visit_.empty()) {
      const Function& function = *to_visit_.back();
      to_visit_.pop_back();
      AddGradient(function.signature.name);
      for (const FunctionNode& node : function.nodes) {
        Add(node.op);
        AddAttrs(/*op=*/nullptr, node.attrs);
      }
    }
    return std::move(reached_);
  }

 private:
  const FunctionLibrary& library_;
  FunctionLibrary reached_;
  std::vector<const Function*> to_visit_;
};

}  // namespace

FunctionLibrary ReachableFunctions(const Graph& graph,
                                   const FunctionLibrary& library) {
  if (library.empty()) return {};
  Collector collector(library);
  for (const NodeId id : graph.NodeIds()) {
    const NodeDef& def = *graph.node(id).def;
    collector.Add(def.op->name);
    collector.AddAttrs(def.op, def.attrs);
  }
  return collector.Finish();
}

}  // namespace leat
