// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The steps that are measured, here and with TensorFlow: each is a graph and
// what one step of it feeds, fetches and runs. bench/export_cases writes them
// for TensorFlow, so both sides run the same nodes.
#ifndef LEAT_BENCH_CASES_H_
#define LEAT_BENCH_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/graph/builder.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat::bench {

struct Case {
  std::string name = {};
  Graph graph;
  std::vector<Feed> feeds = {};
  std::vector<TensorName> fetches = {};
  std::vector<TensorName> targets = {};
  // As users run it. Otherwise every optimizer is off: all nodes of the graph
  // run.
  bool optimize = false;
  // What a step's time is divided by: 1 where the step itself is of interest,
  // 0 for the number of nodes that run.
  int64_t per = 1;
};

// "null_step"; "feed_add_fetch"; "add_chain", "add_star", "add_dag" (1,000 and
// 1,100 scalar Adds, two inputs each); "loop" (a while loop of 1,000
// iterations) and "unrolled" (the same nodes in a straight line, Identity in
// the place of Merge, Switch, LoopCond and NextIteration); "mlp_32", "cnn_128":
// one step of gradient descent on images of 28x28 with that batch;
// "matmul_256" and so on: a product of two square constants.
// REQUIRES: one of these.
Case MakeCase(absl::string_view name);
// As MakeCase("mlp_32") or ("cnn_128"), on several devices.
Case MakeTraining(absl::string_view name, DeviceFunction device);
std::vector<std::string> CaseNames();

// Graphs of empty ops, connected by control edges only.
enum class EmptyGraph { kChain, kStar, kDag };

// `num_nodes` NoOps and one before them. Of a DAG each has two random ones
// before it. All are on `device`, that first one on `first_device`.
Case MakeEmpty(EmptyGraph shape, int64_t num_nodes,
               absl::string_view device = "",
               absl::string_view first_device = "");

// The edges of that DAG: which two nodes (or -1, the first one) node i is
// after. The same for every peer.
std::vector<std::pair<int64_t, int64_t>> DagEdges(int64_t num_nodes);

// Scalar Adds in ten chains that also take one of the hundred before, on
// devices one after the other: what planning is measured with. All are needed
// for the targets. REQUIRES: more than 10 nodes.
Case MakeLayered(int64_t num_nodes, const std::vector<std::string>& devices);
// On 8 CPUs.
Case MakeLayered(int64_t num_nodes);
inline constexpr int kLayeredDevices = 8;
// On 5 tasks of job "worker".
Case MakeLayeredOnTasks(int64_t num_nodes);
inline constexpr int kLayeredTasks = 5;

// The step's values: feeds in order.
std::vector<Tensor> FeedValues(const Case& c);
CallableArgs ArgsOf(const Case& c);

}  // namespace leat::bench

#endif  // LEAT_BENCH_CASES_H_
