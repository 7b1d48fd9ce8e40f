// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A GraphBuilder that builds the body of a function, such as a branch of a
// Cond, has a Body as additional state. A Body has the arguments and the
// results of the function. Arguments stand for outputs of the enclosing builder
// (the parent). Only graph/builder/ and graph/autodiff/ use these classes.
//
// The builder of a graph has a BuilderTree, which owns the builders of all
// bodies that were opened in the graph. The tree keeps the builder of a body
// after the body has ended, because gradients differentiate the body and
// Build() exports it. All pointers here point at builders of one tree. The
// classes are not thread-safe, as GraphBuilder is not.
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

// Describes one argument of the function that a body becomes.
struct BodyArgument {
  Output inner = {};  // the output of the argument's _Arg node in the body
  // Is the output of the parent that the node passes as this argument. For a
  // loop variable, `outer` is the initial value.
  Output outer = {};
  // Is true if the argument was made because the body uses `outer`. In a loop,
  // a captured argument has the same value in every iteration.
  bool is_captured = false;
  // In the body of a loop, this is the value of the variable in the next
  // iteration. Otherwise not set.
  Output next = {};
  // In the body of a gradient, this is the output of the forward body that the
  // argument stands for. In this case, `outer` is set later, when the forward
  // node has an output with this value.
  Output intermediate = {};
  // Is set in the forward body of a loop, if the argument is a list of tensors
  // that a gradient needs. Each iteration pushes the value of this output onto
  // the list.
  Output pushed = {};
};

// Describes the body of one function. GraphBuilder::State owns it.
struct Body {
  std::string function = {};       // the function's name, unique in the tree
  GraphBuilder* parent = nullptr;  // the enclosing builder, never null
  // If this is the body of a gradient, `forward` builds the body that the
  // gradient differentiates, and this body may use outputs of `forward`.
  // Otherwise `forward` is null.
  GraphBuilder* forward = nullptr;
  // Is true if this is the body of a loop's gradient. This body gets values of
  // `forward` from lists. Each iteration pops the newest value of each list.
  bool pops_intermediates = false;

  std::vector<BodyArgument> arguments = {};
  // Maps the _Arg nodes of the body to positions in `arguments`.
  absl::flat_hash_map<NodeId, int> argument_of = {};
  // Holds the results of a branch, of a loop's condition or of a function of
  // AddFunction. Is empty for the body of a loop, because BodyArgument::next
  // holds its results.
  std::vector<Output> returns = {};
  // These are nodes of the parent. The node that calls the function must run
  // after them.
  absl::flat_hash_set<NodeId> controls = {};
  // Is true if the body holds operations that every training step runs
  // (GraphBuilder::AddUpdate).
  bool has_updates = false;
  // Maps an output of another builder to the output of this body that stands
  // for it.
  absl::flat_hash_map<std::pair<const GraphBuilder*, Endpoint>, Output>
      resolved = {};

  // Returns the position in `arguments` of the argument whose _Arg is `node`,
  // or -1 if the node is not an argument.
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

// Describes an If, Case or While node that the builder has made. The code that
// makes the gradient of the node or exports its functions reads this
// description.
struct ControlFlowNode {
  // Holds the branches in order, or the condition and the body of a While. Is
  // not owned.
  std::vector<GraphBuilder*> bodies = {};
  bool is_loop = false;  // the node is a While
  // Is the index of the loop variable that counts the iterations, or -1 if
  // there is none.
  int counter = -1;
  bool is_gradient = false;  // the node is the gradient of another one
};

// Holds the state that the builder of a graph, the root, shares with the
// builders of all bodies that were opened in it. The root's GraphBuilder::State
// owns it.
struct BuilderTree {
  GraphBuilder* root = nullptr;
  absl::Status status = absl::OkStatus();                  // the first error
  std::vector<std::unique_ptr<GraphBuilder>> bodies = {};  // the oldest first
  // Holds the bodies that are being built, the innermost last. If `open` is
  // empty, new nodes are added to the graph itself.
  std::vector<GraphBuilder*> open = {};
  // Maps each function name in use to a number. If the name is requested again,
  // the search for a free name begins with this number as suffix.
  absl::flat_hash_map<std::string, int> functions = {};
  // Is the place in the program that errors name while a CallSite() scope is
  // open. The outermost CallSite() scope sets it.
  SourceLocation call_site = {};
  std::optional<int64_t> seed = {};  // the graph's seed, from SetSeed()
};

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_BODY_H_
