// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step.h"

#include "leat/core/status_payloads.h"

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

void Step::FailWithCause(const absl::Status& cause) {
  Fail(cause);
  MutexLock lock(mutex_);
  status_ = cause;
}

absl::Status Step::status() const {
  MutexLock lock(mutex_);
  return status_;
}

}  // namespace leat
