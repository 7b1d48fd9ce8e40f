// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Pass: one way to make the graph of a step cheaper. A pass is a plain function
// in a file of graph/passes/ and runs in its phase; pass_context.h is what it
// sees. All passes together keep what a client can tell: the values fetched,
// which of them are dead, the state left behind, the order that edges ask for.
// Two exceptions, both as in TensorFlow's grappler: Shape, Size and Rank of a
// known shape do not compute the tensor, so an error of that may be gone; and
// the declared shape of a variable is trusted, although Assign with
// validate_shape=false may have stored a value of another.
#ifndef LEAT_GRAPH_PASS_H_
#define LEAT_GRAPH_PASS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer_options.h"

namespace leat {

class ConstantEvaluator;
class PassContext;

// In the order in which they run. The result of a phase does not depend on the
// order of its passes, as far as a client can tell.
enum class Phase : uint8_t {
  kSimplify,  // the same values by fewer or cheaper nodes; run until quiet
  kClean,     // drop what nobody needs any more
  kFuse,      // several nodes become one, with an op of ours
};

// Returns whether it changed the graph.
using PassFunction = bool (*)(PassContext& context);

struct Pass {
  std::string name = {};
  Phase phase = Phase::kSimplify;
  PassFunction run = nullptr;
};

// Filled once, then const and thread-safe.
class PassRegistry {
 public:
  // REQUIRES: a new name.
  void Add(Pass pass);
  // In the order of adding.
  absl::Span<const Pass> passes() const { return passes_; }

 private:
  std::vector<Pass> passes_;
};

namespace passes {
// Registers every pass of graph/passes/*.cc.
void RegisterAll(PassRegistry& registry);
}  // namespace passes

// The passes of this library.
const PassRegistry& BuiltinPasses();

// Everything is borrowed for the call.
struct RunPassesOptions {
  OptimizerOptions optimizer = {};
  // Nodes to keep by name, such as the targets of the step.
  std::vector<NodeId> keep = {};
  // Of the graph's nodes; a node on another one gets no op of ours.
  absl::Span<const DeviceInfo> devices = {};
  // "/job:ps/replica:0/task:1": tasks that may know TensorFlow's ops only.
  std::vector<std::string> foreign_tasks = {};
  ConstantEvaluator* evaluator = nullptr;  // null: no node is evaluated
  // Called after every run of a pass.
  std::function<void(const Pass&, bool changed, const Graph&)> after_pass = {};
};

// Runs the passes on a pruned and placed graph. Nodes keep their names and ids;
// some are removed, some replaced. INVALID_ARGUMENT for a graph with a cycle;
// nothing else fails. O(nodes + edges) apart from what is evaluated, which
// optimizer_options.h bounds.
absl::Status RunPasses(Graph& graph, const PassRegistry& passes,
                       const RunPassesOptions& options);

}  // namespace leat

#endif  // LEAT_GRAPH_PASS_H_
