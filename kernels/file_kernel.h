// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileKernel is the base class of kernels that read or write files. They run on
// threads that may wait for the disk.
//
//   class ReadFile final : public FileKernel {
//     absl::Status Run(KernelContext& context,
//                      const FileAccess& files) const override {
//       LEAT_ASSIGN_OR_RETURN(const std::string name, GetName(context, 0));
//       ...
//     }
//   };
#ifndef LEAT_KERNELS_FILE_KERNEL_H_
#define LEAT_KERNELS_FILE_KERNEL_H_

#include "absl/status/status.h"
#include "leat/checkpoint/bundle_options.h"
#include "leat/core/files/file_access.h"
#include "leat/kernels/kernel.h"

namespace leat::kernels {

// Is thread-safe, as all kernels are.
class FileKernel : public AsyncKernel {
 public:
  // Calls Run on a thread for files. The kernel fails with PERMISSION_DENIED if
  // its device has no files.
  void ComputeAsync(KernelContext& context, Done done) const final;

 protected:
  // Computes all outputs, or returns an error. `files` says which files the
  // kernel may use.
  virtual absl::Status Run(KernelContext& context,
                           const FileAccess& files) const = 0;

  // Returns the options for reading and writing checkpoints in a kernel. Memory
  // is counted by the device's host allocator, and the cancellation of the step
  // stops the reading or writing.
  static BundleOptions OptionsOf(const KernelContext& context);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_FILE_KERNEL_H_
