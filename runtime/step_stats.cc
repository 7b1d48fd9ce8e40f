// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step_stats.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/partial_shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/step_transfers.h"

namespace leat {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr uint32_t kWaiting = 0;  // no thread has this id

int64_t Micros(int64_t nanos) { return nanos / 1000; }

std::string ThreadName() {
  char name[16] = "";  // the operating system's limit
  return pthread_getname_np(pthread_self(), name, sizeof(name)) == 0 ? name
                                                                     : "";
}

void SetTimes(int64_t scheduled, int64_t started, int64_t ended,
              pb::NodeExecStats& node) {
  const int64_t duration = ended - started;
  node.set_scheduled_nanos(scheduled);
  node.set_scheduled_micros(Micros(scheduled));
  node.set_all_start_nanos(started);
  node.set_all_start_micros(Micros(started));
  node.set_op_end_rel_nanos(duration);
  node.set_op_end_rel_micros(Micros(duration));
  node.set_all_end_rel_nanos(duration);
  node.set_all_end_rel_micros(Micros(duration));
}

// Returns the label of a pull, in the units that TensorFlow's users know: MB
// are mebibytes, and Mb are megabits.
std::string PullLabel(const TensorPull& pull, int64_t nanos) {
  constexpr double kMebibyte = 1 << 20;
  const auto bytes = static_cast<double>(pull.bytes);
  const double megabits =
      8 * bytes / static_cast<double>(std::max<int64_t>(Micros(nanos), 1));
  char size[48];
  if (bytes >= 0.1 * kMebibyte) {
    std::snprintf(size, sizeof(size), "%.1fMB", bytes / kMebibyte);
  } else {
    std::snprintf(size, sizeof(size), "%.0fB", bytes);
  }
  char rate[48];
  if (megabits >= 1000) {
    std::snprintf(rate, sizeof(rate), "%.1fGb/s", megabits / 1000);
  } else {
    std::snprintf(rate, sizeof(rate), "%fMb/s", megabits);
  }
  return absl::StrCat("[", size, "] [", rate, "] ", pull.tensor, " from ",
                      pull.from, " to ", pull.to->name());
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

// Returns the inputs of a node as text: "x", "x:1", and then "^y" for control
// edges.
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

// Returns "TENSOR @DEVICE" for a _Send or a _Recv, where DEVICE is the other
// end of the transfer. Returns "" for other nodes.
std::string TransferText(const Node& node) {
  const bool sends = node.op() == "_Send" || node.op() == "_HostSend";
  if (!sends && node.op() != "_Recv" && node.op() != "_HostRecv") return "";
  const auto tensor = node.attrs().Get<std::string>("tensor_name");
  const auto device =
      node.attrs().Get<std::string>(sends ? "recv_device" : "send_device");
  if (!tensor.ok() || !device.ok()) return "";
  return absl::StrCat(*tensor, " @", *device);
}

std::string LabelText(const Graph& graph, const Node& node) {
  std::string inputs = TransferText(node);
  if (inputs.empty()) inputs = InputText(graph, node);
  return absl::StrCat(node.name(), " = ", node.op(), "(", inputs, ")");
}

}  // namespace

Nanoseconds WallClockOffset() {
  using Steady = std::chrono::steady_clock;
  Nanoseconds offset(0);
  Nanoseconds best = Nanoseconds::max();
  // The thread may lose its core between two readings, so the closest of three
  // pairs of readings is used.
  for (int i = 0; i < 3; ++i) {
    const Nanoseconds before = Steady::now().time_since_epoch();
    const Nanoseconds wall =
        std::chrono::system_clock::now().time_since_epoch();
    const Nanoseconds after = Steady::now().time_since_epoch();
    if (after - before >= best) continue;
    best = after - before;
    offset = wall - before - best / 2;
  }
  return offset;
}

StepStatsRecorder::StepStatsRecorder(StepObserver* next, int64_t max_node_runs)
    : next_(next),
      max_node_runs_(max_node_runs),
      wall_clock_offset_(WallClockOffset()),
      stats_(std::make_unique<pb::StepStats>()) {}

StepStatsRecorder::~StepStatsRecorder() = default;

int64_t StepStatsRecorder::WallTime(
    std::chrono::steady_clock::time_point time) const {
  return Nanoseconds(time.time_since_epoch() + wall_clock_offset_).count();
}

void StepStatsRecorder::Describe(const NodeRun& run,
                                 pb::NodeExecStats& node) const {
  node.set_node_name(std::string(run.node));
  node.set_timeline_label(absl::StrCat(run.node, " = ", run.op, "()"));
  SetTimes(WallTime(run.scheduled), WallTime(run.started), WallTime(run.ended),
           node);
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
  Add(run.device, node);
}

void StepStatsRecorder::OnPull(const TensorPull& pull) {
  const int64_t asked = WallTime(pull.asked);
  const int64_t received = WallTime(pull.received);
  int64_t started = asked;
  if (pull.sent.count() != 0) {
    // The sender has another clock, and a peer may send any number.
    const int64_t sent =
        std::clamp(pull.sent.count(), Micros(asked), Micros(received));
    started = std::clamp(sent * 1000, asked, received);
  }
  pb::NodeExecStats node;
  node.set_node_name(kRecvTensorNode);
  node.set_timeline_label(PullLabel(pull, received - started));
  SetTimes(asked, started, received, node);
  node.set_thread_id(kWaiting);
  node.add_output()
      ->mutable_tensor_description()
      ->mutable_allocation_description()
      ->set_requested_bytes(pull.bytes);
  Add(pull.to, node);
}

void StepStatsRecorder::Add(const Device* device, pb::NodeExecStats& node) {
  MutexLock lock(mutex_);
  if (num_node_runs_ == max_node_runs_) return;
  ++num_node_runs_;
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  const auto index = static_cast<int>(found - devices_.begin());
  if (found == devices_.end()) {
    devices_.push_back(device);
    stats_->add_dev_stats()->set_device(device->name());
  }
  pb::DeviceStepStats& stats = *stats_->mutable_dev_stats(index);
  std::string& thread = (*stats.mutable_thread_names())[node.thread_id()];
  if (thread.empty()) {
    thread = node.thread_id() == kWaiting ? "waiting" : ThreadName();
  }
  stats.add_node_stats()->Swap(&node);
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
        // The entry of a pull stands for no node of the graph, but a node of
        // the graph may have the same name.
        if (id == kNoNode || IsPull(node)) continue;
        node.set_timeline_label(LabelText(nodes, nodes.node(id)));
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
