// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/estimate_costs.h"

#include <algorithm>

#include "leat/graph/analysis/infer_work.h"
#include "leat/graph/analysis/node_memory.h"
#include "leat/graph/kernel_signature.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/costs/variable_bytes.h"

namespace leat {
namespace {

// Is the least work for which ParallelFor uses another core
// (core/threads/parallel_for.cc).
constexpr double kParallelGrainSeconds = 16e-6;

double Bounded(double seconds) {
  // The comparison is false for a NaN, which becomes 0.
  return seconds > 0 ? std::min(seconds, kMaxNodeSeconds) : 0;
}

// Returns true if the node only passes on tensors, whatever their sizes are.
bool IsQuick(const Graph& graph, const Node& node) {
  const std::string& op = node.op();
  if (op == "Reshape" || op == "Squeeze" || op == "ExpandDims") return true;
  const KernelSignature* const on_cpu =
      graph.ops().FindSignature(op, kCpu, node.attrs());
  return on_cpu != nullptr && on_cpu->cost == CostClass::kQuick;
}

// Returns true if a node of a GPU needs nothing of the GPU.
bool IsOnHost(const Graph& graph, const Node& node) {
  if (node.attrs().Get<bool>(kRunsOnHost).value_or(false)) return true;
  const KernelSignature* const on_gpu =
      graph.ops().FindSignature(node.op(), kGpu, node.attrs());
  return on_gpu != nullptr && on_gpu->runs_on_host;
}

// Returns true for the nodes between devices. Planning adds them, and the
// numbers in their names begin anew in each plan, so another plan may have
// given the name to another edge.
bool IsBetweenDevices(const Node& node) {
  const std::string& op = node.op();
  return op == "_Send" || op == "_Recv" || op == "_CopyToHost" ||
         op == "_CopyToDevice";
}

// Returns the type whose class of numbers decides how fast the node computes:
// that of the first input, or of the first output if there is no input.
DType MainType(const NodeWork& work) {
  if (!work.inputs.empty()) return work.inputs[0].dtype;
  if (!work.outputs.empty()) return work.outputs[0].dtype;
  return DType::kInvalid;
}

// Returns the bytes of a tensor whose type in the graph is `type`. The bytes
// behind a reference or a handle are the variable's.
double BytesOf(const TensorSpec& tensor, DType type) {
  if (IsRef(type) || type == DType::kResource) return 0;
  return tensor.num_bytes();
}

void SetMemory(const Node& node, const NodeWork& work, bool is_quick,
               NodeCost& cost) {
  cost.scratch_bytes = work.work.scratch_bytes;
  cost.output_bytes.reserve(work.outputs.size());
  for (size_t i = 0; i < work.outputs.size(); ++i) {
    cost.output_bytes.push_back(
        BytesOf(work.outputs[i], node.output_type(static_cast<int>(i))));
  }
  if (!work.inputs.empty()) {
    cost.moved_bytes = work.inputs[0].num_bytes();
  } else if (!work.outputs.empty()) {
    cost.moved_bytes = cost.output_bytes[0];
  }
  if (node.op() == "Const") {
    for (const double bytes : cost.output_bytes) cost.kept_bytes += bytes;
  }
  if (node.op() == "Const" || (is_quick && node.num_inputs() > 0)) {
    std::fill(cost.output_bytes.begin(), cost.output_bytes.end(), 0);
  }
}

// Sets the time to what follows from the work and the rates.
void SetTime(const Work& work, DType type, const DeviceRates& rates,
             int max_cores, NodeCost& cost) {
  const double busy =
      std::max(work.flops / rates.FlopsPerSecond(NumberClassOf(type)),
               (work.bytes_read + work.bytes_written) / rates.bytes_per_second);
  const double useful =
      std::min<double>(busy / kParallelGrainSeconds, max_cores);
  cost.cores = std::max(1, static_cast<int>(useful));
  cost.seconds = Bounded(busy / cost.cores + rates.seconds_per_op);
}

// Returns the cost of a node that does `work`.
NodeCost EstimateCost(const Graph& graph, NodeId id, const NodeWork& work,
                      const CostedDevice& device,
                      const MeasuredCosts* measured) {
  const Node& node = graph.node(id);
  const bool is_quick = IsQuick(graph, node);
  const bool needs_host =
      device.type == kGpu && (is_quick || IsOnHost(graph, node));
  const std::optional<DeviceRates>& known =
      needs_host ? device.host_rates : device.rates;
  const bool has_rates = known.has_value();
  const DeviceRates& rates =
      has_rates ? *known : AssumedRates(needs_host ? kCpu : device.type);
  NodeCost cost;
  SetMemory(node, work, is_quick, cost);
  SetTime(is_quick ? Work() : work.work, MainType(work), rates, device.cores,
          cost);
  cost.origin = has_rates && (is_quick || !work.is_guessed)
                    ? CostOrigin::kCalibrated
                    : CostOrigin::kGuessed;
  if (measured == nullptr) return cost;
  if (!IsBetweenDevices(node)) {
    cost.runs_per_step = measured->RunsPerStep(node.name());
  }
  // A time that was measured for an assumed shape may be far from the true one.
  if (!work.has_known_inputs) return cost;
  if (const auto seconds =
          measured->Seconds(device.kind, *node.def, work.inputs)) {
    cost.seconds = Bounded(*seconds);
    cost.origin = CostOrigin::kMeasured;
  }
  return cost;
}

}  // namespace

std::vector<NodeCost> EstimateCosts(
    const Graph& graph, const std::vector<std::vector<InferredOutput>>& shapes,
    const CostedDevice& device, const MeasuredCosts* measured) {
  const std::vector<NodeWork> works = InferWork(graph, shapes);
  std::vector<NodeCost> costs(graph.num_ids());
  for (const NodeId id : graph.NodeIds()) {
    costs[id] = EstimateCost(graph, id, works[id], device, measured);
    costs[id].kept_bytes +=
        static_cast<double>(VariableBytes(graph.node(id), shapes[id]));
  }
  return costs;
}

}  // namespace leat
