// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/failing_allocations.h"

#include "leat/core/allocation_gate.h"

namespace leat::testing {
namespace {

// The process has one Gate, which is never destroyed. Another thread that
// allocates memory may still use it after Close.
class Gate final : public AllocationGate {
 public:
  static Gate& Get() {
    static Gate* const gate = new Gate;
    return *gate;
  }

  void Open(int64_t n, NthFailure::Which which) {
    failure_.Begin(n, which);
    active_.store(this, std::memory_order_release);
  }

  int64_t Close() {
    active_.store(nullptr, std::memory_order_release);
    return failure_.End();
  }

 private:
  bool AdmitOne() override { return !failure_.Fails(); }

  NthFailure failure_;
};

}  // namespace

FailingAllocations::FailingAllocations(int64_t n, NthFailure::Which which) {
  Gate::Get().Open(n, which);
}

int64_t FailingAllocations::Stop() { return Gate::Get().Close(); }

}  // namespace leat::testing
