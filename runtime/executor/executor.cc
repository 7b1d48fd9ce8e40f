// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/executor.h"

#include <atomic>
#include <utility>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_payloads.h"
#include "leat/kernels/indices/index_faults.h"
#include "leat/runtime/executor/activation.h"
#include "leat/runtime/executor/instruction_runner.h"
#include "leat/runtime/executor/kernel_error.h"
#include "leat/runtime/executor/ordered_runner.h"
#include "leat/runtime/executor/propagator.h"

namespace leat {
namespace {

using Instruction = Program::Instruction;

// Limits the number of quick instructions that run one after another on a
// thread that should not compute.
constexpr int kMaxQuick = 64;

// Is true while this thread runs instructions of an execution. Meanwhile, an
// async kernel of another execution may complete on this thread. The
// instructions that become ready when that kernel completes must run on another
// thread, because this thread is in the middle of an instruction.
thread_local bool runs_instructions = false;

// Sets runs_instructions to true until the end of a scope.
class RunsInstructions {
 public:
  RunsInstructions() { runs_instructions = true; }
  ~RunsInstructions() { runs_instructions = was_; }
  RunsInstructions(const RunsInstructions&) = delete;
  RunsInstructions& operator=(const RunsInstructions&) = delete;

 private:
  const bool was_ = runs_instructions;
};

}  // namespace

// An Execution is the state of one step in one executor. SequentialExecution
// and ConcurrentExecution derive from this class.
class Executor::Execution {
 public:
  virtual ~Execution() = default;

  // Run and Start do the work of Executor::Run and Executor::Start. The
  // execution owns itself during the step. It gives itself back to `executor`
  // when the step has ended.
  virtual void Run(Executor& executor, const StepPart& part, Done done) = 0;
  virtual void Start(Executor& executor, const StepPart& part, Done done) = 0;
};

// A SequentialExecution is the state of a step of a sequential program.
class Executor::SequentialExecution final : public Execution {
 public:
  explicit SequentialExecution(const Program& program)
      : program_(program), runner_(program), root_(program.frames()[0]) {}

  void Run(Executor& executor, const StepPart& part, Done done) override {
    Prepare(executor, part);
    RunFrom(0, std::move(done));
  }

  void Start(Executor& executor, const StepPart& part, Done done) override {
    Prepare(executor, part);
    const size_t next = runner_.IsObserved() ? 0 : RunQuick();
    if (next == program_.instructions().size() || !part.step.IsRunning()) {
      return RunFrom(next, std::move(done));
    }
    program_.device().compute_queue().Add(
        [this, next, done = std::move(done)]() mutable {
          RunFrom(next, std::move(done));
        });
  }

 private:
  // Resets the state for a new step.
  void Prepare(Executor& executor, const StepPart& part) {
    executor_ = &executor;
    runner_.Start(part, executor.session_, executor.functions_);
    root_.Reset();
  }

  // Runs at most kMaxQuick instructions on this thread, and stops before the
  // first one that is not quick. Returns the number of instructions that have
  // succeeded.
  size_t RunQuick() {
    const RunsInstructions runs;
    size_t next = 0;
    for (const Instruction& instruction : program_.instructions()) {
      if (next == kMaxQuick || !runner_.IsQuick(instruction, root_) ||
          !runner_.Run<false>(instruction, root_)) {
        break;
      }
      ++next;
    }
    return next;
  }

  // Runs the instructions from `next` on, and ends the step.
  void RunFrom(size_t next, Done done) {
    {
      const RunsInstructions runs;
      for (const Instruction& instruction :
           program_.instructions().subspan(next)) {
        if (!runner_.step().IsRunning() ||
            !runner_.Run<false>(instruction, root_)) {
          root_.Clear();
          break;
        }
      }
    }
    executor_->Give(std::unique_ptr<Execution>(this));
    std::move(done)();
  }

  const Program& program_;
  InstructionRunner runner_;
  Activation root_;
  Executor* executor_ = nullptr;  // executor of the current step
};

// An OrderedExecution is the state of a step of a program with loops that one
// thread runs in order.
class Executor::OrderedExecution final : public Execution {
 public:
  explicit OrderedExecution(const Program& program)
      : program_(program), runner_(program), ordered_(program, runner_) {}

  void Run(Executor& executor, const StepPart& part, Done done) override {
    runner_.Start(part, executor.session_, executor.functions_);
    {
      const RunsInstructions runs;
      ordered_.Run();
    }
    executor.Give(std::unique_ptr<Execution>(this));
    std::move(done)();
  }

  // A loop may turn for long, so it runs on the compute pool.
  void Start(Executor& executor, const StepPart& part, Done done) override {
    program_.device().compute_queue().Add(
        [this, &executor, part, done = std::move(done)]() mutable {
          Run(executor, part, std::move(done));
        });
  }

