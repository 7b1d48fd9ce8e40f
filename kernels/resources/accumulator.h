// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Accumulator collects the gradients of one training step from many workers and
// drops gradients that come too late. When there are enough gradients, it
// returns their sum, from which the kernel can compute the mean. It is the
// resource behind TensorFlow's ConditionalAccumulator and
// SparseConditionalAccumulator (J. Chen et al., "Revisiting Distributed
// Synchronous SGD", 2016).
//
// A call of Take that has to wait for gradients holds no thread. Its callback
// is called once, after the lock is released, on the thread that adds the last
// missing gradient or that cancels the call's step. Waiting calls are served in
// the order in which they were made.
#ifndef LEAT_KERNELS_RESOURCES_ACCUMULATOR_H_
#define LEAT_KERNELS_RESOURCES_ACCUMULATOR_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/resources/gradient_sum.h"

namespace leat::kernels {

// Holds the options of an accumulator. They come from the node that makes it.
// Is a value type.
struct AccumulatorOptions {
  std::string name = {};
  DType dtype = DType::kFloat;  // one of kFloats
  PartialShape shape = {};      // all gradients must fit this shape
  bool is_sparse = false;       // gets rows instead of whole tensors
  bool averages = true;         // true: outputs the mean; false: the sum
};

// Is thread-safe. REQUIRES: a shared_ptr owns the accumulator, because waiting
// calls keep weak references to it.
class Accumulator final : public Resource,
                          public std::enable_shared_from_this<Accumulator> {
 public:
  static constexpr char kTypeName[] =
      "N10tensorflow26ConditionalAccumulatorBaseE";

  // Receives the total of the gradients, or the reason why there is none.
  using Done = absl::AnyInvocable<void(absl::StatusOr<GradientTotal>) &&>;

  explicit Accumulator(AccumulatorOptions options);

  const AccumulatorOptions& options() const { return options_; }

  // Adds `gradient` to the sum. `local_step` is the step in which the worker
  // computed the gradient. If `local_step` is before the accumulator's step,
  // drops the gradient instead and returns OK. Returns the errors of
  // GradientSum::Add. REQUIRES: the gradient is of the accumulator's kind
  // (dense or sparse) and dtype.
  absl::Status Apply(int64_t local_step, const Gradient& gradient,
                     Allocator& allocator, WorkQueue& queue);

  // Calls `done` with the total of all gradients as soon as there are
  // `num_required` of them, and begins the next step without gradients. The
  // caller must compute the mean itself. `done` gets INVALID_ARGUMENT if
  // num_required is not positive, and the reason of the cancellation if
  // `cancellation` is cancelled first. `cancellation` must live until `done`
  // has been called.
  void Take(int64_t num_required, Cancellation& cancellation, Done done);

  // Returns the number of gradients of the current step.
  int64_t num_accumulated() const;
  // Sets the accumulator's step. If `step` is before the current step, Apply
  // accepts gradients of `step` again. Gradients that were added before this
  // call stay in the sum.
  void SetStep(int64_t step);

  std::string DebugString() const final;

 private:
  // Describes a waiting call of Take.
  struct Taker {
    int64_t num_required = 0;
    Done done = {};
    // `cancellation` is null while no callback is registered with it.
    Cancellation* cancellation = nullptr;
    Cancellation::Token token = 0;
  };
  // Holds the callbacks of served calls. They are called after the lock is
  // released, because a callback may use this accumulator again.
  using Callbacks = std::vector<absl::AnyInvocable<void() &&>>;

  // Makes a waiting call fail with `reason`, because its step was cancelled.
  void Cancel(int64_t id, const absl::Status& reason);
  // Serves the calls that have enough gradients, in order.
  void Serve(Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes a waiting call and adds its callback to `callbacks`.
  void Finish(int64_t id, absl::StatusOr<GradientTotal> result,
              Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const AccumulatorOptions options_;

  mutable Mutex mutex_;
  const std::unique_ptr<GradientSum> sum_ ABSL_PT_GUARDED_BY(mutex_);
  int64_t step_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Taker> takers_ ABSL_GUARDED_BY(mutex_);  // by id
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_RESOURCES_ACCUMULATOR_H_
