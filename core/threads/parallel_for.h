// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParallelFor splits a range of work over the threads of a WorkQueue. Kernels
// split their rows with it.
//
//   ParallelFor(queue, num_rows, 8 * num_columns,  // nanoseconds for a row
//               [&](int64_t begin, int64_t end) {
//                 for (int64_t row = begin; row < end; ++row) Sum(row);
//               });
#ifndef LEAT_CORE_THREADS_PARALLEL_FOR_H_
#define LEAT_CORE_THREADS_PARALLEL_FOR_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "leat/core/threads/work_queue.h"

namespace leat {

// Calls `body(begin, end)` on disjoint chunks that cover [0, total), from
// several threads at once, and returns when all calls are done. The caller also
// runs chunks until every chunk has been started. Then it waits only for the
// chunks that other threads are running. So the caller may be a thread of
// `queue` itself. `cost_per_item` is a rough estimate in nanoseconds. A range
// that is too cheap for a second thread runs on the calling thread only.
void ParallelFor(WorkQueue& queue, int64_t total, int64_t cost_per_item,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> body);

// Calls `body(chunk)` once for each chunk in [0, num_chunks), from several
// threads in the same way as ParallelFor. Use it for work that has already been
// split, such as one oneDNN primitive per chunk.
void ParallelChunks(WorkQueue& queue, int num_chunks,
                    absl::FunctionRef<void(int chunk)> body);

}  // namespace leat

#endif  // LEAT_CORE_THREADS_PARALLEL_FOR_H_