 private:
  const Program& program_;
  InstructionRunner runner_;
  OrderedRunner ordered_;
};

// Holds the state of a step on which several threads and async kernels may
// work.
template <class Propagator>
class Executor::ConcurrentExecution final : public Execution {
 public:
  explicit ConcurrentExecution(const Program& program)
      : program_(program),
        runner_(program),
        propagator_(program, runner_),
        root_(program.frames()[0]) {}

  void Run(Executor& executor, const StepPart& part, Done done) override {
    ReadyWork roots = Prepare(executor, part, std::move(done));
    Work(std::move(roots));
    EndActivity();
  }

  void Start(Executor& executor, const StepPart& part, Done done) override {
    Continue(Prepare(executor, part, std::move(done)));
  }

 private:
  // Holds the instructions that one thread will run. The thread first runs the
  // instructions in `cheap`, from the end of the list. Then it runs
  // `expensive`, the one expensive instruction that it has kept.
  struct ReadyWork {
    ReadyList cheap = {};
    Ready expensive = {};  // none if its activation is null

    bool IsEmpty() const {
      return cheap.empty() && expensive.activation == nullptr;
    }
  };

  // Describes a run of an async kernel.
  struct AsyncRun {
    AsyncRun(ConcurrentExecution& execution, const Ready& item)
        : execution(execution),
          item(item),
          context(execution.runner_.ContextFor(
              execution.program_.instruction(item.instruction),
              *item.activation)),
          started(execution.is_observed_ ? std::chrono::steady_clock::now()
                                         : InstructionRunner::Time()) {}

    ConcurrentExecution& execution;
    const Ready item;
    KernelContext context;
    const InstructionRunner::Time started;
    absl::Status status;
    // Is set by the first of two events, which are the return of ComputeAsync
    // and the call of its `done`. The second event propagates the outputs.
    std::atomic<bool> one_has_come{false};
  };

  // Resets the state for a new step. Returns the roots of the program, which
  // the caller must run as the step's first activity (see activities_).
  ReadyWork Prepare(Executor& executor, const StepPart& part, Done done) {
    executor_ = &executor;
    done_ = std::move(done);
    runner_.Start(part, executor.session_, executor.functions_);
    is_observed_ = runner_.IsObserved();
    root_.Reset();
    root_.scheduled.resize(is_observed_ ? root_.layout.num_instructions : 0);
    activities_.store(1, std::memory_order_relaxed);
    ReadyWork ready = NewReadyWork();
    for (int32_t root : program_.roots()) {
      ready.cheap.push_back({.instruction = root, .activation = &root_});
    }
    Schedule(0, ready);
    return ready;
  }

  // Returns empty lists. Reuses the memory of earlier lists if there are any.
  ReadyWork NewReadyWork() {
    MutexLock lock(mutex_);
    if (spare_.empty()) return {};
    ReadyWork ready{.cheap = std::move(spare_.back())};
    spare_.pop_back();
    return ready;
  }

  // Continues an activity on the current thread, which may be any thread. Runs
  // quick instructions here and moves the rest to the pool.
  void Continue(ReadyWork ready) {
    // Calls of an observer take time, so an observed step runs nothing here.
    if (!is_observed_) RunQuick(ready);
    if (is_observed_ || (runner_.step().IsRunning() && !ready.IsEmpty())) {
      program_.device().compute_queue().Add(
          [this, ready = std::move(ready)]() mutable {
            Work(std::move(ready));
            EndActivity();
          });
      return;
    }
    GiveBack(std::move(ready));
    EndActivity();
  }

  // Runs up to kMaxQuick quick instructions of `ready.cheap`. The other
  // instructions stay in `ready.cheap`, in their order.
  void RunQuick(ReadyWork& ready) {
    const RunsInstructions runs;
    ReadyWork others = NewReadyWork();
    for (int left = kMaxQuick;
         left > 0 && !ready.cheap.empty() && runner_.step().IsRunning();) {
      const Ready item = ready.cheap.back();
      ready.cheap.pop_back();
      if (!item.dead && !runner_.IsQuick(program_.instruction(item.instruction),
                                         *item.activation)) {
        others.cheap.push_back(item);
        continue;
      }
      --left;
      RunOne(item, ready);
    }
    ready.cheap.insert(ready.cheap.end(), others.cheap.rbegin(),
                       others.cheap.rend());
    GiveBack(std::move(others));
  }

