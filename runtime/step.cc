// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step.h"

#include "absl/strings/cord.h"
#include "leat/core/wire_names.h"

namespace leat {

void Step::Fail(const absl::Status& status) {
  {
    MutexLock lock(mutex_);
    if (status_.ok() || (IsDerived(status_) && !IsDerived(status))) {
      status_ = status;
    }
  }
  const absl::Status derived = AsDerived(status);
  cancellation_.Cancel(derived);
  rendezvous_.StartAbort(derived);
}

absl::Status Step::status() const {
  MutexLock lock(mutex_);
  return status_;
}

absl::Status AsDerived(absl::Status status) {
  status.SetPayload(kDerivedStatusPayload, absl::Cord());
  return status;
}

bool IsDerived(const absl::Status& status) {
  return status.GetPayload(kDerivedStatusPayload).has_value();
}

}  // namespace leat
