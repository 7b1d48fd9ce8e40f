// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Pass makes the graph of a step cheaper to run. It is a plain function in a
// file of graph/passes/, runs in one phase, and sees and changes the graph
// through a PassContext (pass_context.h).
//
// Passes do not change anything that a client can observe: the values that it
// fetches, which of them are dead, the state that the step leaves behind, and
// the order that edges demand. There are two exceptions, which TensorFlow's
// grappler makes too. If the shape of a tensor is known, Shape, Size and Rank
// do not compute the tensor, so an error in computing it may disappear. And the
// declared shape of a variable is trusted, although Assign with
// validate_shape=false may have stored a value of another shape.
#ifndef LEAT_GRAPH_OPTIMIZER_PASS_H_
#define LEAT_GRAPH_OPTIMIZER_PASS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer/optimizer_options.h"

namespace leat {

class ConstantEvaluator;
class PassContext;

// Lists the phases, in the order in which they run. A client cannot observe the
// order of the passes within a phase.
enum class Phase : uint8_t {
  // Computes the same values with fewer or cheaper nodes. Runs at most three
  // times. Runs again only if the last run has changed the graph.
  kSimplify,
  // Removes nodes that nothing needs any more.
  kClean,
  // Replaces several nodes by one node with an internal op.
  kFuse,
};

// Runs a pass. Returns whether the pass changed the graph.
using PassFunction = bool (*)(PassContext& context);

struct Pass {
  // Is the name by which OptimizerOptions::disabled_passes disables the pass.
  std::string name = {};
  Phase phase = Phase::kSimplify;
  PassFunction run = nullptr;
};

// Holds passes. A registry is filled once. From then on, it does not change and
// is thread-safe.
class PassRegistry {
 public:
  // REQUIRES: pass.run is set, and no pass has this name yet.
  void Add(Pass pass);
  // Returns all passes, in the order in which they were added.
  absl::Span<const Pass> passes() const { return passes_; }

 private:
  std::vector<Pass> passes_;
};

namespace passes {
// Registers every pass of graph/passes/*.cc.
void RegisterAll(PassRegistry& registry);
}  // namespace passes

// Returns the passes of this library. They are registered on first use and live
// as long as the process.
const PassRegistry& BuiltinPasses();

// Holds the options of RunPasses (run_passes.h). `devices` and `evaluator` are
// not owned and must outlive the call.
struct RunPassesOptions {
  OptimizerOptions optimizer = {};
  // Lists nodes that must not be removed, such as the targets of the step.
  std::vector<NodeId> keep = {};
  // Holds the devices that nodes are placed on. Passes do not change the op of
  // a node on a device that is not listed here.
  absl::Span<const DeviceInfo> devices = {};
  // Lists the tasks that run TensorFlow, such as "/job:ps/replica:0/task:1".
  // Passes do not give nodes on these tasks an op whose name begins with '_'.
  std::vector<std::string> foreign_tasks = {};
  // Computes constants; if null, no node is evaluated.
  ConstantEvaluator* evaluator = nullptr;
  // Is called after every run of a pass, if set.
  std::function<void(const Pass&, bool changed, const Graph&)> after_pass = {};
};

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_PASS_H_
