// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/resources/accumulator.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/callbacks.h"

namespace leat::kernels {
Accumulator::Accumulator(AccumulatorOptions options)
    : options_(std::move(options)),
      sum_(options_.is_sparse ? NewSparseSum(options_.shape)
                              : NewDenseSum(options_.shape)) {}

absl::Status Accumulator::Apply(int64_t local_step, const Gradient& gradient,
                                Allocator& allocator, WorkQueue& queue) {
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    if (local_step < step_) return absl::OkStatus();
    LEAT_RETURN_IF_ERROR(sum_->Add(gradient, allocator, queue));
    Serve(callbacks);
  }
  CallAll(std::move(callbacks));
  return absl::OkStatus();
}

// Registers a callback with `cancellation` while mutex_ is held. The callback
// takes mutex_, too, so it cannot run before the registration is stored in the
// waiting call. The registration cannot deadlock, because Cancellation does not
// hold its own lock while it runs callbacks.
void Accumulator::Take(int64_t num_required, Cancellation& cancellation,
                       Done done) {
  if (num_required <= 0) {
    return std::move(done)(absl::InvalidArgumentError(absl::StrCat(
        "Argument num_required must be positive, but was ", num_required)));
  }
  if (cancellation.IsCancelled()) return std::move(done)(cancellation.status());
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    const int64_t id = next_id_++;
    takers_.emplace(
        id, Taker{.num_required = num_required, .done = std::move(done)});
    Serve(callbacks);
    const auto waiting = takers_.find(id);
    if (waiting != takers_.end()) {
      auto cancel = [weak = weak_from_this(), id](const absl::Status& reason) {
        if (const std::shared_ptr<Accumulator> accumulator = weak.lock()) {
          accumulator->Cancel(id, reason);
        }
      };
      if (cancellation.Register(std::move(cancel), &waiting->second.token)) {
        waiting->second.cancellation = &cancellation;
      } else {
        Finish(id, cancellation.status(), callbacks);
      }
    }
  }
  CallAll(std::move(callbacks));
}

int64_t Accumulator::num_accumulated() const {
  MutexLock lock(mutex_);
  return sum_->count();
}

void Accumulator::SetStep(int64_t step) {
  MutexLock lock(mutex_);
  step_ = step;
}

std::string Accumulator::DebugString() const {
  MutexLock lock(mutex_);
  return absl::StrCat("Accumulator '", options_.name, "': ", sum_->count(),
                      " gradients of step ", step_);
}

void Accumulator::Cancel(int64_t id, const absl::Status& reason) {
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    const auto waiting = takers_.find(id);
    if (waiting == takers_.end()) return;  // The call has been served.
    waiting->second.cancellation = nullptr;
    Finish(id, reason, callbacks);
    Serve(callbacks);
  }
  CallAll(std::move(callbacks));
}

void Accumulator::Serve(Callbacks& callbacks) {
  while (!takers_.empty() &&
         sum_->count() >= takers_.begin()->second.num_required) {
    if (step_ < std::numeric_limits<int64_t>::max()) ++step_;
    Finish(takers_.begin()->first, sum_->Release(), callbacks);
  }
}

void Accumulator::Finish(int64_t id, absl::StatusOr<GradientTotal> result,
                         Callbacks& callbacks) {
  Taker taker = std::move(takers_.extract(id).mapped());
  callbacks.push_back(
      [taker = std::move(taker), result = std::move(result)]() mutable {
        if (taker.cancellation != nullptr) {
          taker.cancellation->Deregister(taker.token);
        }
        std::move(taker.done)(std::move(result));
      });
}

}  // namespace leat::kernels
