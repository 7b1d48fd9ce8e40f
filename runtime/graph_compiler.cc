// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/graph_compiler.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/partitioner/device_copies.h"
#include "leat/partitioner/partition.h"

namespace leat {

absl::Status GraphCompiler::Compile(Graph graph, SessionKernels& kernels,
                                    FunctionCaller* functions,
                                    CompiledGraph& compiled) {
  LEAT_ASSIGN_OR_RETURN(
      std::vector<Partition> partitions,
      PartitionGraph(std::move(graph), PartitionBy::kDevice, devices_.Infos()));
  for (Partition& partition : partitions) {
    Device* device = devices_.Find(partition.name);
    if (device == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("a graph for ", partition.name,
                       " was given to a task that has no such device"));
    }
    Device* const runs_on = session_devices_ == nullptr
                                ? device
                                : session_devices_->Find(partition.name);
    LEAT_RETURN_IF_ERROR(
        InsertDeviceCopies(device->info().type, partition.graph));
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<const Program> program,
                          Program::Compile(partition.graph, *runs_on, kernels));
    compiled.executors.push_back(std::make_unique<Executor>(
        std::move(program),
        SessionServices{.device = runs_on,
                        .resources = &resources_.Of(*device),
                        .background = &devices_.background_work(),
                        .owner = shared_from_this()},
        functions));
  }
  return absl::OkStatus();
}

}  // namespace leat
