// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/partitioner/simulation/hand_made_step.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/bundles.h"
#include "leat/partitioner/device_copies.h"

namespace leat {
namespace {

constexpr char kKinds[] = R"({
  "cpu": {"type": "CPU", "rates": {"flops_per_second": {"float": 1},
          "bytes_per_second": 1, "seconds_per_op": 0}},
  "gpu": {"type": "GPU", "memory_bytes": 1000,
          "rates": {"flops_per_second": {"float": 1},
          "bytes_per_second": 1, "seconds_per_op": 0}}})";

ClusterModel Parse(const std::string& hosts, const std::string& links) {
  auto model = ClusterModel::FromJson(
      absl::StrCat("{\"kinds\": ", kKinds, ", \"hosts\": [", hosts,
                   "], \"links\": [", links, "]}"),
      "a test");
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

std::string HostText(int count, int cores, int num_cpus, int num_gpus = 0) {
  std::string devices =
      absl::StrCat("{\"kind\": \"cpu\", \"count\": ", num_cpus, "}");
  if (num_gpus > 0) {
    absl::StrAppend(&devices, ", {\"kind\": \"gpu\", \"count\": ", num_gpus,
                    "}");
  }
  return absl::StrCat(
      "{\"name\": \"h\", \"count\": ", count, ", \"cores\": ", cores,
      ", \"memory_bytes\": 1000, \"tasks\": [{\"job\": \"worker\", "
      "\"devices\": [",
      devices, "]}]}");
}

}  // namespace

ClusterModel OneHost(int cores, int num_cpus) {
  return Parse(HostText(1, cores, num_cpus), "");
}

ClusterModel SeveralHosts(int hosts, int cores, double latency_seconds,
                          double bytes_per_second, const std::string& link) {
  return Parse(HostText(hosts, cores, 1),
               absl::StrCat("{\"between\": \"hosts\", \"latency_seconds\": ",
                            latency_seconds,
                            ", \"bytes_per_second\": ", bytes_per_second,
                            link.empty() ? "" : ", ", link, "}"));
}

ClusterModel HostWithGpus(int cores, int num_gpus, const std::string& sharing) {
  return Parse(HostText(1, cores, 1, num_gpus),
               absl::StrCat("{\"between\": \"gpus\", \"latency_seconds\": 0, "
                            "\"bytes_per_second\": 10, \"sharing\": \"",
                            sharing, "\"}"));
}

void SetBundle(Graph& part) {
  for (const NodeId id : part.NodeIds()) {
    if (part.node(id).op() != "_Recv") continue;
    auto def = std::make_shared<NodeDef>(*part.node(id).def);
    def->attrs.Set(kBundleAttr, int64_t{0});
    part.Replace(id, std::move(def));
  }
}

HandMadeStep::HandMadeStep() : graph(BuiltinOps()) {}

NodeId HandMadeStep::Cheap(const std::string& name, double seconds,
                           const std::vector<NodeId>& inputs, int device) {
  NodeDef def{.name = name};
  if (inputs.empty()) {
    def.op = BuiltinOps().Find("Const");
    def.attrs.Set("dtype", DType::kFloat);
    def.attrs.Set("value", Tensor::Scalar<float>(0));
  } else {
    def.op = BuiltinOps().Find("AddN");
    def.attrs.Set("T", DType::kFloat);
    def.attrs.Set("N", static_cast<int64_t>(inputs.size()));
  }
  return Add(std::move(def), inputs, seconds, device);
}

NodeId HandMadeStep::Expensive(const std::string& name, double seconds,
                               const std::vector<NodeId>& inputs, int device) {
  EXPECT_LE(inputs.size(), 2u);
  std::vector<NodeId> factors = inputs;
  if (factors.empty()) factors = {Zero(device)};
  if (factors.size() == 1) factors.push_back(factors[0]);
  NodeDef def{.name = name, .op = BuiltinOps().Find("MatMul")};
  def.attrs.Set("T", DType::kFloat);
  return Add(std::move(def), factors, seconds, device);
}

// Returns a root that takes no time, for nodes that must have an input.
NodeId HandMadeStep::Zero(int device) {
  const auto [zero, is_new] = zeros_.try_emplace(device, kNoNode);
  if (is_new)
    zero->second = Cheap(absl::StrCat("zero_", device), 0, {}, device);
  return zero->second;
}

