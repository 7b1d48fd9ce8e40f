// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MakeCase makes the cases that the benchmarks run with Leat and with
// TensorFlow. A case is a graph together with what one step of it feeds,
// fetches and runs. bench/export_cases writes the cases for TensorFlow, so that
// Leat and TensorFlow run the same nodes.
#ifndef LEAT_BENCH_CASES_H_
#define LEAT_BENCH_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat::bench {

// Describes a graph, and what one step of the graph feeds, fetches and runs.
struct Case {
  std::string name = {};
  Graph graph;
  std::vector<Feed> feeds = {};
  std::vector<TensorName> fetches = {};
  std::vector<TensorName> targets = {};
  // If true, the graph is optimized, as it is for users. If false, every
  // optimizer is off, so that all nodes of the graph run.
  bool optimize = false;
  // Is the number by which benchmarks divide the time of a step. It is 1 if the
  // time of the whole step is of interest. 0 stands for the number of nodes
  // that run.
  int64_t per = 1;
};

// Returns the case named `name`:
// - "null_step" runs one node that does nothing.
// - "feed_add_fetch" feeds a scalar, adds to it and fetches the sum.
// - "add_chain" and "add_star" run 1,000 scalar Adds each, and "add_dag" runs
//   1,100. Each Add has two inputs.
// - "loop" runs a while loop of 1,000 iterations.
// - "unrolled" runs the nodes of these iterations in a straight line. Identity
//   nodes take the places of Merge, Switch, LoopCond and NextIteration.
// - "mlp_32" and "cnn_128" run one step of gradient descent on a batch of 32 or
//   128 images of 28 x 28 pixels.
// - "matmul_256" and so on multiply two square constants.
//
// REQUIRES: `name` is one of CaseNames().
Case MakeCase(absl::string_view name);
// Returns the case "mlp_32" or "cnn_128" with its nodes on the devices that
// `device` chooses. If `device` is null, the nodes have no device.
Case MakeTraining(absl::string_view name, DeviceFunction device);
// Returns the names of all cases.
std::vector<std::string> CaseNames();

// Lists the shapes of graphs of empty ops, which are connected by control edges
// only.
enum class EmptyGraph { kChain, kStar, kDag };

// Returns a graph of NoOps: a root and `num_nodes` more nodes. In a chain each
// node follows the previous node. In a star all nodes follow the root. In a DAG
// each node follows two random earlier nodes (DagEdges). The root is on
// `first_device`, and all other nodes are on `device`.
Case MakeEmpty(EmptyGraph shape, int64_t num_nodes,
               absl::string_view device = "",
               absl::string_view first_device = "");

// Returns the edges of the DAG of MakeEmpty. Element i names the two nodes that
// node i follows; -1 stands for the root. The result is always the same, so
// that peers run the same DAG.
std::vector<std::pair<int64_t, int64_t>> DagEdges(int64_t num_nodes);

// Returns a graph for the benchmarks of planning. It consists of ten chains of
// scalar Adds. The second input of each Add is one of the hundred nodes before
// it. The first nodes are on the first device, the next nodes on the second
// one, and so on. The targets need all nodes. REQUIRES: `num_nodes` > 10.
Case MakeLayered(int64_t num_nodes, const std::vector<std::string>& devices);
// Returns the same graph on 8 CPU devices.
Case MakeLayered(int64_t num_nodes);
inline constexpr int kLayeredDevices = 8;
// Returns the same graph on 5 tasks of job "worker".
Case MakeLayeredOnTasks(int64_t num_nodes);
inline constexpr int kLayeredTasks = 5;

// Returns a graph that extends a graph of MakeLayered. It has the node that the
// steps feed, and ten new nodes that compute with this node. A step fetches the
// last new node. The names of the new nodes contain `number`.
Case MakeExtension(int number);

// Returns the values of the case's feeds, in order.
std::vector<Tensor> FeedValues(const Case& c);
// Returns the names of the case's feeds, fetches and targets.
CallableArgs ArgsOf(const Case& c);

}  // namespace leat::bench

#endif  // LEAT_BENCH_CASES_H_
