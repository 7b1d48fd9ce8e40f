// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Pipeline is what all stages of one iterator share: memory, threads and the
// services for calls of functions. It lives as long as a stage or a call
// uses it, which may be longer than the step and the session that made it.
#ifndef LEAT_KERNELS_PIPELINE_PIPELINE_H_
#define LEAT_KERNELS_PIPELINE_PIPELINE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/function_caller.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/session_services.h"

namespace leat::kernels {

// Is thread-safe. Shared pointers own it.
class Pipeline {
 public:
  // `call_depth` says in how many calls of functions the step runs that makes
  // the iterator. Returns ABORTED if the devices end now. REQUIRES:
  // services.background is not null.
  static absl::StatusOr<std::shared_ptr<Pipeline>> Create(
      SessionServices services, int call_depth) {
    if (!services.background->Begin()) {
      return absl::AbortedError("the devices are being destroyed");
    }
    return std::shared_ptr<Pipeline>(
        new Pipeline(std::move(services), call_depth));
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Returns the services for calls of functions. Their cancellation is
  // cancelled when the iterator is gone. They have no temporary resources,
  // which each call brings.
  const StepServices& step() const { return step_; }
  Allocator& allocator() const { return services_.device->host_allocator(); }
  WorkQueue& queue() const { return services_.device->compute_queue(); }

  // Returns the object through which the stages call `function`. If the
  // function has state, the pipeline has an instance of its own.
  absl::StatusOr<std::shared_ptr<const CallableFunction>> InstanceOf(
      const std::shared_ptr<const CallableFunction>& function) const {
    if (!function->HasState()) return function;
    if (auto own = FindInstance(function.get()); own != nullptr) return own;
    auto made = function->NewInstance();  // compiles, so not under the lock
    if (!made.ok()) return made.status();
    MutexLock lock(mutex_);
    const Instance instance{.function = function, .own = *std::move(made)};
    return instances_.try_emplace(function.get(), instance).first->second.own;
  }

  // Cancels the calls that are under way. Must be called when nobody needs more
  // elements.
  void Cancel() { cancellation_.Cancel(absl::CancelledError("Cancelled")); }

  // Returns the number of stages that the pipeline has now.
  std::atomic<int64_t>& num_stages() const { return num_stages_; }

 private:
  Pipeline(SessionServices services, int call_depth)
      : work_(*services.background), services_(std::move(services)) {
    step_.device = services_.device;
    step_.resources = services_.resources;
    step_.cancellation = &cancellation_;
    step_.session = &services_;
    step_.call_depth = call_depth;
  }

  std::shared_ptr<const CallableFunction> FindInstance(
      const CallableFunction* function) const {
    MutexLock lock(mutex_);
    const auto found = instances_.find(function);
    return found == instances_.end() ? nullptr : found->second.own;
  }

  // Ends the background work when all other members are gone.
  struct Counted {
    explicit Counted(BackgroundWork& work) : work(work) {}
    ~Counted() { work.End(); }
    BackgroundWork& work;
  };

  // Is the instance of a function with state, and the function itself, without
  // which it cannot live.
  struct Instance {
    std::shared_ptr<const CallableFunction> function = {};
    std::shared_ptr<const CallableFunction> own = {};
  };

  const Counted work_;
  const SessionServices services_;
  Cancellation cancellation_;
  mutable std::atomic<int64_t> num_stages_{0};
  mutable Mutex mutex_;
  mutable absl::flat_hash_map<const CallableFunction*, Instance> instances_
      ABSL_GUARDED_BY(mutex_);
  StepServices step_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_PIPELINE_H_
