// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Body: what makes a GraphBuilder the builder of a function's body: which
// outputs of the enclosing builder, its parent, its arguments stand for, and
// what it returns. Private to graph/builder*.cc, control_flow*.cc and
// function_export.cc.
//
// The builder of a graph owns those of all bodies opened in it. They stay when
// a body has ended: gradients differentiate them and Build() exports them.
#ifndef LEAT_GRAPH_BODY_H_
#define LEAT_GRAPH_BODY_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "leat/core/source_location.h"
#include "leat/graph/output.h"

namespace leat {

struct BodyArgument {
  Output inner = {};  // the _Arg node
  // What the caller passes, an output of the parent; of a loop's variable the
  // initial value.
  Output outer = {};
  // It is `outer`, in a loop in every iteration.
  bool is_captured = false;
  // In the body of a loop, what the variable is in the next iteration.
  Output next = {};
  // In the body of a gradient: what it stands for, an output of the forward
  // body. `outer` follows once the forward node hands it out.
  Output intermediate = {};
  // In the forward body of a loop: the output that a gradient needs, which the
  // body pushes on this list of tensors.
  Output pushed = {};
};

struct Body {
  std::string function = {};
  GraphBuilder* parent = nullptr;
  // The body that this one is the gradient of, whose outputs it may use.
  GraphBuilder* forward = nullptr;
  // They come from a list, one for each iteration, the newest first.
  bool pops_intermediates = false;

  std::vector<BodyArgument> arguments = {};
  absl::flat_hash_map<NodeId, int> argument_of = {};  // their numbers, by node
  std::vector<Output> returns = {};  // of a branch or a condition
  // Nodes of the parent that the function's caller runs after.
  absl::flat_hash_set<NodeId> controls = {};
  // It holds operations that every training step runs.
  bool has_updates = false;
  // What stands in this body for outputs of other builders.
  absl::flat_hash_map<std::pair<const GraphBuilder*, Endpoint>, Output>
      resolved = {};

  // The number of the argument of that node; -1 when it is none.
  int FindArgument(NodeId node) const {
    const auto it = argument_of.find(node);
    return it == argument_of.end() ? -1 : it->second;
  }
  void AddArgument(BodyArgument argument) {
    argument_of[argument.inner.operation().id()] =
        static_cast<int>(arguments.size());
    arguments.push_back(std::move(argument));
  }
  // The arguments in another order.
  void SetArguments(std::vector<BodyArgument> ordered) {
    arguments.clear();
    argument_of.clear();
    for (BodyArgument& argument : ordered) AddArgument(std::move(argument));
  }
};

// The If, Case or While that a node is: its bodies, and for a While, which has
// a condition and a body, what its gradient needs.
struct ControlFlowNode {
  std::vector<GraphBuilder*> bodies = {};
  bool is_loop = false;
  int counter = -1;  // the variable that counts iterations, if there is one
  bool is_gradient = false;
};

// What the builder of a graph shares with those of its bodies.
struct BuilderTree {
  GraphBuilder* root = nullptr;
  absl::Status status = absl::OkStatus();
  std::vector<std::unique_ptr<GraphBuilder>> bodies = {};
  std::vector<GraphBuilder*> open = {};  // the innermost last
  // Names that are taken, with the next number to make another one of each.
  absl::flat_hash_map<std::string, int> functions = {};
  // What errors name, of the outermost CallSite() that is open.
  SourceLocation call_site = {};
  std::optional<int64_t> seed = {};
};

}  // namespace leat

#endif  // LEAT_GRAPH_BODY_H_
