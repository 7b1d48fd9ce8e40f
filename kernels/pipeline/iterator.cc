// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/iterator.h"

namespace leat::kernels {

void Iterator::SetStream(std::shared_ptr<ElementStream> stream) {
  {
    MutexLock lock(mutex_);
    stream_.swap(stream);
  }
  // The old stream ends here, without the lock.
}

absl::StatusOr<std::shared_ptr<ElementStream>> Iterator::stream() const {
  MutexLock lock(mutex_);
  if (stream_ != nullptr) return stream_;
  return absl::FailedPreconditionError(
      "GetNext() failed because the iterator has not been initialized. Ensure "
      "that you have run the initializer operation for this iterator before "
      "getting the next element.");
}

}  // namespace leat::kernels
