// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/waiting_call.h"

#include <numeric>
#include <utility>

#include "leat/graph/graph.h"

namespace leat::testing {

WaitingCall::WaitingCall(const StepServices& services, const TestKernel& kernel,
                         std::vector<Value> inputs)
    : services_(services),
      num_inputs_(static_cast<int>(inputs.size())),
      slots_(std::move(inputs)) {
  services_.cancellation = &cancellation_;
  const int num_outputs = static_cast<int>(kernel.node().output_types.size());
  slots_.resize(static_cast<size_t>(num_inputs_ + num_outputs));
  readers_.assign(slots_.size(), 1);
  input_slots_.resize(static_cast<size_t>(num_inputs_));
  std::iota(input_slots_.begin(), input_slots_.end(), 0);
  context_ =
      std::make_unique<KernelContext>(kernel.node(), services_,
                                      ValueSlots{.slots = slots_.data(),
                                                 .readers = readers_.data(),
                                                 .inputs = input_slots_,
                                                 .first_output = num_inputs_,
                                                 .num_outputs = num_outputs});
  auto done = [this](absl::Status status) {
    status_ = std::move(status);
    done_.Set();
  };
  if (const AsyncKernel* async = kernel.kernel().AsAsync()) {
    async->ComputeAsync(*context_, std::move(done));
  } else {
    done(kernel.kernel().Compute(*context_));
  }
}

WaitingCall::~WaitingCall() { (void)Result(); }

absl::StatusOr<std::vector<Value>> WaitingCall::Result() {
  while (!done_.Wait()) {
  }
  if (!status_.ok()) return status_;
  return std::vector<Value>(slots_.begin() + num_inputs_, slots_.end());
}

}  // namespace leat::testing
