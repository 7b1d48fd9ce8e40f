// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SimulationText writes a simulated step for people.
#ifndef LEAT_TOOLS_DUMPS_DUMP_SIMULATION_TEXT_H_
#define LEAT_TOOLS_DUMPS_DUMP_SIMULATION_TEXT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "leat/tools/dumps/dump_simulation.h"
#include "leat/tools/dumps/table.h"

namespace leat {

// Returns a time such as "12.3 ms".
std::string SecondsText(double seconds);

// Returns the time of the step and of what it consists: devices, costliest
// nodes, critical path. `short_name` shortens the names of devices.
std::string SimulationText(
    const DumpedSimulation& simulation,
    absl::FunctionRef<std::string(const std::string&)> short_name,
    const TableOptions& options);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_DUMP_SIMULATION_TEXT_H_
