// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the graphs of empty_ops_bench as oneTBB flow graphs, on one thread and
// on one thread per core.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"

namespace leat::bench {
namespace {

namespace flow = tbb::flow;
using Message = flow::continue_msg;

// The lightweight policy is made for empty bodies: no task is created, and the
// thread that makes a node ready calls it. With this policy, graphs of 10,000
// and 100,000 nodes took between a sixth and three quarters of the time that
// they took with tasks, on 1 and on 2 threads. But the calls are nested, and a
// chain of 100,000 nested calls overflows the stack. Therefore long chains use
// tasks.
using Call = flow::continue_node<Message, flow::lightweight>;
using Task = flow::continue_node<Message>;
constexpr int64_t kLongestNestedChain = 10'000;

template <class Node>
void RunFlowGraph(benchmark::State& state, EmptyGraph shape, int64_t num_nodes,
                  int num_threads) {
  const tbb::global_control threads(
      tbb::global_control::max_allowed_parallelism, num_threads);
  flow::graph graph;
  std::deque<Node> nodes;  // nodes do not move
  flow::broadcast_node<Message> start(graph);
  for (int64_t i = 0; i <= num_nodes; ++i) {
    nodes.emplace_back(graph, [](const Message&) { return Message(); });
  }
  flow::make_edge(start, nodes[0]);
  std::vector<std::pair<int64_t, int64_t>> edges;
  if (shape == EmptyGraph::kDag) edges = DagEdges(num_nodes);
  for (int64_t i = 0; i < num_nodes; ++i) {
    Node& node = nodes[i + 1];
    if (shape == EmptyGraph::kDag) {
      const auto& [first, second] = edges[i];
      flow::make_edge(nodes[first + 1], node);
      if (second != first) flow::make_edge(nodes[second + 1], node);
    } else {
      flow::make_edge(nodes[shape == EmptyGraph::kChain ? i : 0], node);
    }
  }
  for (auto _ : state) {
    start.try_put(Message());
    graph.wait_for_all();
  }
  state.counters["nodes"] = static_cast<double>(num_nodes + 1);
  state.counters["per_op"] =
      benchmark::Counter(static_cast<double>(num_nodes),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

// Runs the graph with lightweight nodes or, if it is a long chain, with tasks.
void RunFastest(benchmark::State& state, EmptyGraph shape, int64_t num_nodes,
                int num_threads) {
  if (shape == EmptyGraph::kChain && num_nodes > kLongestNestedChain) {
    RunFlowGraph<Task>(state, shape, num_nodes, num_threads);
  } else {
    RunFlowGraph<Call>(state, shape, num_nodes, num_threads);
  }
}

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  using leat::bench::EmptyGraph;
  const int cores = tbb::this_task_arena::max_concurrency();
  for (const auto& [name, shape] : {std::pair("chain", EmptyGraph::kChain),
                                    std::pair("star", EmptyGraph::kStar),
                                    std::pair("dag", EmptyGraph::kDag)}) {
    for (const int64_t nodes : {10'000, 100'000, 1'000'000}) {
      for (const int threads : {1, cores}) {
        // clang 14 cannot capture structured bindings in a lambda.
        const EmptyGraph graph = shape;
        benchmark::RegisterBenchmark(
            absl::StrCat(name, "/", nodes, "/", threads).c_str(),
            [graph, nodes, threads](benchmark::State& state) {
              leat::bench::RunFastest(state, graph, nodes, threads);
            })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
