// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CudaLibraries has the libraries of a CudaDevice. It opens each when a kernel
// first asks for it.
#ifndef LEAT_RUNTIME_CUDA_CUDA_LIBRARIES_H_
#define LEAT_RUNTIME_CUDA_CUDA_LIBRARIES_H_

#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/convolution_library.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/core/devices/matrix_multiplication.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/cuda/cuda_api.h"

namespace leat {

struct CudaLibrariesOptions {
  std::shared_ptr<CudaApi> api;
  // Has the streams and the memory that the libraries use. Borrowed.
  Device& device;
  int ordinal = 0;
  bool allow_tf32 = false;
  // Gets a sentence about each library that cannot be opened, once, and about
  // computations that a library refuses. May be null.
  std::function<void(absl::string_view)> log = nullptr;
};

// Thread-safe. Must be destroyed before the streams of the device.
class CudaLibraries final : public GpuLibraries {
 public:
  explicit CudaLibraries(CudaLibrariesOptions options);
  ~CudaLibraries() override;

  MatrixMultiplication* matrix_multiplication() override;
  ConvolutionLibrary* convolution() override;

 private:
  absl::Status OpenBlas() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status OpenDnn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // If `status` is an error, tells the log that `library` cannot be opened, and
  // what happens instead.
  void Report(absl::string_view library, const absl::Status& status,
              absl::string_view instead) const;

  const CudaLibrariesOptions options_;
  Mutex mutex_;
  bool has_tried_blas_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<MatrixMultiplication> multiplication_ ABSL_GUARDED_BY(mutex_);
  bool has_tried_dnn_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<ConvolutionLibrary> convolution_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_CUDA_LIBRARIES_H_
