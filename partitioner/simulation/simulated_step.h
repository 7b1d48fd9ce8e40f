// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SimulatedStep is what the simulator (simulator.h) says about a step: when
// each node would run, when each tensor would travel, how long each device
// would be busy, and how much memory it would need. Times are in seconds, from
// the beginning of the step.
#ifndef LEAT_PARTITIONER_SIMULATION_SIMULATED_STEP_H_
#define LEAT_PARTITIONER_SIMULATION_SIMULATED_STEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "leat/graph/graph.h"

namespace leat {

// Says what a run or a transfer was waiting for last: the run or the transfer
// with the index `index`, or the beginning of the step. Usually it begins when
// that has ended. A transfer may begin later, while the request for it is under
// way. And it begins when the last byte of the one before it is on their line,
// which is a latency before that byte arrives.
struct Cause {
  enum class Kind : uint8_t { kBeginning, kRun, kTransfer };
  Kind kind = Kind::kBeginning;
  int32_t index = 0;

  friend bool operator==(const Cause&, const Cause&) = default;
};

// Describes one run of a node.
struct SimulatedRun {
  int32_t part = 0;  // index into the partitions
  NodeId node = kNoNode;
  int32_t iteration = 0;  // counts over all entries of the loop; 0 outside
  // Is the core of the host or the stream of the GPU, or -1 for a copy between
  // the memories of a GPU and its host.
  int32_t lane = 0;
  double begin = 0;
  double end = 0;
  Cause cause = {};
};

// Describes a message from one device to another.
struct SimulatedTransfer {
  // Are the partition and the id of the first _Send.
  int32_t part = 0;
  NodeId send = kNoNode;
  int32_t num_tensors = 1;
  int32_t from = 0;  // device, as an index into ClusterModel::devices()
  int32_t to = 0;
  double bytes = 0;
  double begin = 0;
  double end = 0;  // when all bytes have arrived
  Cause cause = {};
};

// Says what a device did. Nodes on a CPU run on the cores of its host, which
// other devices may use, too.
struct DeviceUse {
  int32_t device = 0;      // index into ClusterModel::devices()
  int num_processors = 1;  // cores or streams
  // Are sums over the cores or streams: the time for which nodes of the device
  // kept them busy, and the rest of the step.
  double busy_seconds = 0;
  double idle_seconds = 0;
  double peak_bytes = 0;  // with variables and constants
  double kept_bytes = 0;  // of variables and constants
};

// Says how often a loop of the step turns, and in how few iterations it was
// simulated.
struct SimulatedLoop {
  std::string name = {};
  double trips = 1;         // how often it turns each time that it is entered
  bool is_assumed = false;  // nobody has measured `trips`
  // Is the number of simulated turns, fewer than `trips` if there would be too
  // many runs. What runs in one of them takes trips / simulated_trips times as
  // long.
  int simulated_trips = 1;
};

// Is a plain value.
struct SimulatedStep {
  double step_seconds = 0;
  // No plan for these devices is faster than this, if it takes each node the
  // same time on any processor: max(W / P, CP). W is the work in seconds of one
  // processor, P the number of processors of the cluster model, and CP the
  // length of the longest path through the graph, without transfers.
  double bound_seconds = 0;
  double work_seconds = 0;                        // W
  double critical_path_seconds = 0;               // CP
  std::vector<DeviceUse> devices = {};            // in the order of partitions
  std::vector<SimulatedRun> runs = {};            // in the order of their ends
  std::vector<SimulatedTransfer> transfers = {};  // in the order of requests
  std::vector<SimulatedLoop> loops = {};
  // Holds what the step was waiting for, from its beginning to its end: the
  // cause of each element is the element before it.
  std::vector<Cause> critical_path = {};
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_SIMULATION_SIMULATED_STEP_H_
