// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor.h"

#include <atomic>
#include <utility>

#include "leat/runtime/activation.h"
#include "leat/runtime/instruction_runner.h"
#include "leat/runtime/propagator.h"

namespace leat {
namespace {

using Instruction = Program::Instruction;

// The number of quick instructions that Start may run one after another on its
// own thread, which should not compute.
constexpr int kMaxQuick = 64;

// True while this thread runs instructions of any execution. An async kernel
// that completes in the meantime may belong to another execution, which could
// go on with its own instructions; those must not run inside of the first
// one's.
thread_local bool runs_instructions = false;

// Sets `runs_instructions` for a scope.
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

// The state of one step in one executor, whatever its propagator.
class Executor::Execution {
 public:
  virtual ~Execution() = default;

  // Runs or starts a step. The execution owns itself during the step, and gives
  // itself back to `executor` when the step has ended.
  virtual void Run(Executor& executor, Step& step, Done done) = 0;
  virtual void Start(Executor& executor, Step& step, Done done) = 0;
};

// The state of a step of a sequential program.
class Executor::SequentialExecution final : public Execution {
 public:
  explicit SequentialExecution(const Program& program)
      : program_(program), runner_(program), root_(program.frames()[0]) {}

  void Run(Executor& executor, Step& step, Done done) override {
    Prepare(executor, step);
    RunFrom(0, std::move(done));
  }

  void Start(Executor& executor, Step& step, Done done) override {
    Prepare(executor, step);
    const size_t next = runner_.IsObserved() ? 0 : RunQuick();
    if (next == program_.instructions().size() || !step.IsRunning()) {
      return RunFrom(next, std::move(done));
    }
    program_.device().compute_queue().Add(
        [this, next, done = std::move(done)]() mutable {
          RunFrom(next, std::move(done));
        });
  }

 private:
  // Resets the state for a new step.
  void Prepare(Executor& executor, Step& step) {
    executor_ = &executor;
    runner_.Start(step, executor.resources_);
    root_.Reset();
  }

  // Runs the first instructions on this thread as long as they are quick.
  // Returns how many it has run.
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
  Executor* executor_ = nullptr;  // of the current step
};

// The state of a step on which several threads and async kernels may work.
template <class Propagator>
class Executor::ConcurrentExecution final : public Execution {
 public:
  explicit ConcurrentExecution(const Program& program)
      : program_(program),
        runner_(program),
        propagator_(program, runner_),
        root_(program.frames()[0]) {}

  void Run(Executor& executor, Step& step, Done done) override {
    Tasks roots = Prepare(executor, step, std::move(done));
    Work(std::move(roots));
    EndActivity();
  }

  void Start(Executor& executor, Step& step, Done done) override {
    Continue(Prepare(executor, step, std::move(done)));
  }

 private:
  // The instructions that one thread will run: those in `cheap`, from its end,
  // and then `expensive`, the one expensive instruction that it has kept.
  struct Tasks {
    ReadyList cheap = {};
    Ready expensive = {};  // none if its activation is null

    bool IsEmpty() const {
      return cheap.empty() && expensive.activation == nullptr;
    }
  };

  // A run of an async kernel.
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
    // Set by the first of two events: ComputeAsync has returned, and `done` was
    // called. The second one propagates the outputs.
    std::atomic<bool> one_has_come{false};
  };

  // Resets the state for a new step. Returns the roots, for the step's first
  // activity to run.
  Tasks Prepare(Executor& executor, Step& step, Done done) {
    executor_ = &executor;
    done_ = std::move(done);
    runner_.Start(step, executor.resources_);
    is_observed_ = runner_.IsObserved();
    root_.Reset();
    root_.scheduled.resize(is_observed_ ? root_.layout.num_instructions : 0);
    activities_.store(1, std::memory_order_relaxed);
    Tasks tasks = NewTasks();
    for (int32_t root : program_.roots()) {
      tasks.cheap.push_back({.instruction = root, .activation = &root_});
    }
    Schedule(0, tasks);
    return tasks;
  }

  // Returns an empty list, with the room of one that was used before if
  // possible.
  Tasks NewTasks() {
    MutexLock lock(mutex_);
    if (spare_.empty()) return {};
    Tasks tasks{.cheap = std::move(spare_.back())};
    spare_.pop_back();
    return tasks;
  }

  // Goes on with an activity on the current thread, whichever that is: runs
  // quick instructions here and moves the rest to the pool.
  void Continue(Tasks tasks) {
    // An observer takes a while, so an observed step runs nothing here.
    if (!is_observed_) RunQuick(tasks);
    if (is_observed_ || (runner_.step().IsRunning() && !tasks.IsEmpty())) {
      program_.device().compute_queue().Add(
          [this, tasks = std::move(tasks)]() mutable {
            Work(std::move(tasks));
            EndActivity();
          });
      return;
    }
    GiveBack(std::move(tasks));
    EndActivity();
  }

  // Runs up to kMaxQuick quick instructions of `tasks.cheap`. The others stay
  // there, in their order.
  void RunQuick(Tasks& tasks) {
    const RunsInstructions runs;
    Tasks others = NewTasks();
    for (int left = kMaxQuick;
         left > 0 && !tasks.cheap.empty() && runner_.step().IsRunning();) {
      const Ready item = tasks.cheap.back();
      tasks.cheap.pop_back();
      if (!item.dead && !runner_.IsQuick(program_.instruction(item.instruction),
                                         *item.activation)) {
        others.cheap.push_back(item);
        continue;
      }
      --left;
      RunOne(item, tasks);
    }
    tasks.cheap.insert(tasks.cheap.end(), others.cheap.rbegin(),
                       others.cheap.rend());
    GiveBack(std::move(others));
  }

