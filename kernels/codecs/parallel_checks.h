// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParallelChecks runs work that may fail for single elements of a batch, and
// finds the error that a loop would have found.
//
//   LEAT_RETURN_IF_ERROR(ParallelChecks(
//       queue, num_texts, /*cost_per_item=*/30,
//       [&](int64_t i) { return Parse(texts[i], numbers[i]); }));
#ifndef LEAT_KERNELS_CODECS_PARALLEL_CHECKS_H_
#define LEAT_KERNELS_CODECS_PARALLEL_CHECKS_H_

#include <cstdint>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/parallel_for.h"

namespace leat {

// Calls `work(i)` for each i in [0, total), as ParallelFor does. Returns the
// error of the lowest i for which `work` fails. May leave out larger ones. Is
// stateless and thread-safe.
inline absl::Status ParallelChecks(
    WorkQueue& queue, int64_t total, int64_t cost_per_item,
    absl::FunctionRef<absl::Status(int64_t i)> work) {
  Mutex mutex;
  int64_t failed = total;
  absl::Status status;
  ParallelFor(queue, total, cost_per_item, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      absl::Status error = work(i);
      if (error.ok()) continue;
      MutexLock lock(mutex);
      if (i < failed) {
        failed = i;
        status = std::move(error);
      }
      return;
    }
  });
  return status;
}

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_PARALLEL_CHECKS_H_
