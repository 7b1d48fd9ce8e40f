// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/readers/identity_work.h"

namespace leat::kernels {
namespace {

class IdentityWork final : public WorkUnit {
 public:
  explicit IdentityWork(const Tensor& name) : name_(name) {}

  absl::StatusOr<Progress> Next(KeyedRecord& record) override {
    record = {.key = name_, .value = name_, .is_last = true};
    return Progress::kElement;
  }

  bool HasBegun() const override { return true; }

 private:
  const Tensor name_;
};

}  // namespace

std::unique_ptr<WorkUnit> NewIdentityWork(const Tensor& name,
                                          const StageContext&) {
  return std::make_unique<IdentityWork>(name);
}

}  // namespace leat::kernels