  // Runs the instructions in `ready` and the instructions that become ready as
  // a result. Returns when no instruction is left or the step has failed.
  void Work(ReadyWork ready) {
    const RunsInstructions runs;
    while (runner_.step().IsRunning()) {
      Ready item;
      if (!ready.cheap.empty()) {
        item = ready.cheap.back();
        ready.cheap.pop_back();
      } else if (ready.expensive.activation != nullptr) {
        item = std::exchange(ready.expensive, Ready());
      } else {
        break;
      }
      RunOne(item, ready);
    }
    GiveBack(std::move(ready));
  }

  // Runs an instruction, or starts its async kernel, and adds what became ready
  // to `ready`.
  void RunOne(const Ready& item, ReadyWork& ready) {
    if (program_.instruction(item.instruction).is_async && !item.dead) {
      StartAsync(item, ready);
    } else if (propagator_.Run(item)) {
      Propagate(item, ready);
    }
  }

  void GiveBack(ReadyWork ready) {
    ready.cheap.clear();  // not empty if the step has failed
    MutexLock lock(mutex_);
    spare_.push_back(std::move(ready.cheap));
  }

  void Propagate(const Ready& done, ReadyWork& ready) {
    const size_t first_new = ready.cheap.size();
    propagator_.Propagate(done, ready.cheap);
    Schedule(first_new, ready);
  }

  // Must be called when the instructions in `ready.cheap` from `first_new` on
  // have become ready. Removes the expensive ones from the list and passes them
  // to ScheduleExpensive.
  void Schedule(size_t first_new, ReadyWork& ready) {
    auto kept = ready.cheap.begin() + first_new;
    for (auto item = kept; item != ready.cheap.end(); ++item) {
      if (ABSL_PREDICT_FALSE(is_observed_)) {
        const int32_t i = program_.instruction(item->instruction).local_index;
        item->activation->scheduled[i] = std::chrono::steady_clock::now();
      }
      if (item->dead || !program_.is_expensive(item->instruction)) {
        *kept++ = *item;
      } else {
        ScheduleExpensive(*item, ready);
      }
    }
    ready.cheap.erase(kept, ready.cheap.end());
  }

  // Keeps `item` as the expensive instruction of this thread. If the thread had
  // already kept one, gives that one to the compute pool.
  void ScheduleExpensive(const Ready& item, ReadyWork& ready) {
    const Ready other = std::exchange(ready.expensive, item);
    if (other.activation == nullptr) return;
    activities_.fetch_add(1, std::memory_order_relaxed);
    program_.device().compute_queue().Add([this, other] {
      ReadyWork others = NewReadyWork();
      others.expensive = other;
      Work(std::move(others));
      EndActivity();
    });
  }

