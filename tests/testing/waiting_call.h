// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WaitingCall is one run of a kernel that may wait. The run has its own step,
// which can be cancelled meanwhile. Tests of the kernels of queues and
// accumulators use WaitingCall.
#ifndef LEAT_TESTS_TESTING_WAITING_CALL_H_
#define LEAT_TESTS_TESTING_WAITING_CALL_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/kernels/kernel_context.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::testing {

// Is thread-safe. Owns the inputs, the outputs and the cancellation of the run.
class WaitingCall {
 public:
  // Starts the run and returns when the kernel waits or is done. `kernel` must
  // outlive this object. The kernel gets `services`, but with this object's
  // cancellation.
  WaitingCall(const StepServices& services, const TestKernel& kernel,
              std::vector<Value> inputs);
  // Waits until the run is done.
  ~WaitingCall();

  // Returns whether the kernel has called done.
  bool is_done() const { return done_.IsSet(); }
  // Cancels the step of this run.
  void Cancel(absl::Status reason) { cancellation_.Cancel(std::move(reason)); }

  // Waits until the run is done. Returns false if it is not by the WaitLimit.
  bool Wait() { return done_.Wait(); }
  // Waits until the run is done. Returns its outputs or its error.
  absl::StatusOr<std::vector<Value>> Result();

 private:
  Cancellation cancellation_;
  StepServices services_;
  const int num_inputs_;
  std::vector<Value> slots_;
  std::vector<int32_t> readers_;
  std::vector<int32_t> input_slots_;
  std::unique_ptr<KernelContext> context_;

  absl::Status status_;  // is set before `done_`
  mutable Event done_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_WAITING_CALL_H_
