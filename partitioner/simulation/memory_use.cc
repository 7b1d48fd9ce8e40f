// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/simulation/memory_use.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace leat {
namespace {

// Holds what happens to the memory of a device when a run ends.
struct Change {
  double allocated = 0;
  double freed = 0;
  // Is the last run that uses the bytes of an input that the run passes on.
  int32_t last_user = 0;
};

// Computes the changes from the last run to the first, because a run that
// passes on its input must know who uses its output.
class Lifetimes {
 public:
  Lifetimes(const StepModel& step, const Engine& engine,
            absl::Span<const std::vector<NodeCost>> costs)
      : step_(step), engine_(engine), costs_(costs) {}

  std::vector<Change> Find(absl::Span<const SimulatedRun> runs) {
    changes_.resize(runs.size());
    for (size_t i = runs.size(); i > 0; --i) {
      FindOf(static_cast<int32_t>(i) - 1, runs[i - 1]);
    }
    return std::move(changes_);
  }

 private:
  void FindOf(int32_t rank, const SimulatedRun& run) {
    const std::vector<double>& bytes = costs_[run.part][run.node].output_bytes;
    absl::InlinedVector<int32_t, 4> last(bytes.size(), rank);
    const int32_t node = step_.NodeOf(run.part, run.node);
    step_.ForEachUse(node, run.iteration,
                     [&](const Use& use, int32_t consumer, int32_t iteration) {
                       const int32_t user = engine_.RankOf(consumer, iteration);
                       if (user < 0 || use.output < 0 ||
                           static_cast<size_t>(use.output) >= bytes.size()) {
                         return;
                       }
                       last[use.output] =
                           std::max(last[use.output], changes_[user].last_user);
                     });
    Change& change = changes_[rank];
    change.last_user = rank;
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] > 0) {
        change.allocated += bytes[i];
        changes_[last[i]].freed += bytes[i];
      } else {
        change.last_user = std::max(change.last_user, last[i]);
      }
    }
  }

  const StepModel& step_;
  const Engine& engine_;
  const absl::Span<const std::vector<NodeCost>> costs_;
  std::vector<Change> changes_;  // by run
};

}  // namespace

void SetMemory(const StepModel& step, const Engine& engine,
               absl::Span<const std::vector<NodeCost>> costs,
               absl::Span<const SimulatedRun> runs,
               std::vector<DeviceUse>& devices) {
  std::vector<double> live(devices.size(), 0);
  for (size_t part = 0; part < devices.size(); ++part) {
    for (const NodeCost& cost : costs[part]) live[part] += cost.kept_bytes;
    devices[part].kept_bytes = devices[part].peak_bytes = live[part];
  }
  const std::vector<Change> changes = Lifetimes(step, engine, costs).Find(runs);
  for (size_t i = 0; i < runs.size(); ++i) {
    const SimulatedRun& run = runs[i];
    double& bytes = live[run.part];
    double& peak = devices[run.part].peak_bytes;
    bytes += changes[i].allocated;
    peak = std::max(peak, bytes + costs[run.part][run.node].scratch_bytes);
    bytes -= changes[i].freed;
  }
}

}  // namespace leat
