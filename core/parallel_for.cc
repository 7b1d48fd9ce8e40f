// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "leat/core/saturating.h"
#include "leat/core/spin.h"

namespace leat {
namespace {

// A chunk is worth its claim and a thread its waking from about here.
constexpr int64_t kMinChunkNanoseconds = 16'000;

// More chunks than threads even out threads that start late or run slowly.
constexpr int64_t kChunksPerThread = 4;

// Shared by the caller and the helpers in the queue. A helper may start long
// after the caller has returned; it then finds no chunk and never calls body.
struct Chunks {
  Chunks(int count, absl::FunctionRef<void(int)> body)
      : count(count), body(body) {}

  const int count;
  const absl::FunctionRef<void(int)> body;
  std::atomic<int64_t> next{0};  // Grows past count by one per thread.
  alignas(64) std::atomic<int> done{0};
};

// Runs chunks until none is left to start.
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
  // A worker that calls is one of the threads; any other caller is one more,
  // but the cores are as many as the workers.
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
