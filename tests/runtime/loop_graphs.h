// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions build graphs with loops, and spread the nodes of a graph over
// devices. The tests of the executor and of partitioning use them.
#ifndef LEAT_TESTS_RUNTIME_LOOP_GRAPHS_H_
#define LEAT_TESTS_RUNTIME_LOOP_GRAPHS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "leat/graph/builder/builder.h"

namespace leat {

using Outputs = std::vector<Output>;
using Body = std::function<Outputs(const Outputs&)>;

// In every graph here, the node with this name computes the result.
inline constexpr char kResult[] = "y/Identity";

// Is the timeout of steps. It makes the test fail if a step hangs.
inline constexpr std::chrono::seconds kTimeout(30);

// Builds v1 control flow (Enter, Merge, Switch, Exit, NextIteration) as
// TensorFlow's Python API does. Errors make the test fail. A LoopGraph is
// thread-compatible.
class LoopGraph {
 public:
  // Adds a loop and returns the final values of its variables. `condition` and
  // `body` get the loop variables and then `invariants`, which the loop does
  // not change. `body` returns only the new values of the variables.
  Outputs While(const std::string& frame, const Outputs& initial,
                const Outputs& invariants, const Body& condition,
                const Body& body, int64_t parallel = 10);
  // Adds a conditional with one result. Both branches get `inputs`.
  Output Cond(const Output& pred, const Outputs& inputs, const Body& then,
              const Body& otherwise);
  // Builds the graph. Its node kResult computes `y`.
  Graph BuildWith(const Output& y);

  GraphBuilder b;

 private:
  // Contains each Merge together with the NextIteration that becomes its second
  // input. The finished graph gets these edges, because the builder cannot
  // refer to a node that is added later.
  std::vector<std::pair<NodeId, Endpoint>> back_edges_;
};

// Describes a graph that computes kResult from the placeholder "n" (float32).
struct LoopCase {
  std::string name;
  Graph graph;
};

// Returns one case for each way in which loops and conditionals are nested.
std::vector<LoopCase> LoopCases();

// SumGraph returns a loop that computes n (n + 1) / 2. NestedGraph returns a
// loop within a loop. Both graphs are in LoopCases, but here `parallel` is
// their parallel_iterations.
Graph SumGraph(int64_t parallel);
Graph NestedGraph(int64_t parallel);

// Requests `device` for the node. Removes the device and the colocation that
// the node requested before.
void RequestDevice(Graph& graph, NodeId id, const std::string& device);

// Returns `graph` with new requests for devices. Each node requests one of
// `devices` or none, as random numbers from `seed` decide. Nodes with reference
// or resource edges keep their device.
Graph Dealt(Graph graph, const std::vector<std::string>& devices,
            uint32_t seed);

}  // namespace leat

#endif  // LEAT_TESTS_RUNTIME_LOOP_GRAPHS_H_
