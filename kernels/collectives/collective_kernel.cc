// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/collectives/collective_kernel.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/kernels/collectives/collective_run.h"

namespace leat::kernels {
namespace {

absl::Status CheckGroupSize(int64_t size) {
  if (size > 0 && size <= INT32_MAX) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("group_size must be positive integer but got ", size));
}

absl::StatusOr<int32_t> ScalarOf(const Tensor& tensor, absl::string_view what) {
  if (tensor.rank() == 0 && tensor.dtype() == DType::kInt32) {
    return tensor.scalar<int32_t>();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Unexpected dimensions on input ", what, ", got ",
                   tensor.shape().DebugString()));
}

// A Participation is one run of a kernel. First it waits for the members, then
// for the run of its schedule. Is thread-safe. What it waits for shares its
// ownership.
class Participation : public std::enable_shared_from_this<Participation> {
 public:
  Participation(CollectiveCall call, KernelContext& context,
                AsyncKernel::Done done)
      : call_(std::move(call)),
        step_(context.step()),
        resolver_(*step_.collectives),
        name_(RunOfCollective(call_.request.group_key,
                              call_.request.instance_key, context.frame_id(),
                              context.iteration())),
        done_(std::move(done)) {}

  void Start() {
    const bool registered = step_.cancellation->Register(
        [weak = weak_from_this()](const absl::Status& why) {
          if (const auto self = weak.lock()) self->Cancel(why);
        },
        &token_);
    if (!registered) return End(step_.cancellation->status());
    SetTimer("Collective has timed out waiting for other workers.");
    resolver_.Resolve(
        call_.request, cancellation_,
        [self = shared_from_this()](absl::StatusOr<ResolvedCollective> member) {
          self->BeginRun(std::move(member));
        });
  }

 private:
  enum class Phase { kWaiting, kRunning, kEnded };

  // Makes the participation end with DEADLINE_EXCEEDED and that message when
  // the timeout has passed.
  void SetTimer(absl::string_view message) {
    if (!(call_.timeout_seconds > 0)) return;
    constexpr double kLongest = 1e9;  // seconds
    const std::chrono::duration<double> time(
        std::min<double>(call_.timeout_seconds, kLongest));
    const TimerQueue::Id timer = resolver_.timers().After(
        std::chrono::duration_cast<Clock::duration>(time),
        [weak = weak_from_this(), message = std::string(message)] {
          if (const auto self = weak.lock()) {
            self->TimeIsUp(absl::DeadlineExceededError(message));
          }
        });
    MutexLock lock(mutex_);
    timer_ = timer;
  }

  // Is called when the step is cancelled. A peer may still hold what it was
  // offered, so the run must not wait for it.
  void Cancel(const absl::Status& why) {
    cancellation_->Cancel(why);
    std::shared_ptr<CollectiveRun> run;
    {
      MutexLock lock(mutex_);
      run = run_;
    }
    if (run != nullptr) run->Fail(why);
  }

  void TimeIsUp(const absl::Status& why) {
    std::shared_ptr<CollectiveRun> run;
    {
      MutexLock lock(mutex_);
      run = run_;
      if (phase_ == Phase::kWaiting) {
        phase_ = Phase::kEnded;
      } else if (run == nullptr) {
        return;
      }
    }
    // Once the members are known, only the run ends the participation.
    if (run != nullptr) return run->Fail(why);
    cancellation_->Cancel(why);
    End(why);
  }

  // Is called when the members are known.
  void BeginRun(absl::StatusOr<ResolvedCollective> member) {
    TimerQueue::Id timer = 0;
    {
      MutexLock lock(mutex_);
      if (phase_ != Phase::kWaiting) return;
      phase_ = Phase::kRunning;
      timer = std::exchange(timer_, 0);
    }
    if (timer != 0) resolver_.timers().Cancel(timer);
    if (!member.ok()) {
      // The leader's answer to a cancelled call does not say why it was
      // cancelled.
      return End(cancellation_->IsCancelled() ? cancellation_->status()
                                              : member.status());
    }
    absl::StatusOr<std::shared_ptr<CollectiveRun>> run = MakeRun(*member);
    if (!run.ok()) return End(run.status());
    {
      MutexLock lock(mutex_);
      run_ = *run;
    }
    SetTimer("Collective has timed out during execution.");
    watch_ = resolver_.Watch(
        member->group, [run = std::weak_ptr(*run)](const absl::Status& why) {
          if (const auto watched = run.lock()) watched->Fail(why);
        });
    if (cancellation_->IsCancelled()) (*run)->Fail(cancellation_->status());
    (*run)->Start();
  }

  absl::StatusOr<std::shared_ptr<CollectiveRun>> MakeRun(
      const ResolvedCollective& member) {
    LEAT_ASSIGN_OR_RETURN(
        Tensor data, call_.output.Reshaped(Shape{call_.output.num_elements()}));
    LEAT_ASSIGN_OR_RETURN(CollectiveSchedule schedule,
                          call_.schedule(member, data));
    return std::make_shared<CollectiveRun>(
        CollectiveRun::Options{.group = member.group,
                               .rank = member.rank,
                               .name = name_,
                               .data = std::move(data),
                               .ops = call_.ops,
                               .rendezvous = step_.rendezvous,
                               .compute = &step_.device->compute_queue()},
        std::move(schedule), [self = shared_from_this()](absl::Status status) {
          self->End(std::move(status));
        });
  }

