// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConvolutionLibrary is a library that computes convolutions of images, and
// their gradients, on a GPU.
//
//   const ConvolutionForm form = {.type = DType::kBfloat16,
//                                 .result = ConvolutionTensor::kOutput,
//                                 .shape = shape};
//   return library.Convolve(form, {.input = x, .filter = w, .output = y});
#ifndef LEAT_CORE_DEVICES_CONVOLUTION_LIBRARY_H_
#define LEAT_CORE_DEVICES_CONVOLUTION_LIBRARY_H_

#include <compare>
#include <cstdint>

#include "absl/status/status.h"
#include "leat/core/convolution_shape.h"
#include "leat/core/dtype.h"

namespace leat {

// The tensors of a convolution.
enum class ConvolutionTensor : uint8_t { kInput, kFilter, kOutput };

// Says what is computed. Is a plain value. The filter has the shape OHWI if
// channels come last, and otherwise OIHW, and not HWIO as in TensorFlow.
struct ConvolutionForm {
  // Is the type of all elements: half, bfloat16, float or double. Products of
  // 16-bit floats are added up in float.
  DType type = DType::kInvalid;
  // The output, or the gradient of the input or of the filter.
  ConvolutionTensor result = ConvolutionTensor::kOutput;
  ConvolutionShape shape = {};

  friend auto operator<=>(const ConvolutionForm&,
                          const ConvolutionForm&) = default;
};

// Where the tensors lie, in memory of the GPU, at multiples of
// ConvolutionLibrary::kAlignment. The result is overwritten, and
// must not overlap the other two, which are read. A plain value.
struct ConvolutionOperands {
  void* input = nullptr;
  void* filter = nullptr;
  void* output = nullptr;
};

// Thread-safe.
class ConvolutionLibrary {
 public:
  static constexpr int64_t kAlignment = 16;

  virtual ~ConvolutionLibrary() = default;

  // Says whether the library computes convolutions of this form. Chooses how,
  // which takes some milliseconds the first time. Returns UNIMPLEMENTED if it
  // does not.
  virtual absl::Status Prepare(const ConvolutionForm& form) = 0;

  // Queues a convolution in the stream of the GPU. Has the errors of Prepare.
  // Returns UNIMPLEMENTED, and queues nothing, also if there is no memory for
  // the workspace that the library needs, and another error, with the library's
  // words, if a call fails.
  virtual absl::Status Convolve(const ConvolutionForm& form,
                                const ConvolutionOperands& operands) = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_CONVOLUTION_LIBRARY_H_
