// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HandMadeStep lets a test write a step node by node, with the time of each
// node, and simulate it on a cluster model:
//
//   HandMadeStep step;
//   const NodeId a = step.Cheap("a", 2);
//   step.Expensive("b", 3, a, 1);  // on the second device
//   const SimulatedStep simulation = step.Simulate(TwoHosts());
//   step.EndOf(simulation, "b");
#ifndef LEAT_TESTS_PARTITIONER_SIMULATION_HAND_MADE_STEP_H_
#define LEAT_TESTS_PARTITIONER_SIMULATION_HAND_MADE_STEP_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/bundle_limits.h"
#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/costs/node_cost.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/simulation/simulated_step.h"
#include "leat/partitioner/simulation/simulator.h"

namespace leat {

// Returns a model of one host with one task, which has `num_cpus` CPUs. All
// times of these models are set by the tests.
ClusterModel OneHost(int cores, int num_cpus = 1);

// Returns a model of hosts with one task and one CPU each. `link` has further
// fields of the link between them, such as "\"sharing\": \"all\"".
ClusterModel SeveralHosts(int hosts, int cores, double latency_seconds,
                          double bytes_per_second,
                          const std::string& link = "");

// Returns a model of one host with one CPU and GPUs, to which 10 bytes can be
// copied in a second.
ClusterModel HostWithGpus(int cores, int num_gpus,
                          const std::string& sharing = "pair");

// Puts all _Recvs of a part into bundle 0.
void SetBundle(Graph& part);

// Is a step that a test makes by hand. Is not thread-safe. Fails the test if
// something cannot be added.
class HandMadeStep {
 public:
  HandMadeStep();

  // Add a node that takes `seconds` and waits for `inputs`. `device` is an
  // index into the devices of the model. Cheap nodes run on the thread that
  // made them ready.
  NodeId Cheap(const std::string& name, double seconds,
               const std::vector<NodeId>& inputs = {}, int device = 0);
  NodeId Expensive(const std::string& name, double seconds,
                   const std::vector<NodeId>& inputs = {}, int device = 0);
  // Adds a control edge.
  void Before(NodeId first, NodeId second) { graph.AddControl(first, second); }

  // Returns the cost of a node, to be changed.
  NodeCost& CostOf(const std::string& name) { return costs_[name]; }

  // Places the nodes, cuts the graph and simulates it.
  absl::StatusOr<SimulatedStep> TrySimulate(const ClusterModel& model,
                                            const BundleLimits& bundles = {});
  SimulatedStep Simulate(const ClusterModel& model,
                         const BundleLimits& bundles = {});
  // Simulates parts that were cut elsewhere.
  absl::StatusOr<SimulatedStep> SimulateParts(
      const ClusterModel& model, std::vector<Partition> parts,
      const SimulationOptions& options = {});

  // Return the only run of a node, and its begin and end. Fail the test if it
  // did not run exactly once.
  SimulatedRun RunOf(const SimulatedStep& simulation, const std::string& name);
  double BeginOf(const SimulatedStep& simulation, const std::string& name) {
    return RunOf(simulation, name).begin;
  }
  double EndOf(const SimulatedStep& simulation, const std::string& name) {
    return RunOf(simulation, name).end;
  }
  // Returns the number of runs of a node.
  int CountRuns(const SimulatedStep& simulation, const std::string& name);
  // Returns the names of the nodes on the critical path, without those that
  // take no time, with ">" for each transfer.
  std::vector<std::string> CriticalPath(const SimulatedStep& simulation);
  // Returns the parts of the last simulation.
  const std::vector<Partition>& parts() const { return parts_; }

  Graph graph;

 private:
  NodeId Add(NodeDef def, const std::vector<NodeId>& inputs, double seconds,
             int device);
  NodeId Zero(int device);

  std::vector<int> devices_;     // by NodeId
  std::map<int, NodeId> zeros_;  // by device
  std::map<std::string, NodeCost> costs_;
  std::vector<Partition> parts_;  // of the last simulation
};

}  // namespace leat

#endif  // LEAT_TESTS_PARTITIONER_SIMULATION_HAND_MADE_STEP_H_
