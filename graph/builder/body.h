// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Body holds what a GraphBuilder needs in addition when it builds the body of a
// function, such as a branch of a Cond, and not a graph: its arguments, the
// outputs of the enclosing builder (its parent) that they stand for, and what
// the function returns. Private to the files that builder_state.h names.
//
// The builder of a graph owns the builders of all bodies that were opened in
// it, through its BuilderTree. They live as long as it does, also when their
// body has ended: gradients differentiate them and Build() exports them. All
// pointers here point at builders of one tree. Not thread-safe, as GraphBuilder
// is not.
#ifndef LEAT_GRAPH_BUILDER_BODY_H_
#define LEAT_GRAPH_BUILDER_BODY_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "leat/core/source_location.h"
#include "leat/graph/builder/output.h"

namespace leat {

// One argument of a function whose body is or was being built.
struct BodyArgument {
  Output inner = {};  // the output of the argument's _Arg node in the body
  // The output of the parent that the caller passes. For a loop variable, it is
  // the initial value.
  Output outer = {};
  // True if the argument was made because the body uses `outer`. In a loop, a
  // captured argument has the same value in every iteration.
  bool is_captured = false;
  // In the body of a loop: the value of the variable in the next iteration.
  Output next = {};
  // In the body of a gradient: the output of the forward body that the argument
  // stands for. `outer` is set later, when the forward node has an output for
  // it.
  Output intermediate = {};
  // In the forward body of a loop, if the argument is a list of tensors that a
  // gradient needs: the output whose value each iteration pushes on the list.
  Output pushed = {};
};

// The body of one function. GraphBuilder::State owns it.
struct Body {
  std::string function = {};       // its name, unique in the tree
  GraphBuilder* parent = nullptr;  // the builder around it, never null
  // The body that this one is the gradient of, whose outputs it may use. Null
  // if this body is no gradient.
  GraphBuilder* forward = nullptr;
  // True in the gradient of a loop: the values of `forward` that it uses come
  // from lists, from which each iteration pops the newest.
  bool pops_intermediates = false;

  std::vector<BodyArgument> arguments = {};
  // Maps the _Arg nodes of the body to positions in `arguments`.
  absl::flat_hash_map<NodeId, int> argument_of = {};
  // The results of a branch or of a loop's condition. Empty for the body of a
  // loop, whose results are the arguments' `next`.
  std::vector<Output> returns = {};
  // Nodes of the parent after which the node that calls the function must run.
  absl::flat_hash_set<NodeId> controls = {};
  // True if the body holds operations that every training step runs
  // (GraphBuilder::AddUpdate).
  bool has_updates = false;
  // Maps outputs of other builders to the outputs of this body that stand for
  // them.
  absl::flat_hash_map<std::pair<const GraphBuilder*, Endpoint>, Output>
      resolved = {};

  // Returns the position in `arguments` of the argument whose _Arg is `node`,
  // or -1 if the node is no argument.
  int FindArgument(NodeId node) const {
    const auto it = argument_of.find(node);
    return it == argument_of.end() ? -1 : it->second;
  }
  // Appends `argument`. REQUIRES: argument.inner is set.
  void AddArgument(BodyArgument argument) {
    argument_of[argument.inner.operation().id()] =
        static_cast<int>(arguments.size());
    arguments.push_back(std::move(argument));
  }
  // Replaces the arguments, for example by the same ones in another order.
  void SetArguments(std::vector<BodyArgument> ordered) {
    arguments.clear();
    argument_of.clear();
    for (BodyArgument& argument : ordered) AddArgument(std::move(argument));
  }
};

// What the builder knows of an If, Case or While node that it has made, for its
// gradient and for the export of its functions.
struct ControlFlowNode {
  // The branches in order, or the condition and the body of a While. Not owned.
  std::vector<GraphBuilder*> bodies = {};
  bool is_loop = false;  // the node is a While
  // The index of the loop variable that counts the iterations, or -1 if there
  // is none.
  int counter = -1;
  bool is_gradient = false;  // the node is the gradient of another one
};

// State that the builder of a graph, the root, shares with the builders of all
// bodies that were opened in it. The root's GraphBuilder::State owns it.
struct BuilderTree {
  GraphBuilder* root = nullptr;
  absl::Status status = absl::OkStatus();                  // the first error
  std::vector<std::unique_ptr<GraphBuilder>> bodies = {};  // the oldest first
  // The bodies that are being built, the innermost last. Empty if what is added
  // lands in the graph.
  std::vector<GraphBuilder*> open = {};
  // Maps each name of a function that is taken to the number with which the
  // search for another name like it begins.
  absl::flat_hash_map<std::string, int> functions = {};
  // The place that errors name while a CallSite() scope is open: that of the
  // outermost one.
  SourceLocation call_site = {};
  std::optional<int64_t> seed = {};  // the graph's, from SetSeed()
};

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_BODY_H_
