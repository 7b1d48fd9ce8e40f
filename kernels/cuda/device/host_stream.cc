// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/host_stream.h"

#include <algorithm>
#include <vector>

#include "leat/core/threads/thread.h"

namespace leat::cuda {

void RunInParts(int num_threads, int64_t n,
                const std::function<void(int64_t, int64_t)>& run) {
  if (num_threads == 1 || n < 2) return run(0, n);
  const int64_t parts = std::min<int64_t>(num_threads, n);
  std::vector<Thread> threads;
  for (int64_t i = 0; i < parts; ++i) {
    threads.emplace_back("leat-elements", [&run, i, parts, n] {
      run(n * i / parts, n * (i + 1) / parts);
    });
  }
}

}  // namespace leat::cuda
