// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GpuLibraries gives kernels the libraries of the GPU's vendor, such as cuDNN.
// Each library has a narrow interface of its own.
//
//   MatrixMultiplication* const library =
//       stream.libraries().matrix_multiplication();
//   if (library == nullptr) return MultiplyWithoutLibrary(...);
//   return library->Multiply(form, operands);
#ifndef LEAT_CORE_DEVICES_GPU_LIBRARIES_H_
#define LEAT_CORE_DEVICES_GPU_LIBRARIES_H_

namespace leat {

class ConvolutionLibrary;
class MatrixMultiplication;

// Thread-safe. The libraries of one GPU, which its Device owns and its
// GpuStream borrows. Each function returns null if the machine does not have
// the library; a kernel must then do without it. The first call of each may
// take a second, because it opens the library.
class GpuLibraries {
 public:
  virtual ~GpuLibraries() = default;

  // core/devices/matrix_multiplication.h
  virtual MatrixMultiplication* matrix_multiplication() { return nullptr; }
  // core/devices/convolution_library.h
  virtual ConvolutionLibrary* convolution() { return nullptr; }
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_GPU_LIBRARIES_H_
