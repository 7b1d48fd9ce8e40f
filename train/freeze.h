// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FreezeVariables turns a trained model into one graph without state. That
// graph runs without the session that holds the variables.
//
//   LEAT_ASSIGN_OR_RETURN(Graph frozen,
//                         FreezeVariables(graph, *session, {logits}));
//   LEAT_RETURN_IF_ERROR(SaveGraph(frozen, "model.pb"));
//
// The nodes of the frozen graph do not request devices any more, so the graph
// runs wherever a GraphDef runs. Leat and TensorFlow can load it:
//
//   LEAT_ASSIGN_OR_RETURN(Graph loaded, LoadGraph("model.pb"));
//   LEAT_ASSIGN_OR_RETURN(auto serving, NewSession(loaded));
//   LEAT_ASSIGN_OR_RETURN(
//       std::vector<Tensor> out,
//       serving->Run({.feeds = {{x.name(), value}}, .fetches =
//       {logits.name()}}));
#ifndef LEAT_TRAIN_FREEZE_H_
#define LEAT_TRAIN_FREEZE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat {

// Says what FreezeVariables keeps.
struct FreezeOptions {
  // If true, nodes go on asking for the devices that they had in training.
  bool keep_devices = false;
};

// Returns the part of `graph` that `outputs` need. Each variable (reference or
// resource) is replaced by a Const of its value in `session`. Each node that
// reads a variable becomes an Identity. Names stay the same. Functions that
// take a variable, such as bodies of If, Case and While, take its value instead
// (replace_handles.h).
//
// `session` must run `graph`, or a graph that has the same variables and their
// ReadVariableOps under the same names. If `graph` reads a variable only in
// functions or only after other nodes, FreezeVariables extends `session` by a
// read of that variable.
//
// Returns the errors of Session::Run and Session::Extend. Returns NOT_FOUND if
// an output is not in `graph`, or if `session` lacks a read of a variable.
// Returns INVALID_ARGUMENT, naming the node, if a node does more with a
// variable than read it. Returns the same error if a variable has control
// inputs or is made in a function, or if an output needs the elements of an
// iterator (Dataset::AddIterator), which only its initializer gives.
absl::StatusOr<Graph> FreezeVariables(const Graph& graph, Session& session,
                                      const std::vector<TensorName>& outputs,
                                      const FreezeOptions& options = {});

}  // namespace leat

#endif  // LEAT_TRAIN_FREEZE_H_