  // Ends an activity. If it is the last activity of the step, ends the step.
  void EndActivity() {
    if (activities_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    propagator_.Clear();
    if (program_.propagation() != Propagation::kStraight ||
        !runner_.step().IsRunning()) {
      root_.Clear();
    }
    Done done = std::move(done_);
    executor_->Give(std::unique_ptr<Execution>(this));
    std::move(done)();
  }

  void StartAsync(const Ready& item, ReadyWork& ready) {
    const Instruction& instruction = program_.instruction(item.instruction);
    if (absl::Status status =
            runner_.ReadReferences(instruction, *item.activation);
        !status.ok()) {
      runner_.Fail(instruction, *item.activation, status);
      return;
    }
    auto* const run = new AsyncRun(*this, item);  // NOLINT: see FinishAsync
    activities_.fetch_add(1, std::memory_order_relaxed);
    runner_.ComputeAsync(instruction, run->context, [run](absl::Status status) {
      run->status = std::move(status);
      if (run->one_has_come.exchange(true, std::memory_order_acq_rel)) {
        run->execution.FinishElsewhere(run);
      }
    });
    if (run->one_has_come.exchange(true, std::memory_order_acq_rel)) {
      FinishAsync(std::unique_ptr<AsyncRun>(run), ready);
      // This is never the last activity, because the activity of this thread
      // has not ended.
      activities_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  // Must be called when an async kernel completes after its ComputeAsync has
  // returned. Continues the step. May be called on any thread.
  void FinishElsewhere(AsyncRun* run) {
    if (!runs_instructions && !is_observed_) {
      ReadyWork ready = NewReadyWork();
      FinishAsync(std::unique_ptr<AsyncRun>(run), ready);
      return Continue(std::move(ready));
    }
    program_.device().compute_queue().Add([this, run] {
      ReadyWork ready = NewReadyWork();
      FinishAsync(std::unique_ptr<AsyncRun>(run), ready);
      Work(std::move(ready));
      EndActivity();
    });
  }

  void FinishAsync(std::unique_ptr<AsyncRun> run, ReadyWork& ready) {
    const Ready& item = run->item;
    const Instruction& instruction = program_.instruction(item.instruction);
    if (run->status.ok()) run->status = executor_->EarlyError(runner_.step());
    if (!run->status.ok()) {
      runner_.Fail(instruction, *item.activation, run->status);
      return;
    }
    if (is_observed_) {
      runner_.Observe(instruction, *item.activation, run->started);
    }
    if (runner_.Finish<true>(instruction, *item.activation)) {
      Propagate(item, ready);
    }
  }

  const Program& program_;
  InstructionRunner runner_;
  Propagator propagator_;
  Activation root_;

  // The members below belong to the current step.
  Executor* executor_ = nullptr;
  Done done_;
  bool is_observed_ = false;
  // Is the number of activities. An activity is a thread that works on the
  // step, or an async kernel that was started and has not ended.
  std::atomic<int32_t> activities_{0};

  Mutex mutex_;
  // Holds empty lists that keep their memory, for threads that begin to work on
  // this step or on later ones.
  std::vector<ReadyList> spare_ ABSL_GUARDED_BY(mutex_);
};

Executor::Executor(std::shared_ptr<const Program> program,
                   SessionServices session, FunctionCaller* functions)
    : program_(std::move(program)),
      session_(std::move(session)),
      functions_(functions),
      stream_(program_->device().gpu_stream()) {}

int64_t Executor::step_bytes() const {
  const Program::FrameLayout& root = program_->frames()[0];
  return static_cast<int64_t>(root.num_slots * sizeof(Value) +
                              root.initial_counts.size() * sizeof(int32_t));
}

Executor::~Executor() = default;

void Executor::Run(Step& step, Done done) {
  // The execution owns itself until it calls Give().
  const StepPart part = Begin(step, done);
  Take().release()->Run(*this, part, std::move(done));  // NOLINT
}

void Executor::Start(Step& step, Done done) {
  const StepPart part = Begin(step, done);
  Take().release()->Start(*this, part, std::move(done));  // NOLINT
}

StepPart Executor::Begin(Step& step, Done& done) const {
  if (stream_ == nullptr) return {step};
  LaunchedNodes& launched = step.BeginOnGpu(program_->device().name());
  done = [this, &step, &launched, done = std::move(done)]() mutable {
    launched.BeginWait();
    stream_->Drain([this, &step, &launched,
                    done = std::move(done)](absl::Status status) mutable {
      Drained(step, launched, status);
      std::move(done)();
    });
  };
  return {step, &launched};
}

void Executor::Drained(Step& step, LaunchedNodes& launched,
                       const absl::Status& status) const {
  const absl::Status late = status.ok() ? LateError(step) : absl::OkStatus();
  if (!status.ok()) step.Fail(WithLaunchedNodes(status, launched, *stream_));
  if (!late.ok()) step.FailWithCause(late);
  step.EndOnGpu(launched);
}

absl::Status Executor::LateError(Step& step) const {
  const Device& device = program_->device();
  const kernels::FoundIndexFault fault =
      kernels::FindIndexFault(step.resources(), device);
  return fault.node == nullptr
             ? absl::OkStatus()
             : LateKernelError(fault.error, *fault.node, device);
}

absl::Status Executor::EarlyError(Step& step) const {
  if (stream_ == nullptr ||
      !kernels::HasIndexFault(step.resources(), program_->device())) {
    return absl::OkStatus();
  }
  // This message names no node, because the GPU may still be writing the
  // details. LateError reads the details later.
  return AsDerived(absl::InvalidArgumentError(
      "an index that an earlier node reads is out of range"));
}

std::unique_ptr<Executor::Execution> Executor::Take() {
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Execution> execution = std::move(idle_.back());
      idle_.pop_back();
      return execution;
    }
  }
  return NewExecution();
}

std::unique_ptr<Executor::Execution> Executor::NewExecution() const {
  if (program_->is_sequential()) {
    return std::make_unique<SequentialExecution>(*program_);
  }
  if (program_->has_order()) {
    return std::make_unique<OrderedExecution>(*program_);
  }
  switch (program_->propagation()) {
    case Propagation::kStraight:
      return std::make_unique<ConcurrentExecution<StraightPropagator>>(
          *program_);
    case Propagation::kFlat:
      return std::make_unique<ConcurrentExecution<FlatPropagator>>(*program_);
    case Propagation::kFramed:
      break;
  }
  return std::make_unique<ConcurrentExecution<FramedPropagator>>(*program_);
}

void Executor::Give(std::unique_ptr<Execution> execution) {
  // Steps that recursive functions have begun may be thousands at a time.
  constexpr size_t kMaxIdle = 64;
  MutexLock lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(execution));
}

}  // namespace leat
