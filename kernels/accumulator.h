// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Accumulator: gathers the gradients of one training step from many workers,
// drops those that come too late, and gives their mean when there are enough
// (TensorFlow's ConditionalAccumulator and SparseConditionalAccumulator; J.
// Chen et al., "Revisiting Distributed Synchronous SGD", 2016).
//
// A call that waits for gradients holds no thread; its callback is made once,
// after the lock is released, by who brings the last gradient or cancels the
// call's step. Those that wait are served in order of arrival. Thread-safe;
// belongs to a shared_ptr.
#ifndef LEAT_KERNELS_ACCUMULATOR_H_
#define LEAT_KERNELS_ACCUMULATOR_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/core/partial_shape.h"
#include "leat/kernels/gradient_sum.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {

struct AccumulatorOptions {
  std::string name = {};
  DType dtype = DType::kFloat;  // one of kFloats
  PartialShape shape = {};
  bool is_sparse = false;
  bool averages = true;  // else sums
};

class Accumulator final : public Resource,
                          public std::enable_shared_from_this<Accumulator> {
 public:
  static constexpr char kTypeName[] = "ConditionalAccumulator";

  using Done = absl::AnyInvocable<void(absl::StatusOr<GradientTotal>) &&>;

  explicit Accumulator(AccumulatorOptions options);

  const AccumulatorOptions& options() const { return options_; }

  // Adds the gradient, or drops it silently when `local_step` is before the
  // accumulator's step. Fails as GradientSum::Add does. REQUIRES: a gradient of
  // the accumulator's kind and dtype.
  absl::Status Apply(int64_t local_step, const Gradient& gradient,
                     Allocator& allocator, WorkQueue& queue);

  // Gives the sum of all gradients when there are `num_required` of them, and
  // begins the next step. INVALID_ARGUMENT unless num_required is positive;
  // else the reason of `cancellation`, which lives until `done` was called.
  void Take(int64_t num_required, Cancellation& cancellation, Done done);

  int64_t num_accumulated() const;
  // Also to an earlier one: gradients of it are taken again. What has been
  // added stays.
  void SetStep(int64_t step);

  std::string DebugString() const final;

 private:
  // A call of Take that waits.
  struct Taker {
    int64_t num_required = 0;
    Done done = {};
    // Null while the call is not registered there.
    Cancellation* cancellation = nullptr;
    Cancellation::Token token = 0;
  };
  // Callbacks, to be made without the lock.
  using Callbacks = std::vector<absl::AnyInvocable<void() &&>>;

  void Cancel(int64_t id, const absl::Status& reason);
  void Serve(Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(int64_t id, absl::StatusOr<GradientTotal> result,
              Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const AccumulatorOptions options_;

  mutable Mutex mutex_;
  const std::unique_ptr<GradientSum> sum_ ABSL_PT_GUARDED_BY(mutex_);
  int64_t step_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Taker> takers_ ABSL_GUARDED_BY(mutex_);  // as they came
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ACCUMULATOR_H_