NodeId HandMadeStep::Add(NodeDef def, const std::vector<NodeId>& inputs,
                         double seconds, int device) {
  std::vector<Endpoint> endpoints;
  for (const NodeId input : inputs) endpoints.push_back({input, 0});
  costs_[def.name] = {.seconds = seconds, .output_bytes = {0}};
  const auto id = graph.Add(std::move(def), endpoints);
  EXPECT_TRUE(id.ok()) << id.status();
  devices_.resize(*id + 1, 0);
  devices_[*id] = device;
  return *id;
}

absl::StatusOr<SimulatedStep> HandMadeStep::TrySimulate(
    const ClusterModel& model, const BundleLimits& bundles) {
  for (const NodeId id : graph.NodeIds()) {
    graph.mutable_node(id).device =
        graph.InternDevice(model.devices()[devices_[id]].name);
  }
  const std::vector<DeviceInfo> infos = model.DeviceInfos();
  LEAT_ASSIGN_OR_RETURN(
      std::vector<Partition> tasks,
      PartitionGraph(graph, PartitionBy::kTask, infos, {}, bundles));
  std::vector<Partition> parts;
  for (Partition& task : tasks) {
    LEAT_ASSIGN_OR_RETURN(
        std::vector<Partition> cut,
        PartitionGraph(std::move(task.graph), PartitionBy::kDevice, infos));
    for (Partition& part : cut) {
      const DeviceModel& device = model.devices()[model.FindDevice(part.name)];
      LEAT_RETURN_IF_ERROR(InsertDeviceCopies(device.type, part.graph));
      parts.push_back(std::move(part));
    }
  }
  return SimulateParts(model, std::move(parts));
}

absl::StatusOr<SimulatedStep> HandMadeStep::SimulateParts(
    const ClusterModel& model, std::vector<Partition> parts,
    const SimulationOptions& options) {
  parts_ = std::move(parts);
  std::vector<std::vector<NodeCost>> costs;
  for (const Partition& part : parts_) {
    costs.emplace_back(part.graph.num_ids());
    for (const NodeId id : part.graph.NodeIds()) {
      const Node& node = part.graph.node(id);
      NodeCost& cost = costs.back()[id];
      const auto own = costs_.find(node.name());
      if (own != costs_.end()) {
        cost = own->second;
        continue;
      }
      // What planning has added moves the tensor of its producer.
      const std::string producer = node.name().substr(0, node.name().find('/'));
      const auto moved = costs_.find(producer);
      if (moved == costs_.end()) continue;
      cost.moved_bytes = moved->second.output_bytes[0];
      if (node.num_outputs() > 0) cost.output_bytes = {cost.moved_bytes};
    }
  }
  return leat::Simulate(model, parts_, costs, options);
}

SimulatedStep HandMadeStep::Simulate(const ClusterModel& model,
                                     const BundleLimits& bundles) {
  auto simulation = TrySimulate(model, bundles);
  EXPECT_TRUE(simulation.ok()) << simulation.status();
  return simulation.ok() ? *std::move(simulation) : SimulatedStep();
}

SimulatedRun HandMadeStep::RunOf(const SimulatedStep& simulation,
                                 const std::string& name) {
  EXPECT_EQ(CountRuns(simulation, name), 1) << name;
  for (const SimulatedRun& run : simulation.runs) {
    if (parts_[run.part].graph.node(run.node).name() == name) return run;
  }
  return {};
}

int HandMadeStep::CountRuns(const SimulatedStep& simulation,
                            const std::string& name) {
  int count = 0;
  for (const SimulatedRun& run : simulation.runs) {
    count += parts_[run.part].graph.node(run.node).name() == name ? 1 : 0;
  }
  return count;
}

std::vector<std::string> HandMadeStep::CriticalPath(
    const SimulatedStep& simulation) {
  std::vector<std::string> names;
  for (const Cause& cause : simulation.critical_path) {
    if (cause.kind == Cause::Kind::kTransfer) {
      names.push_back(">");
      continue;
    }
    const SimulatedRun& run = simulation.runs[cause.index];
    if (run.begin == run.end) continue;
    names.push_back(parts_[run.part].graph.node(run.node).name());
  }
  return names;
}

}  // namespace leat
