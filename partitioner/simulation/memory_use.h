// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SetMemory says how much memory a simulated step needs on each device.
#ifndef LEAT_PARTITIONER_SIMULATION_MEMORY_USE_H_
#define LEAT_PARTITIONER_SIMULATION_MEMORY_USE_H_

#include <vector>

#include "absl/types/span.h"
#include "leat/partitioner/costs/node_cost.h"
#include "leat/partitioner/simulation/engine.h"
#include "leat/partitioner/simulation/simulated_step.h"
#include "leat/partitioner/simulation/step_model.h"

namespace leat {

// Sets peak_bytes and kept_bytes of each device. A tensor lives from the end of
// its producer to the end of its last consumer. A node that passes on the bytes
// of an input lengthens their life to that of its output. `engine` must have
// run, and `runs` are its runs.
void SetMemory(const StepModel& step, const Engine& engine,
               absl::Span<const std::vector<NodeCost>> costs,
               absl::Span<const SimulatedRun> runs,
               std::vector<DeviceUse>& devices);

}  // namespace leat

#endif  // LEAT_PARTITIONER_SIMULATION_MEMORY_USE_H_