  // Runs everything in `tasks` and what that makes ready, until the step
  // fails.
  void Work(Tasks tasks) {
    const RunsInstructions runs;
    while (runner_.step().IsRunning()) {
      Ready item;
      if (!tasks.cheap.empty()) {
        item = tasks.cheap.back();
        tasks.cheap.pop_back();
      } else if (tasks.expensive.activation != nullptr) {
        item = std::exchange(tasks.expensive, Ready());
      } else {
        break;
      }
      RunOne(item, tasks);
    }
    GiveBack(std::move(tasks));
  }

  // Runs an instruction, or starts its async kernel, and adds what became ready
  // to `tasks`.
  void RunOne(const Ready& item, Tasks& tasks) {
    if (program_.instruction(item.instruction).is_async && !item.dead) {
      StartAsync(item, tasks);
    } else if (propagator_.Run(item)) {
      Propagate(item, tasks);
    }
  }

  void GiveBack(Tasks tasks) {
    tasks.cheap.clear();  // not empty if the step has failed
    MutexLock lock(mutex_);
    spare_.push_back(std::move(tasks.cheap));
  }

  void Propagate(const Ready& done, Tasks& tasks) {
    const size_t first_new = tasks.cheap.size();
    propagator_.Propagate(done, tasks.cheap);
    Schedule(first_new, tasks);
  }

  // Moves the expensive instructions among those that have become ready,
  // `tasks.cheap` from `first_new` on, to where they will run.
  void Schedule(size_t first_new, Tasks& tasks) {
    auto kept = tasks.cheap.begin() + first_new;
    for (auto item = kept; item != tasks.cheap.end(); ++item) {
      if (ABSL_PREDICT_FALSE(is_observed_)) {
        const int32_t i = program_.instruction(item->instruction).local_index;
        item->activation->scheduled[i] = std::chrono::steady_clock::now();
      }
      if (item->dead || !program_.is_expensive(item->instruction)) {
        *kept++ = *item;
      } else {
        ScheduleExpensive(*item, tasks);
      }
    }
    tasks.cheap.erase(kept, tasks.cheap.end());
  }

  // Keeps `item` as the expensive instruction of this thread. The one that was
  // kept before goes to another thread.
  void ScheduleExpensive(const Ready& item, Tasks& tasks) {
    const Ready other = std::exchange(tasks.expensive, item);
    if (other.activation == nullptr) return;
    activities_.fetch_add(1, std::memory_order_relaxed);
    program_.device().compute_queue().Add([this, other] {
      Tasks others = NewTasks();
      others.expensive = other;
      Work(std::move(others));
      EndActivity();
    });
  }

  // Ends an activity. The last one of the step ends the step.
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

  void StartAsync(const Ready& item, Tasks& tasks) {
    const Instruction& instruction = program_.instruction(item.instruction);
    if (absl::Status status =
            runner_.ReadReferences(instruction, *item.activation);
        !status.ok()) {
      runner_.Fail(instruction, *item.activation, status);
      return;
    }
    auto* const run = new AsyncRun(*this, item);  // NOLINT: see FinishAsync
    activities_.fetch_add(1, std::memory_order_relaxed);
    instruction.kernel->AsAsync()->ComputeAsync(
        run->context, [run](absl::Status status) {
          run->status = std::move(status);
          if (run->one_has_come.exchange(true, std::memory_order_acq_rel)) {
            run->execution.FinishElsewhere(run);
          }
        });
    if (run->one_has_come.exchange(true, std::memory_order_acq_rel)) {
      FinishAsync(std::unique_ptr<AsyncRun>(run), tasks);
      // This was not the last activity, because this thread's own still goes
      // on.
      activities_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  // Goes on after an async kernel that has completed after ComputeAsync had
  // returned. The completion may come on any thread.
  void FinishElsewhere(AsyncRun* run) {
    if (!runs_instructions && !is_observed_) {
      Tasks tasks = NewTasks();
      FinishAsync(std::unique_ptr<AsyncRun>(run), tasks);
      return Continue(std::move(tasks));
    }
    program_.device().compute_queue().Add([this, run] {
      Tasks tasks = NewTasks();
      FinishAsync(std::unique_ptr<AsyncRun>(run), tasks);
      Work(std::move(tasks));
      EndActivity();
    });
  }

  void FinishAsync(std::unique_ptr<AsyncRun> run, Tasks& tasks) {
    const Ready& item = run->item;
    const Instruction& instruction = program_.instruction(item.instruction);
    if (!run->status.ok()) {
      runner_.Fail(instruction, *item.activation, run->status);
      return;
    }
    if (is_observed_) {
      runner_.Observe(instruction, *item.activation, run->started);
    }
    if (runner_.Finish<true>(instruction, *item.activation)) {
      Propagate(item, tasks);
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
  // The number of threads that work on the step and of async kernels that have
  // been started and have not ended.
  std::atomic<int32_t> activities_{0};

  // Empty lists with capacity, for threads that begin to work, also on later
  // steps.
  Mutex mutex_;
  std::vector<ReadyList> spare_ ABSL_GUARDED_BY(mutex_);
};

Executor::Executor(std::shared_ptr<const Program> program,
                   ResourceStore& resources)
    : program_(std::move(program)), resources_(resources) {}

Executor::~Executor() = default;

void Executor::Run(Step& step, Done done) {
  // The execution owns itself until it calls Give().
  Take().release()->Run(*this, step, std::move(done));  // NOLINT
}

void Executor::Start(Step& step, Done done) {
  Take().release()->Start(*this, step, std::move(done));  // NOLINT
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
  MutexLock lock(mutex_);
  idle_.push_back(std::move(execution));
}

}  // namespace leat
