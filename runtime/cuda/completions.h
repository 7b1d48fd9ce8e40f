// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Completions waits for the events of a GPU on a thread of its own. When an
// event has passed, Completions releases the buffers that were kept for the
// work before the event, and calls a function.
//
//   LEAT_ASSIGN_OR_RETURN(CudaEvent event, events.Record(stream));
//   completions.Add(event, {tensor.buffer()}, [](absl::Status status) { ... });
#ifndef LEAT_RUNTIME_CUDA_COMPLETIONS_H_
#define LEAT_RUNTIME_CUDA_COMPLETIONS_H_

#include <atomic>
#include <deque>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "leat/core/buffer.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/core/threads/work_queue.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/device_health.h"
#include "leat/runtime/cuda/event_pool.h"

namespace leat {

// The objects that Completions uses. All of them are borrowed.
struct CompletionsOptions {
  CudaApi& api;
  DeviceHealth& health;
  EventPool& events;
  WorkQueue& queue;  // on which functions are called
  Clock& clock;
  int ordinal = 0;
};

// Thread-safe. Events complete in the order in which they were added, whatever
// streams they are in. So when an event is complete, all events that were added
// before it are complete, too. If the GPU is lost, all remaining events
// complete with the error of the GPU.
class Completions {
 public:
  using Done = absl::AnyInvocable<void(absl::Status) &&>;

  // Throws RefusedThread if the system refuses the thread; see StartThreads.
  explicit Completions(const CompletionsOptions& options);
  // Waits until all events have passed.
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  // Returns the event to the pool and releases `kept` when the event has
  // passed, and then calls `done`, which may be null, on the queue. The calls
  // begin in the order of Add if the queue has one thread.
  void Add(CudaEvent event, std::vector<BufferRef> kept, Done done);

 private:
  struct Entry {
    CudaEvent event = nullptr;
    std::vector<BufferRef> kept;
    Done done;
  };

  void Run();
  // Waits until there is an entry. Returns false if there is none and this
  // object is being destroyed.
  bool WaitForEntry();
  // Waits until an event has passed. Returns the error if the GPU is lost.
  absl::Status WaitFor(CudaEvent event);
  void Complete(const absl::Status& status);

  const CompletionsOptions options_;
  std::atomic<int64_t> num_pending_{0};
  Mutex mutex_;
  CondVar changed_;
  std::deque<Entry> pending_ ABSL_GUARDED_BY(mutex_);
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_COMPLETIONS_H_
