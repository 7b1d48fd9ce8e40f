// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/iterator.h"

namespace leat::kernels {

Iterator::~Iterator() {
  if (stream_ != nullptr) stream_->Close();
  for (const std::weak_ptr<ElementStream>& weak : replaced_) {
    const std::shared_ptr<ElementStream> stream = weak.lock();
    if (stream != nullptr) stream->Close();
  }
}

void Iterator::SetStream(std::shared_ptr<ElementStream> stream) {
  {
    MutexLock lock(mutex_);
    std::erase_if(replaced_, [](const auto& weak) { return weak.expired(); });
    if (stream_ != nullptr) replaced_.push_back(stream_);
    stream_.swap(stream);
  }
  // The old stream ends here, without the lock, if no call waits for it.
}

void Iterator::SetFirstStream(std::shared_ptr<ElementStream> stream) {
  MutexLock lock(mutex_);
  if (stream_ == nullptr) stream_.swap(stream);
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
