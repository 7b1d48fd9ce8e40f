// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Imports bytes as a GraphDef, plans the graph for two devices, and runs one
// step with all sinks of the graph. Every run must end soon, take little
// memory, and report each problem as a Status.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/analysis/infer_work.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tools/dumps/graph_stages.h"

namespace {

constexpr int64_t kMemoryBytes = int64_t{64} << 20;

// Returns the devices. All runs share them, because starting their threads
// takes longer than a run.
std::shared_ptr<leat::DeviceSet> Devices() {
  static const std::shared_ptr<leat::DeviceSet>& devices =
      *new std::shared_ptr<leat::DeviceSet>(
          leat::DeviceSet::Create({.num_cpus = 2,
                                   .num_threads = 1,
                                   .cpu_memory_bytes = kMemoryBytes})
              .value());
  return devices;
}

// Removes all resources from the devices. Resources outlive sessions, but a run
// must not depend on earlier runs.
void ForgetResources() {
  for (const auto& device : Devices()->devices()) {
    Devices()->resources().Of(*device).Clear();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leat::pb::GraphDef def;
  if (!def.ParseFromArray(data, static_cast<int>(size))) return 0;
  leat::ImportLimits limits;
  limits.max_nodes = 1000;
  limits.max_edges = 10'000;
  limits.max_functions = 100;
  limits.max_attr_bytes = 1 << 20;
  limits.max_total_attr_bytes = 4 << 20;
  limits.max_nesting = 10;
  const auto graph = leat::ImportGraphDef(def, leat::BuiltinOps(), limits);
  if (!graph.ok()) return 0;
  std::vector<std::vector<leat::InferredOutput>> shapes;
  if (auto known = leat::InferShapes(*graph); known.ok()) {
    shapes = *std::move(known);
  }
  leat::InferWork(*graph, shapes, /*assumed_extent=*/int64_t{1} << 40);
  leat::LocalSessionOptions options;
  options.device_set = Devices();
  options.placement_policy = "round_robin";
  const auto session = leat::NewLocalSession(*graph, options);
  if (session.ok()) {
    leat::RunArgs args;
    for (std::string& sink : leat::SinkNames(*graph)) {
      args.targets.emplace_back(std::move(sink));
    }
    args.options.timeout = std::chrono::seconds(1);
    (*session)->Run(args).IgnoreError();
    (*session)->Close().IgnoreError();
  }
  ForgetResources();
  return 0;
}
