// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WaitingCall: one run of a kernel that may wait, in a step of its own that can
// be cancelled meanwhile. For kernels of queues and the like.
#ifndef LEAT_TESTS_TESTING_WAITING_CALL_H_
#define LEAT_TESTS_TESTING_WAITING_CALL_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/kernels/kernel_context.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::testing {

// Thread-safe.
class WaitingCall {
 public:
  // Starts the run. `kernel` outlives this; of `services` only the step's
  // cancellation is not used.
  WaitingCall(const StepServices& services, const TestKernel& kernel,
              std::vector<Value> inputs);
  // Waits until it is done.
  ~WaitingCall();

  bool is_done() const;
  void Cancel(absl::Status reason) { cancellation_.Cancel(std::move(reason)); }

  // The outputs. Waits until it is done.
  absl::StatusOr<std::vector<Value>> Result();

 private:
  Cancellation cancellation_;
  StepServices services_;
  const int num_inputs_;
  std::vector<Value> slots_;
  std::vector<int32_t> readers_;
  std::vector<int32_t> input_slots_;
  std::unique_ptr<KernelContext> context_;

  mutable Mutex mutex_;
  CondVar changed_;
  bool is_done_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_WAITING_CALL_H_
