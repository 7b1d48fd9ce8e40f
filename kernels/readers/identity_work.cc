// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/readers/identity_work.h"

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/file_records.h"

namespace leat::kernels {
namespace {

class IdentityWork final : public WorkUnit {
 public:
  IdentityWork(const std::string& name, const StageContext& context)
      : name_(name), context_(context) {}

  absl::StatusOr<Progress> Next(KeyedRecord& record) override {
    LEAT_ASSIGN_OR_RETURN(
        record.key,
        TakeRecord({.view = name_}, context_.pipeline->allocator()));
    record.value = record.key;
    record.is_last = true;
    return Progress::kElement;
  }

  bool HasBegun() const override { return true; }

 private:
  const std::string name_;
  const StageContext context_;
};

}  // namespace

std::unique_ptr<WorkUnit> NewIdentityWork(const std::string& name,
                                          const StageContext& context) {
  return std::make_unique<IdentityWork>(name, context);
}

}  // namespace leat::kernels
