// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EstimateCosts says what each node of a graph costs on one device: what was
// measured, or what follows from the node's work and the device's rates.
#ifndef LEAT_PARTITIONER_COSTS_ESTIMATE_COSTS_H_
#define LEAT_PARTITIONER_COSTS_ESTIMATE_COSTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"
#include "leat/partitioner/costs/device_rates.h"
#include "leat/partitioner/costs/measured_costs.h"
#include "leat/partitioner/costs/node_cost.h"

namespace leat {

// Describes a device for estimates.
struct CostedDevice {
  DeviceType type = kCpu;
  // Is the name under which MeasuredCosts knows such devices.
  std::string kind = {};
  // Is not set if nobody has measured or published the rates.
  std::optional<DeviceRates> rates = {};
  // Has, for a GPU, the rates of a core of its host, because some nodes of a
  // GPU run there.
  std::optional<DeviceRates> host_rates = {};
  // Is the number of cores that one node may use. Is 1 for a GPU.
  int cores = 1;
};

// Returns the costs of all nodes of `graph`, by NodeId, if all of them run on
// `device`. `shapes` is what is known of each output, as InferShapes returns
// it. A time that is not in `measured`, which may be null, is
//
//   max(flops / rate, bytes / bandwidth) + seconds_per_op,
//
// where the maximum is divided among as many cores as ParallelFor uses. A node
// whose kernel is quick (CostClass) takes `seconds_per_op`. A node of a GPU
// that is quick, or that runs on the host, has the rates of the host.
std::vector<NodeCost> EstimateCosts(
    const Graph& graph, const std::vector<std::vector<InferredOutput>>& shapes,
    const CostedDevice& device, const MeasuredCosts* measured = nullptr);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_ESTIMATE_COSTS_H_
