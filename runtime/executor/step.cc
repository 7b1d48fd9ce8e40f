// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/step.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_payloads.h"

namespace leat {

void Step::Fail(const absl::Status& status) {
  {
    MutexLock lock(mutex_);
    if (status_.ok() || (IsDerived(status_) && !IsDerived(status))) {
      status_ =
          absl::IsDeadlineExceeded(status) ? WithAwaitedGpus(status) : status;
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

LaunchedNodes& Step::BeginOnGpu(absl::string_view device) {
  MutexLock lock(mutex_);
  return on_gpus_.emplace_back(device);
}

void Step::EndOnGpu(LaunchedNodes& launched) {
  MutexLock lock(mutex_);
  on_gpus_.remove_if(
      [&](const LaunchedNodes& each) { return &each == &launched; });
}

absl::Status Step::WithAwaitedGpus(const absl::Status& error) const {
  std::string text(error.message());
  for (const LaunchedNodes& launched : on_gpus_) {
    if (!launched.IsAwaited()) continue;
    absl::StrAppend(&text, "\n\tit still waits for ", launched.device(),
                    ", where ", launched.Names(), " launched last");
  }
  return WithMessage(error, text);
}

absl::Status Step::status() const {
  MutexLock lock(mutex_);
  return status_;
}

}  // namespace leat
