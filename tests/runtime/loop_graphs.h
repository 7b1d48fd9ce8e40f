// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Graphs with loops, and their nodes dealt out over devices.
#ifndef LEAT_TESTS_RUNTIME_LOOP_GRAPHS_H_
#define LEAT_TESTS_RUNTIME_LOOP_GRAPHS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "leat/graph/builder.h"

namespace leat {

using Outputs = std::vector<Output>;
using Body = std::function<Outputs(const Outputs&)>;

inline constexpr char kResult[] = "y/Identity";

// A step that hangs fails instead.
inline constexpr std::chrono::seconds kTimeout(30);

// v1 control flow, as TensorFlow's Python writes it.
class LoopGraph {
 public:
  // Values that `body` does not change come last in its arguments.
  Outputs While(const std::string& frame, const Outputs& initial,
                const Outputs& invariants, const Body& condition,
                const Body& body, int64_t parallel = 10);
  Output Cond(const Output& pred, const Outputs& inputs, const Body& then,
              const Body& otherwise);
  // Calls the result kResult.
  Graph BuildWith(const Output& y);

  GraphBuilder b;

 private:
  // The builder cannot refer to a node that comes later.
  std::vector<std::pair<NodeId, Endpoint>> back_edges_;
};

// A graph that computes kResult from "n".
struct LoopCase {
  std::string name;
  Graph graph;
};

std::vector<LoopCase> LoopCases();

// Two of them: n (n + 1) / 2, and two loops, one in the other.
Graph SumGraph(int64_t parallel);
Graph NestedGraph(int64_t parallel);

// Asks for a device, whatever the node has asked for.
void RequestDevice(Graph& graph, NodeId id, const std::string& device);

// Every node on a device of `devices`, or on none in particular, as a generator
// with that seed says; references and resources stay where they are.
Graph Dealt(Graph graph, const std::vector<std::string>& devices,
            uint32_t seed);

}  // namespace leat

#endif  // LEAT_TESTS_RUNTIME_LOOP_GRAPHS_H_
