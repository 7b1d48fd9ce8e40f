// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Pipeline is what all stages of one iterator share: memory, threads, files and
// the services for calls of functions. It lives as long as a stage or a call
// uses it, which may be longer than the step and the session that made it.
#ifndef LEAT_KERNELS_PIPELINE_PIPELINE_H_
#define LEAT_KERNELS_PIPELINE_PIPELINE_H_

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/function_caller.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/session_services.h"

namespace leat::kernels {

// Is thread-safe. Shared pointers own it.
class Pipeline {
 public:
  // `call_depth` says in how many calls of functions the step runs that makes
  // the iterator. REQUIRES: services.background is not null.
  Pipeline(SessionServices services, int call_depth)
      : work_(*services.background), services_(std::move(services)) {
    step_.device = services_.device;
    step_.resources = services_.resources;
    step_.step_resources = &step_resources_;
    step_.cancellation = &cancellation_;
    step_.session = &services_;
    step_.call_depth = call_depth;
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Returns the services for calls of functions. Their cancellation is
  // cancelled when the iterator is gone.
  const StepServices& step() const { return step_; }
  const SessionServices& session() const { return services_; }
  Device& device() const { return *services_.device; }
  Allocator& allocator() const { return services_.device->host_allocator(); }
  WorkQueue& queue() const { return services_.device->compute_queue(); }

  // Returns the object through which the stages call `function`. If the
  // function has state, the pipeline has an instance of its own.
  absl::StatusOr<std::shared_ptr<const CallableFunction>> InstanceOf(
      const std::shared_ptr<const CallableFunction>& function) const {
    if (!function->HasState()) return function;
    MutexLock lock(mutex_);
    Instance& instance = instances_[function.get()];
    if (instance.own == nullptr) {
      auto made = function->NewInstance();
      if (!made.ok()) return made.status();
      instance = {.function = function, .own = *std::move(made)};
    }
    return instance.own;
  }

  // Cancels the calls that are under way. Must be called when nobody needs more
  // elements.
  void Cancel() { cancellation_.Cancel(absl::CancelledError("Cancelled")); }

 private:
  // Counts the pipeline as background work until all other members are gone.
  struct Counted {
    explicit Counted(BackgroundWork& work) : work(work) { work.Begin(); }
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
  ResourceStore step_resources_;
  mutable Mutex mutex_;
  mutable absl::flat_hash_map<const CallableFunction*, Instance> instances_
      ABSL_GUARDED_BY(mutex_);
  StepServices step_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_PIPELINE_H_
