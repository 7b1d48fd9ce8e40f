// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileService gives the kernels of a task access to files: it says which files
// they may open, has threads on which they may wait for the disk, and waits for
// named pipes without a thread for each.
//
//   FileService files(FileAccess::Unrestricted());
//   LEAT_RETURN_IF_ERROR(files.Run([&] { Save(files.access()); }));
#ifndef LEAT_CORE_FILES_FILE_SERVICE_H_
#define LEAT_CORE_FILES_FILE_SERVICE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/readable_watcher.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"

namespace leat {

// Is thread-safe. The destructor waits until all closures have run.
class FileService {
 public:
  explicit FileService(FileAccess access) : access_(std::move(access)) {}

  const FileAccess& access() const { return access_; }

  // Runs `closure`, which may wait for files, on one of a few threads. The
  // first call starts the threads. Returns RESOURCE_EXHAUSTED, without running
  // the closure, if the system refuses them.
  absl::Status Run(WorkQueue::Closure closure);

  // Returns the watcher of named pipes. The first call starts its thread.
  // Returns RESOURCE_EXHAUSTED if the system refuses it. When the service ends,
  // nobody may wait for a pipe any more.
  absl::StatusOr<ReadableWatcher*> Watcher();

 private:
  const FileAccess access_;
  Mutex mutex_;
  // Closures on the queue use the watcher, so it ends last.
  std::unique_ptr<ReadableWatcher> watcher_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<WorkQueue> queue_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_CORE_FILES_FILE_SERVICE_H_
