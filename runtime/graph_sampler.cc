// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/graph_sampler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "leat/partitioner/costs/cost_key.h"
#include "leat/runtime/device_kind.h"

namespace leat {
namespace {

using Kind = SamplingSchedule::Kind;

std::string KeyOf(const NodeDef& def, const std::vector<Shape>& shapes) {
  std::vector<TensorSpec> inputs;
  inputs.reserve(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    inputs.push_back({.dtype = def.input_types[i], .shape = shapes[i]});
  }
  return CostKey(def, inputs);
}

// Keeps the most bytes that each output had.
void KeepLargest(absl::Span<const Tensor* const> outputs,
                 std::vector<double>& bytes) {
  const size_t num_outputs = std::min(outputs.size(), DeviceCosts::kMaxOutputs);
  if (bytes.size() < num_outputs) bytes.resize(num_outputs);
  for (size_t i = 0; i < num_outputs; ++i) {
    if (outputs[i] == nullptr) continue;
    bytes[i] = std::max(bytes[i], static_cast<double>(outputs[i]->num_bytes()));
  }
}

}  // namespace

GraphSampler::GraphSampler(const CompiledGraph& graph, CostRecorder& recorder)
    : recorder_(recorder) {
  for (const auto& executor : graph.executors) {
    const Program& program = executor->program();
    const std::string& kind =
        *device_kinds_.insert(DeviceKind(program.device())).first;
    const bool is_cpu = program.device().info().type == kCpu;
    for (const Program::Instruction& instruction : program.instructions()) {
      const bool is_timed =
          is_cpu && instruction.kernel != nullptr && !instruction.is_async;
      numbers_[instruction.def->name.data()] = static_cast<int>(nodes_.size());
      nodes_.push_back(
          {.def = instruction.def, .device_kind = kind, .is_timed = is_timed});
    }
  }
}

int GraphSampler::Find(const char* name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

void GraphSampler::Add(const Record& record) {
  std::vector<std::string> keys;
  keys.reserve(record.timed.size());
  for (const TimedRun& run : record.timed) {
    keys.push_back(KeyOf(*nodes_[run.node].def, run.input_shapes));
  }
  for (const std::string& kind : device_kinds_) {
    recorder_.Update(kind, [&](DeviceCosts& costs) {
      for (size_t i = 0; i < keys.size(); ++i) {
        const TimedRun& run = record.timed[i];
        if (nodes_[run.node].device_kind != kind) continue;
        costs.AddTime(keys[i], run.seconds);
      }
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].device_kind != kind) continue;
        costs.AddRuns({.name = nodes_[i].def->name,
                       .steps = 1,
                       .runs = record.counts[i].runs,
                       .output_bytes = record.counts[i].output_bytes});
      }
    });
  }
}

void StepSample::Begin(int64_t step_id) {
  turn_ = sampler_->schedule().Begin(step_id);
  if (turn_.kind == Kind::kPlain) return;
  started_ = sampler_->clock().Now();
  if (turn_.kind != Kind::kSampled) return;
  guarded_ = std::make_unique<GuardedRecord>();
  MutexLock lock(guarded_->mutex);
  guarded_->record.counts.resize(sampler_->nodes().size());
}

void StepSample::EndTurn(bool succeeded) {
  if (guarded_ != nullptr && succeeded) {
    MutexLock lock(guarded_->mutex);
    sampler_->Add(guarded_->record);
  }
  sampler_->schedule().End(turn_, sampler_->clock().Now() - started_);
  turn_ = {};
}

void StepSample::OnNodeRun(const NodeRun& run) {
  if (next_ != nullptr) next_->OnNodeRun(run);
  const int number = sampler_->Find(run.node.data());
  if (number < 0) return;
  const GraphSampler::Node& node = sampler_->nodes()[number];
  GraphSampler::TimedRun timed;
  // The shapes of a dead node's inputs are not known.
  const bool is_timed =
      node.is_timed && run.input_shapes.size() == node.def->input_types.size();
  if (is_timed) {
    timed = {
        .node = number,
        .seconds =
            std::chrono::duration<float>(run.ended - run.started).count(),
        .input_shapes = {run.input_shapes.begin(), run.input_shapes.end()}};
  }
  MutexLock lock(guarded_->mutex);
  GraphSampler::Record& record = guarded_->record;
  GraphSampler::Counts& counts = record.counts[number];
  ++counts.runs;
  KeepLargest(run.outputs, counts.output_bytes);
  const size_t num_shapes = record.num_input_shapes + timed.input_shapes.size();
  if (!is_timed || record.timed.size() >= GraphSampler::kMaxTimedRuns ||
      num_shapes > GraphSampler::kMaxInputShapes) {
    return;
  }
  record.num_input_shapes = num_shapes;
  record.timed.push_back(std::move(timed));
}

}  // namespace leat
