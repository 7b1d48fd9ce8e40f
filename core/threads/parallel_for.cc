// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "leat/core/saturating.h"
#include "leat/core/threads/spin.h"

namespace leat {
namespace {

// Is the minimum work of a chunk. A smaller chunk would not be worth its costs:
// the atomic operation that claims the chunk, and the waking of a thread.
constexpr int64_t kMinChunkNanoseconds = 16'000;

// There are more chunks than threads. If one thread starts late or runs slowly,
// the others then take more of the chunks.
constexpr int64_t kChunksPerThread = 4;

// Holds the state of one call of ParallelChunks, shared by the caller and its
// helpers on the queue. A helper may start long after the call has returned.
// Then the helper finds no chunk to start and does not call `body`, which no
// longer exists.
struct Chunks {
  Chunks(int count, absl::FunctionRef<void(int)> body)
      : count(count), body(body) {}

  const int count;
  const absl::FunctionRef<void(int)> body;
  // Is the next chunk to start. Each thread increments it until there is no
  // chunk left, so it may end above `count`.
  std::atomic<int64_t> next{0};
  alignas(64) std::atomic<int> done{0};
};

// Runs chunks until all have been started. Then adds the number of chunks that
// it ran to `done`.
void Work(Chunks& chunks) {
  int finished = 0;
  for (;;) {
    const int64_t chunk = chunks.next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks.count) break;
    chunks.body(static_cast<int>(chunk));
    ++finished;
  }
  if (finished == 0) return;
  const int before = chunks.done.fetch_add(finished, std::memory_order_acq_rel);
  if (before + finished == chunks.count) chunks.done.notify_one();
}

// Waits until the helpers have finished the chunks that they run.
void WaitForOthers(Chunks& chunks) {
  const auto all_done = [&] {
    return chunks.done.load(std::memory_order_acquire) == chunks.count;
  };
  if (SpinUntil(all_done)) return;
  int done = chunks.done.load(std::memory_order_acquire);
  while (done != chunks.count) {
    chunks.done.wait(done, std::memory_order_acquire);
    done = chunks.done.load(std::memory_order_acquire);
  }
}

}  // namespace

void ParallelChunks(WorkQueue& queue, int num_chunks,
                    absl::FunctionRef<void(int chunk)> body) {
  // The caller counts as one of the threads even if it is not a thread of the
  // queue, because there are only as many cores as workers.
  const int helpers = std::min(num_chunks, queue.num_threads()) - 1;
  if (helpers <= 0) {
    for (int i = 0; i < num_chunks; ++i) body(i);
    return;
  }
  const auto chunks = std::make_shared<Chunks>(num_chunks, body);
  for (int i = 0; i < helpers; ++i) {
    queue.Add([chunks] { Work(*chunks); });
  }
  Work(*chunks);
  WaitForOthers(*chunks);
}

void ParallelFor(WorkQueue& queue, int64_t total, int64_t cost_per_item,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (total <= 0) return;
  const int64_t cost =
      SaturatingMultiply(total, std::max<int64_t>(cost_per_item, 1));
  const int64_t threads = queue.num_threads();
  const int64_t wanted = std::min(
      {total, cost / kMinChunkNanoseconds, threads * kChunksPerThread});
  if (threads <= 1 || wanted <= 1) {
    body(0, total);
    return;
  }
  const int64_t size = (total - 1) / wanted + 1;
  const int num_chunks = static_cast<int>((total - 1) / size + 1);
  ParallelChunks(queue, num_chunks, [&](int chunk) {
    const int64_t begin = chunk * size;
    body(begin, std::min(total - begin, size) + begin);
  });
}

}  // namespace leat
