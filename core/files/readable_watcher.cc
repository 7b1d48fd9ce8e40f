// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/readable_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "leat/core/files/system_error.h"
#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<std::unique_ptr<ReadableWatcher>> ReadableWatcher::Create() {
  FileDescriptor wakeup(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wakeup.is_open()) return SystemError("eventfd", "cannot open");
  std::unique_ptr<ReadableWatcher> watcher(
      new ReadableWatcher(std::move(wakeup)));
  LEAT_RETURN_IF_ERROR(StartThreads([&] {
    watcher->thread_ =
        Thread("leat-pipes", [self = watcher.get()] { self->Run(); });
    return absl::OkStatus();
  }));
  return watcher;
}

ReadableWatcher::~ReadableWatcher() {
  {
    MutexLock lock(mutex_);
    is_ending_ = true;
  }
  Wake();
  thread_.Join();
}

int64_t ReadableWatcher::Watch(int descriptor, Callback callback) {
  int64_t id = 0;
  {
    MutexLock lock(mutex_);
    id = next_id_++;
    watched_[id] = {.descriptor = descriptor, .callback = std::move(callback)};
  }
  Wake();
  return id;
}

void ReadableWatcher::Forget(int64_t id) {
  Callback dropped;  // without the lock
  {
    MutexLock lock(mutex_);
    const auto found = watched_.find(id);
    if (found == watched_.end()) return;
    dropped = std::move(found->second.callback);
    watched_.erase(found);
  }
  Wake();
}

void ReadableWatcher::Wake() {
  const uint64_t one = 1;
  // This fails only if the thread has been woken already.
  [[maybe_unused]] const ssize_t written =
      write(wakeup_.number(), &one, sizeof(one));
}

void ReadableWatcher::Run() {
  std::vector<Callback> callbacks;
  while (WaitForCallbacks(callbacks)) {
    for (Callback& callback : callbacks) std::move(callback)();
    callbacks.clear();
  }
}

bool ReadableWatcher::WaitForCallbacks(std::vector<Callback>& callbacks) {
  std::vector<pollfd> files = {{wakeup_.number(), POLLIN, 0}};
  std::vector<int64_t> ids;
  {
    MutexLock lock(mutex_);
    if (is_ending_) return false;
    for (const auto& [id, watched] : watched_) {
      files.push_back({watched.descriptor, POLLIN, 0});
      ids.push_back(id);
    }
  }
  // If poll fails, all callbacks are called: their owners see for themselves.
  const bool has_failed = poll(files.data(), files.size(), -1) < 0;
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t done =
      read(wakeup_.number(), &count, sizeof(count));
  MutexLock lock(mutex_);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!has_failed && files[i + 1].revents == 0) continue;
    const auto found = watched_.find(ids[i]);
    if (found == watched_.end()) continue;
    callbacks.push_back(std::move(found->second.callback));
    watched_.erase(found);
  }
  return true;
}

}  // namespace leat
