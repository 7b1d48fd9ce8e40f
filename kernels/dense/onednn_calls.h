// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These helpers are for the files that call oneDNN. They keep a call on the
// calling thread, and turn the exceptions of oneDNN into statuses.
#ifndef LEAT_KERNELS_DENSE_ONEDNN_CALLS_H_
#define LEAT_KERNELS_DENSE_ONEDNN_CALLS_H_

#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "dnnl.hpp"
#include "leat/core/threads/mutex.h"

// These are functions of libgomp. They are declared here because <omp.h> and
// -fopenmp would bring in a second OpenMP runtime under clang.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace leat::kernels {

// While this object lives, the primitives that this thread creates and executes
// are single-threaded.
class OneThread {
 public:
  OneThread() : previous_(omp_get_max_threads()) {
    if (previous_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (previous_ != 1) omp_set_num_threads(previous_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int previous_;
};

// Keeps the first error that any of several chunks reports. Is thread-safe.
class FirstError {
 public:
  void Report(absl::Status status) {
    if (status.ok()) return;
    MutexLock lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  absl::Status Take() {
    MutexLock lock(mutex_);
    return std::move(status_);
  }

 private:
  Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

// Runs `body` single-threaded, and turns the exceptions that oneDNN throws into
// statuses.
template <class Body>
absl::Status Protected(Body body) {
  const OneThread guard;
  try {
    return body();
  } catch (const dnnl::error& error) {
    return absl::InternalError(
        absl::StrCat("oneDNN failed: ", error.what(), " (status ",
                     static_cast<int>(error.status), ")"));
  } catch (const std::exception& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("oneDNN failed: ", error.what()));
  }
}

// Is the minimum number of floating-point operations in a chunk, about 16 us of
// work. A smaller chunk is not worth a second thread.
inline constexpr double kMinChunkFlops = 1.5e6;

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DENSE_ONEDNN_CALLS_H_
