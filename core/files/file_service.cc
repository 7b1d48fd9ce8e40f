// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/file_service.h"

#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"

namespace leat {
namespace {

// More threads would not make the disk faster.
constexpr int kNumThreads = 4;

}  // namespace

absl::Status FileService::Run(WorkQueue::Closure closure) {
  WorkQueue* queue = nullptr;
  {
    MutexLock lock(mutex_);
    if (queue_ == nullptr) {
      LEAT_RETURN_IF_ERROR(StartThreads([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
        queue_ = NewThreadPool("leat-files", kNumThreads);
        return absl::OkStatus();
      }));
    }
    queue = queue_.get();
  }
  queue->Add(std::move(closure));
  return absl::OkStatus();
}

absl::StatusOr<ReadableWatcher*> FileService::Watcher() {
  MutexLock lock(mutex_);
  if (watcher_ == nullptr) {
    LEAT_ASSIGN_OR_RETURN(watcher_, ReadableWatcher::Create());
  }
  return watcher_.get();
}

}  // namespace leat
