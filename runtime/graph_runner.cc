// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/graph_runner.h"

#include <atomic>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/core/threads/flush_denormals.h"
#include "leat/core/threads/spin.h"
#include "leat/runtime/compiled_functions.h"
#include "leat/runtime/graph_sampler.h"

namespace leat {
namespace {

// Counts the executors that are still running.
class Latch {
 public:
  explicit Latch(int count) : count_(count) {}

  void CountDown() {
    // Notifies under the lock, because the waiting thread may destroy this
    // object as soon as it wakes.
    MutexLock lock(mutex_);
    if (count_.fetch_sub(1) == 1) done_.NotifyAll();
  }
  void Wait() {
    SpinUntil([this] { return count_.load() == 0; });
    MutexLock lock(mutex_);
    while (count_.load() > 0) done_.Wait(mutex_);
  }
  // Waits until the count is 0 or the deadline has come. Returns true if the
  // count is 0.
  bool WaitUntil(const StepDeadline& deadline) {
    MutexLock lock(mutex_);
    while (count_.load() > 0) {
      if (!deadline.clock->WaitUntil(done_, mutex_, deadline.at)) {
        return count_.load() == 0;
      }
    }
    return true;
  }

 private:
  Mutex mutex_;
  CondVar done_;
  std::atomic<int> count_;  // changes under the lock
};

// A StartedStep is a step that GraphRunner::Start has started. The callbacks of
// the step's executors share the ownership of the StartedStep.
class StartedStep {
 public:
  StartedStep(std::shared_ptr<CompiledGraph> graph, Step& step,
              GraphRunner::Done done)
      : running_(graph->executors.size()),
        graph_(std::move(graph)),
        step_(step),
        done_(std::move(done)) {}

  CompiledGraph& graph() { return *graph_; }
  Step& step() { return step_; }

  // Must be called when an executor has ended and is no longer used.
  void EndOne() {
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) End();
  }

  // Drops the graph before it calls `done`, because the session may end as soon
  // as `done` is called.
  void End() {
    graph_.reset();
    GraphRunner::Done done = std::move(done_);
    std::move(done)(step_.status());
  }

 private:
  std::atomic<size_t> running_;
  std::shared_ptr<CompiledGraph> graph_;
  Step& step_;
  GraphRunner::Done done_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<CompiledGraph>> GraphRunner::Register(
    Graph graph) {
  auto compiled = std::make_shared<CompiledGraph>();
  if (!graph.functions().empty() && planning_.policies != nullptr) {
    compiled->functions =
        std::make_shared<CompiledFunctions>(graph, compiler_, planning_);
  }
  LEAT_RETURN_IF_ERROR(compiler_->Compile(
      std::move(graph), kernels_, compiled->functions.get(), *compiled));
  if (CostRecorder* const costs = devices().costs(); costs != nullptr) {
    compiled->sampler = std::make_shared<GraphSampler>(*compiled, *costs);
  }
  return compiled;
}

absl::Status GraphRunner::Run(CompiledGraph& graph, Step& step,
                              const std::optional<StepDeadline>& deadline) {
  WorkQueue& queue = devices().compute_queue();
  if (queue.IsWorkerThread()) {
    return absl::FailedPreconditionError(
        "a step cannot be run from a thread of the compute pool, because it "
        "would block the thread; run it from another thread");
  }
  if (deadline.has_value() && deadline->clock->Now() >= deadline->at) {
    step.Fail(TooLateToBegin(*deadline));
    return step.status();
  }
  const FlushDenormals flush;
  Latch running(static_cast<int>(graph.executors.size()));
  const auto start = [&](Executor& executor) {
    executor.Run(step, [&running] { running.CountDown(); });
  };
  for (size_t i = 0; i < graph.executors.size(); ++i) {
    Executor& executor = *graph.executors[i];
    // The caller's thread runs the last executor if it has no deadline to
    // watch.
    if (i + 1 < graph.executors.size() || deadline.has_value()) {
      queue.Add([&start, &executor] { start(executor); });
    } else {
      start(executor);
    }
  }
  if (deadline.has_value() && !running.WaitUntil(*deadline)) {
    step.Fail(RanTooLong(*deadline));
  }
  running.Wait();
  return step.status();
}

void GraphRunner::Start(std::shared_ptr<CompiledGraph> graph, Step& step,
                        Done done, bool computes) {
  const auto started =
      std::make_shared<StartedStep>(std::move(graph), step, std::move(done));
  const size_t num_executors = started->graph().executors.size();
  if (num_executors == 0) return started->End();
  // After the last executor was started, the step may end at any time and drop
  // the graph. The loop therefore uses a copy of the number of executors.
  for (size_t i = 0; i < num_executors; ++i) {
    Executor& executor = *started->graph().executors[i];
    auto end = [started] { started->EndOne(); };
    if (computes && i + 1 == num_executors) {
      executor.Run(started->step(), std::move(end));
    } else {
      executor.Start(started->step(), std::move(end));
    }
  }
}

}  // namespace leat
