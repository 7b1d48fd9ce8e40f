// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphSampler and StepSample measure what the nodes of a compiled graph cost.
// A StepSample observes a step if the graph's SamplingSchedule wants it, and
// gives what it has seen to the CostRecorder.
//
//   StepSample sample(graph.sampler.get(), step_id, observer);
//   Step step(step_id, ..., sample.observer());
//   ...  // run the step
//   sample.End(status.ok());
#ifndef LEAT_RUNTIME_GRAPH_SAMPLER_H_
#define LEAT_RUNTIME_GRAPH_SAMPLER_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/step_observer.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/cost_recorder.h"
#include "leat/runtime/graph_compiler.h"
#include "leat/runtime/sampling_schedule.h"

namespace leat {

// Is thread-safe. The CompiledGraph owns it.
class GraphSampler {
 public:
  // Limit the runs of a step whose times are kept, and the shapes of the inputs
  // of all these runs together. The other runs are only counted.
  static constexpr size_t kMaxTimedRuns = size_t{1} << 16;
  static constexpr size_t kMaxInputShapes = size_t{1} << 18;

  // Describes a node of the graph.
  struct Node {
    const NodeDef* def = nullptr;
    absl::string_view device_kind = {};
    // Is false for nodes whose times say nothing of what they cost: those
    // without a kernel, asynchronous ones, which wait, and those on a GPU,
    // which only queue their work.
    bool is_timed = false;
  };
  // Describes a run of a node.
  struct TimedRun {
    int node = 0;
    float seconds = 0;
    std::vector<Shape> input_shapes = {};
  };
  // Says what a node did in a step.
  struct Counts {
    double runs = 0;
    std::vector<double> output_bytes = {};  // the most bytes of each output
  };
  // Holds what was seen of a step.
  struct Record {
    std::vector<Counts> counts = {};  // by node
    std::vector<TimedRun> timed = {};
    size_t num_input_shapes = 0;  // of the timed runs
  };

  // `recorder` and the executors of `graph` are borrowed and must outlive this.
  GraphSampler(const CompiledGraph& graph, CostRecorder& recorder);

  SamplingSchedule& schedule() { return schedule_; }
  Clock& clock() const { return recorder_.clock(); }
  const std::vector<Node>& nodes() const { return nodes_; }
  // Returns the number of the node to whose name `name` points, or -1 if the
  // node is not in this graph, but in a function.
  int Find(const char* name) const;
  // Gives what was seen of a step to the recorder.
  void Add(const Record& record);

 private:
  CostRecorder& recorder_;
  SamplingSchedule schedule_;
  // These members do not change after the constructor. `numbers_` has the
  // numbers of the nodes by their names' characters.
  std::set<std::string> device_kinds_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<const char*, int> numbers_;
};

// Belongs to one step. OnNodeRun is thread-safe. The other functions must be
// called before the step begins or after it has ended.
class StepSample final : public StepObserver {
 public:
  // Does nothing if `sampler` is null, or if the step is not to be sampled.
  // Otherwise passes every run of a node on to `next`, which may be null. Both
  // are borrowed.
  StepSample(GraphSampler* sampler, int64_t step_id, StepObserver* next)
      : sampler_(sampler), next_(next) {
    if (sampler_ != nullptr) Begin(step_id);
  }
  // Calls End(false).
  ~StepSample() override { End(/*succeeded=*/false); }
  StepSample(const StepSample&) = delete;
  StepSample& operator=(const StepSample&) = delete;

  // Returns the observer that the step must have: this, `next` or null.
  StepObserver* observer() { return is_recording() ? this : next_; }
  bool is_recording() const { return guarded_ != nullptr; }
  // Must be called when the step has ended. Drops what was seen of a step that
  // has not succeeded. Later calls do nothing.
  void End(bool succeeded) {
    if (turn_.kind != SamplingSchedule::Kind::kPlain) EndTurn(succeeded);
  }

  void OnNodeRun(const NodeRun& run) override;
  bool WantsInputShapes() const override { return true; }

 private:
  // Lies on the heap, because most steps need none.
  struct GuardedRecord {
    Mutex mutex = {};
    GraphSampler::Record record ABSL_GUARDED_BY(mutex) = {};
  };

  void Begin(int64_t step_id);
  void EndTurn(bool succeeded);

  GraphSampler* const sampler_;
  StepObserver* const next_;
  SamplingSchedule::Turn turn_ = {};
  Clock::time_point started_ = {};
  std::unique_ptr<GuardedRecord> guarded_;  // null if not recording
};

}  // namespace leat

#endif  // LEAT_RUNTIME_GRAPH_SAMPLER_H_
