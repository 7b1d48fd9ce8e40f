// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/runtime/loop_graphs.h"

#include <memory>
#include <random>

#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"

namespace leat {
namespace {

bool IsTied(const Node& node) {
  const auto is_tied = [](DType type) {
    return IsRef(type) || type == DType::kResource;
  };
  for (const DType type : node.def->input_types) {
    if (is_tied(type)) return true;
  }
  for (const DType type : node.def->output_types) {
    if (is_tied(type)) return true;
  }
  return false;
}

// Returns y = 0 + 1 + ... + n.
Output Sum(LoopGraph& g, const std::string& frame, Output n, Output one,
           int64_t parallel) {
  const Output zero = g.b.Const(0.0f);
  return g.While(
      frame, {zero, zero}, {n, one},
      [](const Outputs& v) { return Outputs{op::Less(v[0], v[2])}; },
      [](const Outputs& v) {
        const Output i = op::AddV2(v[0], v[3]);
        return Outputs{i, op::AddV2(v[1], i)};
      },
      parallel)[1];
}

// Some nodes of the body use only loop invariants. No value that an iteration
// computes starts these nodes.
Graph InvariantGraph() {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output zero = g.b.Const(0.0f);
  const Output y = g.While(
      "loop", {zero, zero}, {n, g.b.Const(1.0f)},
      [](const Outputs& v) { return Outputs{op::Less(v[0], v[2])}; },
      [](const Outputs& v) {
        const Output invariant = op::Square(op::Neg(v[2]));
        return Outputs{op::AddV2(v[0], v[3]), op::AddV2(v[1], invariant)};
      })[1];
  return g.BuildWith(y);
}

Graph TwoLoopsGraph() {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output one = g.b.Const(1.0f);
  const Output first = Sum(g, "first", n, one, 10);
  const Output beside = Sum(g, "beside", n + 2.0f, one, 3);
  const Output second = Sum(g, "second", first, one, 2);
  return g.BuildWith(op::AddV2(beside, second));
}

Graph CondInLoopGraph() {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output zero = g.b.Const(0.0f);
  const Output y = g.While(
      "loop", {zero, zero}, {n, g.b.Const(1.0f), g.b.Const(4.0f)},
      [](const Outputs& v) { return Outputs{op::Less(v[0], v[2])}; },
      [&](const Outputs& v) {
        const Output sum = g.Cond(
            op::Less(v[0], v[4]), {v[1], v[0]},
            [](const Outputs& w) {
              return Outputs{op::AddV2(op::Square(w[0]), w[1])};
            },
            [](const Outputs& w) { return Outputs{op::Sub(w[0], w[1])}; });
        return Outputs{op::AddV2(v[0], v[3]), sum};
      })[1];
  return g.BuildWith(y);
}

// In some iterations of the outer loop, the inner loop is dead.
Graph LoopInCondInLoopGraph() {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output zero = g.b.Const(0.0f);
  const Output y = g.While(
      "outer", {zero, zero}, {n, g.b.Const(1.0f), g.b.Const(3.0f), zero},
      [](const Outputs& v) { return Outputs{op::Less(v[0], v[2])}; },
      [&](const Outputs& v) {
        const Output sum = g.Cond(
            op::Less(v[0], v[4]), {v[1], v[0], v[3], v[5]},
            [](const Outputs& w) { return Outputs{op::Sub(w[0], w[1])}; },
            [&](const Outputs& w) {
              return Outputs{g.While(
                  "inner", {w[3], w[0]}, {w[1], w[2]},
                  [](const Outputs& u) {
                    return Outputs{op::Less(u[0], u[2])};
                  },
                  [](const Outputs& u) {
                    return Outputs{op::AddV2(u[0], u[3]),
                                   op::AddV2(u[1], u[0])};
                  })[1]};
            });
        return Outputs{op::AddV2(v[0], v[3]), sum};
      })[1];
  return g.BuildWith(y);
}

Graph LoopInCondGraph() {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output y = g.Cond(
      op::Less(n, g.b.Const(4.0f)), {n, g.b.Const(1.0f), g.b.Const(0.0f)},
      [](const Outputs& w) { return Outputs{op::Neg(w[0])}; },
      [&](const Outputs& w) {
        return Outputs{g.While(
            "loop", {w[2], w[2]}, {w[0], w[1]},
            [](const Outputs& v) { return Outputs{op::Less(v[0], v[2])}; },
            [](const Outputs& v) {
              const Output i = op::AddV2(v[0], v[3]);
              return Outputs{i, op::AddV2(v[1], i)};
            })[1]};
      });
  return g.BuildWith(y);
}

}  // namespace

Outputs LoopGraph::While(const std::string& frame, const Outputs& initial,
                         const Outputs& invariants, const Body& condition,
                         const Body& body, int64_t parallel) {
  Outputs constants, merged, chosen;
  for (const Output& value : invariants) {
    constants.push_back(op::Enter(
        value, frame, {.is_constant = true, .parallel_iterations = parallel}));
  }
  for (const Output& value : initial) {
    const Output enter =
        op::Enter(value, frame, {.parallel_iterations = parallel});
    merged.push_back(op::Merge({enter, enter}).output);
  }
  Outputs args = merged;
  args.insert(args.end(), constants.begin(), constants.end());
  const Output running = op::LoopCond(condition(args)[0]);
  Outputs exits;
  for (const Output& value : merged) {
    const auto branches = op::Switch(value, running);
    chosen.push_back(op::Identity(branches.output_true));
    exits.push_back(op::Exit(branches.output_false));
  }
  args = chosen;
  args.insert(args.end(), constants.begin(), constants.end());
  const Outputs next = body(args);
  for (size_t i = 0; i < merged.size(); ++i) {
    back_edges_.emplace_back(merged[i].operation().id(),
                             op::NextIteration(next[i]).endpoint());
  }
  return exits;
}

Output LoopGraph::Cond(const Output& pred, const Outputs& inputs,
                       const Body& then, const Body& otherwise) {
  Outputs taken, other;
  for (const Output& input : inputs) {
    const auto branches = op::Switch(input, pred);
    taken.push_back(branches.output_true);
    other.push_back(branches.output_false);
  }
  return op::Merge({otherwise(other)[0], then(taken)[0]}).output;
}

Graph LoopGraph::BuildWith(const Output& y) {
  auto scope = b.NameScope("y");
  op::Identity(y);
  auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return Graph(BuiltinOps());
  for (const auto& [merge, next] : back_edges_) {
    graph->mutable_node(merge).inputs[1] = next;
  }
  return *std::move(graph);
}

Graph SumGraph(int64_t parallel) {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  return g.BuildWith(Sum(g, "loop", n, g.b.Const(1.0f), parallel));
}

Graph NestedGraph(int64_t parallel) {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output zero = g.b.Const(0.0f);
  const Output y = g.While(
      "outer", {zero, zero}, {n, g.b.Const(1.0f), zero},
      [](const Outputs& v) { return Outputs{op::Less(v[0], v[2])}; },
      [&](const Outputs& v) {
        const Output i = op::AddV2(v[0], v[3]);
        const Outputs inner = g.While(
            "inner", {v[4], v[1]}, {i, v[3]},
            [](const Outputs& w) { return Outputs{op::Less(w[0], w[2])}; },
            [](const Outputs& w) {
              return Outputs{op::AddV2(w[0], w[3]), op::AddV2(w[1], w[0])};
            },
            parallel);
        return Outputs{i, inner[1]};
      },
      parallel)[1];
  return g.BuildWith(y);
}

std::vector<LoopCase> LoopCases() {
  std::vector<LoopCase> cases;
  cases.push_back({"sum", SumGraph(10)});
  cases.push_back({"sum, one iteration at a time", SumGraph(1)});
  cases.push_back({"invariant", InvariantGraph()});
  cases.push_back({"two loops", TwoLoopsGraph()});
  cases.push_back({"nested", NestedGraph(10)});
  cases.push_back({"nested, one iteration at a time", NestedGraph(1)});
  cases.push_back({"cond in loop", CondInLoopGraph()});
  cases.push_back({"loop in cond", LoopInCondGraph()});
  cases.push_back({"loop in cond in loop", LoopInCondInLoopGraph()});
  return cases;
}

void RequestDevice(Graph& graph, NodeId id, const std::string& device) {
  auto def = std::make_shared<NodeDef>(*graph.node(id).def);
  def->device = device;
  def->attrs.Erase("_class");  // could name another device
  graph.Replace(id, std::move(def));
}

Graph Dealt(Graph graph, const std::vector<std::string>& devices,
            uint32_t seed) {
  std::mt19937 random(seed);
  for (const NodeId id : graph.NodeIds()) {
    const size_t device = random() % (devices.size() + 1);
    if (IsTied(graph.node(id))) continue;
    RequestDevice(graph, id, device == 0 ? "" : devices[device - 1]);
  }
  return graph;
}

}  // namespace leat