  // Ends the participation. Is called once.
  void End(absl::Status status) {
    TimerQueue::Id timer = 0;
    {
      MutexLock lock(mutex_);
      phase_ = Phase::kEnded;
      timer = std::exchange(timer_, 0);
      run_ = nullptr;
    }
    if (timer != 0) resolver_.timers().Cancel(timer);
    step_.cancellation->Deregister(token_);
    watch_ = nullptr;
    call_.output.Reset();
    call_.schedule = nullptr;
    std::move(done_)(std::move(status));
  }

  CollectiveCall call_;
  const StepServices& step_;
  CollectiveResolver& resolver_;
  const std::string name_;
  AsyncKernel::Done done_;
  const std::shared_ptr<Cancellation> cancellation_ =
      std::make_shared<Cancellation>();
  Cancellation::Token token_ = -1;
  std::shared_ptr<void> watch_;  // ends when the participation ends

  Mutex mutex_;
  Phase phase_ ABSL_GUARDED_BY(mutex_) = Phase::kWaiting;
  TimerQueue::Id timer_ ABSL_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<CollectiveRun> run_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<CollectiveAttrs> ReadCollectiveAttrs(const NodeDef& node,
                                                    CollectiveType type,
                                                    bool has_group) {
  CollectiveAttrs attrs{
      .name = node.name, .type = type, .has_group = has_group};
  LEAT_ASSIGN_OR_RETURN(attrs.timeout_seconds,
                        node.attrs.Get<float>("timeout_seconds"));
  if (!has_group) return attrs;
  LEAT_ASSIGN_OR_RETURN(const int64_t size,
                        node.attrs.Get<int64_t>("group_size"));
  LEAT_RETURN_IF_ERROR(CheckGroupSize(size));
  LEAT_ASSIGN_OR_RETURN(const int64_t group,
                        node.attrs.Get<int64_t>("group_key"));
  LEAT_ASSIGN_OR_RETURN(const int64_t instance,
                        node.attrs.Get<int64_t>("instance_key"));
  attrs.group_size = static_cast<int32_t>(size);
  attrs.group_key = static_cast<int32_t>(group);
  attrs.instance_key = static_cast<int32_t>(instance);
  return attrs;
}

absl::StatusOr<CollectiveRequest> RequestOf(const CollectiveAttrs& attrs,
                                            const KernelContext& context,
                                            int first_input) {
  CollectiveRequest request{.name = attrs.name,
                            .type = attrs.type,
                            .group_key = attrs.group_key,
                            .group_size = attrs.group_size,
                            .instance_key = attrs.instance_key,
                            .dtype = context.node().output_types[0],
                            .is_source = attrs.is_source,
                            .shape_may_change = attrs.has_group,
                            .device = context.step().device->info()};
  if (attrs.has_group) return request;
  LEAT_ASSIGN_OR_RETURN(request.group_size,
                        ScalarOf(context.input(first_input), "group_size"));
  LEAT_ASSIGN_OR_RETURN(request.group_key,
                        ScalarOf(context.input(first_input + 1), "group_key"));
  LEAT_ASSIGN_OR_RETURN(
      request.instance_key,
      ScalarOf(context.input(first_input + 2), "instance_key"));
  LEAT_RETURN_IF_ERROR(CheckGroupSize(request.group_size));
  return request;
}

absl::StatusOr<Tensor> CopyInputToOutput(KernelContext& context) {
  constexpr int64_t kBlockBytes = int64_t{64} << 10;
  constexpr int64_t kBlockCost = 8000;  // nanoseconds
  const Tensor& input = context.input(0);
  const char* const from = input.raw_data();
  const int64_t bytes = input.num_bytes();
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.ForwardOrAllocate({0}, 0, input.shape()));
  char* const to = output->mutable_raw_data();
  if (to == from || bytes == 0) return *output;
  ParallelFor(context.compute_queue(), (bytes - 1) / kBlockBytes + 1,
              kBlockCost, [&](int64_t begin, int64_t end) {
                const int64_t first = begin * kBlockBytes;
                const int64_t last = std::min(bytes, end * kBlockBytes);
                std::memcpy(to + first, from + first,
                            static_cast<size_t>(last - first));
              });
  return *output;
}

void RunCollective(CollectiveCall call, KernelContext& context,
                   AsyncKernel::Done done) {
  if (context.step().collectives == nullptr) {
    return std::move(done)(absl::InternalError(absl::StrCat(
        "Failed to get CollectiveExecutor from OpKernelContext for Op ",
        call.request.name)));
  }
  std::make_shared<Participation>(std::move(call), context, std::move(done))
      ->Start();
}

}  // namespace leat::kernels
