// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParallelFor: splits a range over a WorkQueue, as kernels do with their rows.
#ifndef LEAT_CORE_PARALLEL_FOR_H_
#define LEAT_CORE_PARALLEL_FOR_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "leat/core/work_queue.h"

namespace leat {

// Calls `body(begin, end)` on disjoint chunks that cover [0, total), and
// returns when all are done. The caller works too, takes every chunk that
// nobody has started and waits only for those already running, so it may be
// called on a thread of `queue` itself. `cost_per_item` is a rough count of
// nanoseconds; a range too cheap to be worth a second thread runs inline.
void ParallelFor(WorkQueue& queue, int64_t total, int64_t cost_per_item,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> body);

// The same over exactly `num_chunks` indices, one call each, however cheap: for
// work that was split beforehand (one dense primitive per chunk).
void ParallelChunks(WorkQueue& queue, int num_chunks,
                    absl::FunctionRef<void(int chunk)> body);

}  // namespace leat

#endif  // LEAT_CORE_PARALLEL_FOR_H_
