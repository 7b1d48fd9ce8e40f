// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step_stats.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/partial_shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor_codec.h"
#include "leat/graph/graph_def.h"
#include "leat/protos/config.pb.h"

namespace leat {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr uint32_t kWaiting = 0;  // no thread has this id

int64_t Micros(int64_t nanos) { return nanos / 1000; }

Nanoseconds WallClockOffset() {
  return std::chrono::system_clock::now().time_since_epoch() -
         std::chrono::steady_clock::now().time_since_epoch();
}

std::string ThreadName() {
  char name[16] = "";  // the kernel's limit
  return pthread_getname_np(pthread_self(), name, sizeof(name)) == 0 ? name
                                                                     : "";
}

void DescribeOutput(const Tensor& tensor, absl::string_view allocator,
                    pb::TensorDescription& description) {
  description.set_dtype(static_cast<pb::DataType>(tensor.dtype()));
  EncodeShape(PartialShape(tensor.shape()), description.mutable_shape());
  pb::AllocationDescription& allocation =
      *description.mutable_allocation_description();
  allocation.set_requested_bytes(tensor.num_bytes());
  if (tensor.buffer() == nullptr) return;
  allocation.set_allocated_bytes(static_cast<int64_t>(tensor.buffer()->size()));
  allocation.set_allocator_name(std::string(allocator));
  allocation.set_has_single_reference(tensor.IsUnique());
  allocation.set_ptr(reinterpret_cast<uintptr_t>(tensor.raw_data()));
}

// "x", "x:1", then "^y".
std::string InputText(const Graph& graph, const Node& node) {
  std::string text;
  const auto add = [&](absl::string_view prefix, absl::string_view name) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", prefix, name);
  };
  for (const Endpoint& input : node.inputs) {
    add("", graph.node(input.node).name());
    if (input.index != 0) absl::StrAppend(&text, ":", input.index);
  }
  for (NodeId control : node.controls) add("^", graph.node(control).name());
  return text;
}

// What a _Send or _Recv carries and where the other end is; "" for others.
std::string TransferText(const Node& node) {
  const bool sends = node.op() == "_Send" || node.op() == "_HostSend";
  if (!sends && node.op() != "_Recv" && node.op() != "_HostRecv") return "";
  const auto tensor = node.attrs().Get<std::string>("tensor_name");
  const auto device =
      node.attrs().Get<std::string>(sends ? "recv_device" : "send_device");
  if (!tensor.ok() || !device.ok()) return "";
  return absl::StrCat(*tensor, " @", *device);
}

std::string TimelineLabel(const Graph& graph, const Node& node) {
  std::string inputs = TransferText(node);
  if (inputs.empty()) inputs = InputText(graph, node);
  return absl::StrCat(node.name(), " = ", node.op(), "(", inputs, ")");
}

}  // namespace

StepStatsRecorder::StepStatsRecorder(StepObserver* next, int64_t max_node_runs)
    : next_(next),
      max_node_runs_(max_node_runs),
      wall_clock_offset_(WallClockOffset()),
      stats_(std::make_unique<pb::StepStats>()) {}

StepStatsRecorder::~StepStatsRecorder() = default;

void StepStatsRecorder::Describe(const NodeRun& run,
                                 pb::NodeExecStats& node) const {
  const auto nanos = [this](std::chrono::steady_clock::time_point time) {
    return Nanoseconds(time.time_since_epoch() + wall_clock_offset_).count();
  };
  const int64_t scheduled = nanos(run.scheduled);
  const int64_t started = nanos(run.started);
  const int64_t duration = nanos(run.ended) - started;
  node.set_node_name(std::string(run.node));
  node.set_timeline_label(absl::StrCat(run.node, " = ", run.op, "()"));
  node.set_scheduled_nanos(scheduled);
  node.set_scheduled_micros(Micros(scheduled));
  node.set_all_start_nanos(started);
  node.set_all_start_micros(Micros(started));
  node.set_op_end_rel_nanos(duration);
  node.set_op_end_rel_micros(Micros(duration));
  node.set_all_end_rel_nanos(duration);
  node.set_all_end_rel_micros(Micros(duration));
  node.set_thread_id(run.is_async ? kWaiting : static_cast<uint32_t>(gettid()));
  Allocator& allocator = run.device->allocator();
  pb::AllocatorMemoryUsed& memory = *node.add_memory();
  memory.set_allocator_name(std::string(allocator.name()));
  memory.set_allocator_bytes_in_use(allocator.stats().live_bytes);
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    if (run.outputs[i] == nullptr) continue;
    pb::NodeOutput& output = *node.add_output();
    output.set_slot(static_cast<int32_t>(i));
    DescribeOutput(*run.outputs[i], allocator.name(),
                   *output.mutable_tensor_description());
  }
}

void StepStatsRecorder::OnNodeRun(const NodeRun& run) {
  if (next_ != nullptr) next_->OnNodeRun(run);
  pb::NodeExecStats node;
  Describe(run, node);
  MutexLock lock(mutex_);
  if (num_node_runs_ == max_node_runs_) return;
  ++num_node_runs_;
  const auto found = std::find(devices_.begin(), devices_.end(), run.device);
  const auto index = static_cast<int>(found - devices_.begin());
  if (found == devices_.end()) {
    devices_.push_back(run.device);
    stats_->add_dev_stats()->set_device(run.device->name());
  }
  pb::DeviceStepStats& device = *stats_->mutable_dev_stats(index);
  std::string& thread = (*device.mutable_thread_names())[node.thread_id()];
  if (thread.empty()) {
    thread = node.thread_id() == kWaiting ? "waiting" : ThreadName();
  }
  device.add_node_stats()->Swap(&node);
}

void StepStatsRecorder::Export(pb::StepStats& stats) {
  MutexLock lock(mutex_);
  stats.Clear();
  stats.Swap(stats_.get());
  devices_.clear();
  num_node_runs_ = 0;
  auto& devices = *stats.mutable_dev_stats();
  std::sort(
      devices.pointer_begin(), devices.pointer_end(),
      [](const auto* a, const auto* b) { return a->device() < b->device(); });
  for (pb::DeviceStepStats& device : devices) {
    auto& nodes = *device.mutable_node_stats();
    std::stable_sort(nodes.pointer_begin(), nodes.pointer_end(),
                     [](const auto* a, const auto* b) {
                       return a->all_start_nanos() < b->all_start_nanos();
                     });
  }
}

void AddTimelineLabels(const CompiledGraph& graph, const OpRegistry& ops,
                       pb::StepStats& stats) {
  for (const auto& executor : graph.executors) {
    const Program& program = executor->program();
    const Graph nodes = program.ToGraph(ops);
    for (pb::DeviceStepStats& device : *stats.mutable_dev_stats()) {
      if (device.device() != program.device().name()) continue;
      for (pb::NodeExecStats& node : *device.mutable_node_stats()) {
        const NodeId id = nodes.Find(node.node_name());
        if (id == kNoNode) continue;
        node.set_timeline_label(TimelineLabel(nodes, nodes.node(id)));
      }
    }
  }
}

absl::Status ExportPartitionGraphs(const CompiledGraph& graph,
                                   const OpRegistry& ops,
                                   pb::RunMetadata& metadata) {
  for (const auto& executor : graph.executors) {
    LEAT_RETURN_IF_ERROR(ExportGraphDef(
        executor->program().ToGraph(ops), *metadata.add_partition_graphs(),
        {.assigned_devices = true, .strip_default_attrs = false}));
  }
  return absl::OkStatus();
}

}  // namespace leat
