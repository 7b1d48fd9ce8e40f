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

// Says what is computed. The filter has the shape OHWI if channels come last,
// and otherwise OIHW. (In TensorFlow it is HWIO.) A plain value.
struct ConvolutionForm {
  // Is the type of all elements: half, bfloat16, float or double. Products of
  // 16-bit floats are added up in float.
  DType type = DType::kInvalid;
  // Says which tensor is computed. kOutput stands for the convolution. kInput
  // and kFilter stand for the gradient of the input or of the filter.
  ConvolutionTensor result = ConvolutionTensor::kOutput;
  ConvolutionShape shape = {};

  friend auto operator<=>(const ConvolutionForm&,
                          const ConvolutionForm&) = default;
};

// The addresses of the tensors, in memory of the GPU. They must be multiples of
// ConvolutionLibrary::kAlignment. The tensor that ConvolutionForm::result names
// is written, and must not overlap the other two, which are read. A plain
// value.
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

  // Chooses how the library computes convolutions of this form, which takes
  // some milliseconds the first time. Returns UNIMPLEMENTED if the library
  // cannot compute them.
  virtual absl::Status Prepare(const ConvolutionForm& form) = 0;

  // Queues a convolution in the stream of the GPU. Fails as Prepare does. Also
  // returns UNIMPLEMENTED if there is no memory for the workspace that the
  // library needs. In both cases, nothing is queued. If the library fails to
  // queue the convolution, returns another error with the library's message.
  virtual absl::Status Convolve(const ConvolutionForm& form,
                                const ConvolutionOperands& operands) = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_CONVOLUTION_LIBRARY_H_
