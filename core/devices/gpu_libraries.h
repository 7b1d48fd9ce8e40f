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

// Holds the libraries of one GPU. The Device of the GPU owns this object, and
// the GpuStream borrows it. Each function returns null if the machine does not
// have the library. A kernel must then do without the library. The first call
// of a function may take a second, because it opens the library. Thread-safe.
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
