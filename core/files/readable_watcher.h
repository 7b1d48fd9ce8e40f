// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadableWatcher tells when named pipes can be read. One thread waits for all
// of them, so a silent pipe holds no thread of its own.
//
//   LEAT_ASSIGN_OR_RETURN(const int64_t id,
//                         watcher.Watch(pipe.number(), [&] { Read(pipe); }));
#ifndef LEAT_CORE_FILES_READABLE_WATCHER_H_
#define LEAT_CORE_FILES_READABLE_WATCHER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"

namespace leat {

// Is thread-safe. The destructor drops the callbacks that were not called.
class ReadableWatcher {
 public:
  using Callback = absl::AnyInvocable<void() &&>;

  // Starts the thread. Returns RESOURCE_EXHAUSTED if the system refuses it.
  static absl::StatusOr<std::unique_ptr<ReadableWatcher>> Create();
  ~ReadableWatcher();

  // Calls `callback` once, on the thread of the watcher, when the pipe has
  // bytes or has lost its last writer. It may also be called too early.
  // `descriptor` must stay open until `callback` is called or dropped. Returns
  // a number for Forget.
  int64_t Watch(int descriptor, Callback callback);
  // Drops a callback, unless it has been called or is being called.
  void Forget(int64_t id);

 private:
  struct Watched {
    int descriptor = -1;
    Callback callback = {};
  };

  explicit ReadableWatcher(FileDescriptor wakeup)
      : wakeup_(std::move(wakeup)) {}

  void Run();
  // Returns false when the watcher ends. Otherwise waits until one of the pipes
  // can be read or Wake is called, and returns the callbacks to call.
  bool WaitForCallbacks(std::vector<Callback>& callbacks);
  void Wake();

  const FileDescriptor wakeup_;  // an eventfd
  Mutex mutex_;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Watched> watched_ ABSL_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace leat

#endif  // LEAT_CORE_FILES_READABLE_WATCHER_H_
