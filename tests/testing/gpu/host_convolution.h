// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HostConvolution is a ConvolutionLibrary that computes on the host, in a
// HostStream, by naive loops. It is a reference for tests.
#ifndef LEAT_TESTS_TESTING_GPU_HOST_CONVOLUTION_H_
#define LEAT_TESTS_TESTING_GPU_HOST_CONVOLUTION_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "leat/core/devices/convolution_library.h"
#include "leat/core/float16.h"
#include "leat/kernels/cuda/device/host_stream.h"

namespace leat::testing {

// Holds one tensor of a convolution. The type of its elements is T.
template <class T>
class HostConvolutionTensor {
 public:
  // `extents` are the batch, the channels, the height and the width. For a
  // filter, the output channels take the place of the batch.
  HostConvolutionTensor(bool channels_first, std::array<int64_t, 4> extents,
                        void* data)
      : channels_first_(channels_first),
        extents_(extents),
        data_(static_cast<T*>(data)),
        sums_(static_cast<size_t>(extents[0] * extents[1] * extents[2] *
                                  extents[3])) {}

  // Returns the position of an element in `data`.
  size_t At(int64_t n, int64_t c, int64_t y, int64_t x) const {
    const auto& e = extents_;
    return static_cast<size_t>(channels_first_
                                   ? ((n * e[1] + c) * e[2] + y) * e[3] + x
                                   : ((n * e[2] + y) * e[3] + x) * e[1] + c);
  }
  double Get(size_t at) const { return static_cast<double>(data_[at]); }
  void Add(size_t at, double value) { sums_[at] += value; }
  // Writes the sums to `data`.
  void Store() const {
    std::transform(sums_.begin(), sums_.end(), data_, [](double sum) {
      if constexpr (sizeof(T) == 2) {
        return T(static_cast<float>(sum));
      } else {
        return static_cast<T>(sum);
      }
    });
  }

 private:
  const bool channels_first_;
  const std::array<int64_t, 4> extents_;
  T* const data_;
  std::vector<double> sums_;
};

// Computes a convolution whose elements have the type T.
template <class T>
void ConvolveOnHost(const ConvolutionForm& form,
                    const ConvolutionOperands& operands) {
  const ConvolutionShape& s = form.shape;
  const int64_t in_group = s.in_channels / s.groups;
  const int64_t out_group = s.out_channels / s.groups;
  using HostTensor = HostConvolutionTensor<T>;
  HostTensor input(s.channels_first,
                   {s.batch, s.in_channels, s.in_height, s.in_width},
                   operands.input);
  HostTensor filter(s.channels_first,
                    {s.out_channels, in_group, s.filter_height, s.filter_width},
                    operands.filter);
  HostTensor output(s.channels_first,
                    {s.batch, s.out_channels, s.out_height, s.out_width},
                    operands.output);
  const auto add = [&](int64_t n, int64_t o, int64_t i, int64_t oy, int64_t ox,
                       int64_t ky, int64_t kx) {
    const int64_t y = oy * s.stride_height - s.pad_top + ky * s.dilation_height;
    const int64_t x = ox * s.stride_width - s.pad_left + kx * s.dilation_width;
    if (y < 0 || y >= s.in_height || x < 0 || x >= s.in_width) return;
    const size_t a = input.At(n, o / out_group * in_group + i, y, x);
    const size_t b = filter.At(o, i, ky, kx);
    const size_t c = output.At(n, o, oy, ox);
    switch (form.result) {
      case ConvolutionTensor::kInput:
        return input.Add(a, filter.Get(b) * output.Get(c));
      case ConvolutionTensor::kFilter:
        return filter.Add(b, input.Get(a) * output.Get(c));
      case ConvolutionTensor::kOutput:
        return output.Add(c, input.Get(a) * filter.Get(b));
    }
  };
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t o = 0; o < s.out_channels; ++o)
      for (int64_t i = 0; i < in_group; ++i)
        for (int64_t oy = 0; oy < s.out_height; ++oy)
          for (int64_t ox = 0; ox < s.out_width; ++ox)
            for (int64_t ky = 0; ky < s.filter_height; ++ky)
              for (int64_t kx = 0; kx < s.filter_width; ++kx)
                add(n, o, i, oy, ox, ky, kx);
  switch (form.result) {
    case ConvolutionTensor::kInput:
      return input.Store();
    case ConvolutionTensor::kFilter:
      return filter.Store();
    case ConvolutionTensor::kOutput:
      return output.Store();
  }
}

// Returns true if the addresses of the tensors are aligned to
// ConvolutionLibrary::kAlignment.
inline bool AreAligned(const ConvolutionOperands& operands) {
  return (reinterpret_cast<uintptr_t>(operands.input) |
          reinterpret_cast<uintptr_t>(operands.filter) |
          reinterpret_cast<uintptr_t>(operands.output)) %
             ConvolutionLibrary::kAlignment ==
         0;
}

// Computes a convolution. Its element type may be any type that ConvolutionForm
// allows.
inline void ConvolveOnHost(const ConvolutionForm& form,
                           const ConvolutionOperands& operands) {
  switch (form.type) {
    case DType::kHalf:
      return ConvolveOnHost<half>(form, operands);
    case DType::kBfloat16:
      return ConvolveOnHost<bfloat16>(form, operands);
    case DType::kDouble:
      return ConvolveOnHost<double>(form, operands);
    default:
      return ConvolveOnHost<float>(form, operands);
  }
}

// A HostConvolution is thread-safe.
class HostConvolution final : public ConvolutionLibrary {
 public:
  // The stream is borrowed.
  explicit HostConvolution(cuda::HostStream& stream) : stream_(stream) {}

  // Refuses convolutions with groups, so that the kernels compute these.
  absl::Status Prepare(const ConvolutionForm& form) override {
    if (form.shape.groups == 1) return absl::OkStatus();
    return absl::UnimplementedError("there are groups");
  }
  absl::Status Convolve(const ConvolutionForm& form,
                        const ConvolutionOperands& operands) override {
    if (!AreAligned(operands)) return absl::InternalError("not aligned");
    stream_.Add([form, operands] { ConvolveOnHost(form, operands); });
    return absl::OkStatus();
  }

 private:
  cuda::HostStream& stream_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_HOST_CONVOLUTION_H_
