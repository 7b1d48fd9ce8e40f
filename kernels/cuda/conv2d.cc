// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of Conv2D, Conv2DBackpropInput and
// Conv2DBackpropFilter. A library computes the convolutions that it supports. A
// plain kernel computes all others.
#include <array>
#include <cstdint>
#include <memory>

#include "leat/core/devices/convolution_library.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/cuda/device/convolution.h"
#include "leat/kernels/dense/symmetric_padding.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/convolution_plan.h"

namespace leat::kernels::cuda::conv2d {
namespace {

// Holds the tensors of a convolution. `result` is the same tensor as one of the
// other three.
struct Tensors {
  const Tensor* input = nullptr;
  const Tensor* filter = nullptr;
  const Tensor* output = nullptr;
  Tensor* result = nullptr;
};

// Describes the layout of a filter for the library, with the output channels
// first.
struct FilterOrder {
  Shape library;                     // the shape in the library's order
  std::array<int64_t, 4> from_hwio;  // strides of an HWIO filter

  FilterOrder(const ConvolutionShape& s, const Shape& hwio) {
    const int64_t h = hwio.dim(0), w = hwio.dim(1), i = hwio.dim(2),
                  o = hwio.dim(3);
    if (s.channels_first) {
      library = Shape{o, i, h, w};
      from_hwio = {1, o, w * i * o, i * o};
    } else {
      library = Shape{o, h, w, i};
      from_hwio = {1, w * i * o, i * o, o};
    }
  }
  BroadcastPlan<1> plan() const {
    return PlanStrided(library, Dims(from_hwio.begin(), from_hwio.end()));
  }
};

// Computes the result with a library that supports the form. Returns
// UNIMPLEMENTED if the library has no memory for it.
absl::Status UsePrepared(KernelContext& context, ConvolutionLibrary& library,
                         const ConvolutionForm& form, const Tensors& t) {
  GpuStream& stream = *StreamOf(context);
  const size_t size = SizeOf(form.type);
  const FilterOrder order(form.shape, t.filter->shape());
  LEAT_ASSIGN_OR_RETURN(Tensor filter,
                        context.AllocateTemporary(form.type, order.library));
  const bool is_result = form.result == ConvolutionTensor::kFilter;
  if (!is_result) {
    LEAT_RETURN_IF_ERROR(CopyFromStridedOnGpu(stream, order.plan(), size,
                                              t.filter->raw_data(),
                                              filter.mutable_raw_data()));
  }
  // The const_casts are safe, because the library writes only to the result.
  LEAT_RETURN_IF_ERROR(library.Convolve(
      form, {.input = const_cast<char*>(t.input->raw_data()),
             .filter = filter.mutable_raw_data(),
             .output = const_cast<char*>(t.output->raw_data())}));
  if (!is_result) return absl::OkStatus();
  return CopyToStridedOnGpu(stream, order.plan(), size, filter.raw_data(),
                            t.result->mutable_raw_data());
}

// Does the same with images to which zeros are added.
absl::Status UsePadded(KernelContext& context, ConvolutionLibrary& library,
                       const ConvolutionForm& form,
                       const SymmetricPadding& padding, Tensors t) {
  GpuStream& stream = *StreamOf(context);
  LEAT_ASSIGN_OR_RETURN(
      Tensor padded,
      context.AllocateTemporary(form.type, InputShapeOf(form.shape)));
  if (form.result != ConvolutionTensor::kInput) {
    LEAT_RETURN_IF_ERROR(padding.Pad(stream, *t.input, padded));
    t.input = &padded;
    return UsePrepared(context, library, form, t);
  }
  Tensor& input = *t.result;
  t.input = t.result = &padded;
  LEAT_RETURN_IF_ERROR(UsePrepared(context, library, form, t));
  return padding.Crop(stream, padded, input);
}

// Computes the result with a library. Returns UNIMPLEMENTED if the library does
// not support this form or has no memory for it. The caller must then compute
// the result in another way.
absl::Status UseLibrary(KernelContext& context, ConvolutionLibrary& library,
                        ConvolutionForm form, const Tensors& t) {
  // The library's plans for 16-bit floats are fast without it.
  const SymmetricPadding padding(form.shape);
  const bool is_padded = padding.is_needed() && SizeOf(form.type) > 2;
  if (is_padded) form.shape = padding.padded();
  LEAT_RETURN_IF_ERROR(library.Prepare(form));
  return is_padded ? UsePadded(context, library, form, padding, t)
                   : UsePrepared(context, library, form, t);
}

// Returns true if the tensor is aligned as libraries require. A slice of a
// larger tensor can begin at an address that is not aligned.
bool IsAligned(const Tensor& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.raw_data()) %
             ConvolutionLibrary::kAlignment ==
         0;
}

leat::cuda::ConvolutionOperands OperandsOf(const ConvolutionShape& s,
                                           const Tensors& t) {
  return {.channels_first = s.channels_first,
          .batch = s.batch,
          .in_channels = s.in_channels,
          .out_channels = s.out_channels,
          .groups = s.groups,
          .rows = {.in = s.in_height,
                   .out = s.out_height,
                   .taps = s.filter_height,
                   .stride = s.stride_height,
                   .dilation = s.dilation_height,
                   .before = s.pad_top},
          .columns = {.in = s.in_width,
                      .out = s.out_width,
                      .taps = s.filter_width,
                      .stride = s.stride_width,
                      .dilation = s.dilation_width,
                      .before = s.pad_left},
          .input = t.input->raw_data(),
          .filter = t.filter->raw_data(),
          .output = t.output->raw_data()};
}

leat::cuda::ConvolutionResult ToDevice(ConvolutionTensor result) {
  switch (result) {
    case ConvolutionTensor::kInput:
      return leat::cuda::ConvolutionResult::kInput;
    case ConvolutionTensor::kFilter:
      return leat::cuda::ConvolutionResult::kFilter;
    case ConvolutionTensor::kOutput:
      break;
  }
  return leat::cuda::ConvolutionResult::kOutput;
}

absl::Status Convolve(KernelContext& context, ConvolutionTensor result,
                      const ConvolutionShape& shape, const Tensors& t) {
  GpuStream& stream = *StreamOf(context);
  if (t.result->num_elements() == 0) return absl::OkStatus();
  if (t.input->num_elements() == 0 || t.output->num_elements() == 0) {
    return stream.Fill(t.result->mutable_raw_data(), 0,
                       static_cast<size_t>(t.result->num_bytes()));
  }
  ConvolutionLibrary* const library = stream.libraries().convolution();
  if (library != nullptr && IsAligned(*t.input) && IsAligned(*t.output)) {
    const absl::Status status = UseLibrary(
        context, *library,
        {.type = t.result->dtype(), .result = result, .shape = shape}, t);
    if (!absl::IsUnimplemented(status)) return status;
  }
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchConvolution(handle, TypeOf(*t.result),
                                         ToDevice(result), OperandsOf(shape, t),
                                         t.result->mutable_raw_data());
  });
}

class Forward final : public Kernel {
 public:
  explicit Forward(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& filter = context.input(1);
    LEAT_ASSIGN_OR_RETURN(
        const ConvolutionPlan plan,
        PlanConvolution(attrs_, input.shape(), filter.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.result));
    return Convolve(context, ConvolutionTensor::kOutput, plan.shape,
                    {&input, &filter, output, output});
  }

 private:
  const WindowAttrs attrs_;
};

// Computes the gradient of the input or of the filter.
template <ConvolutionTensor result>
class Gradient final : public Kernel {
 public:
  explicit Gradient(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    constexpr bool kIsInput = result == ConvolutionTensor::kInput;
    LEAT_ASSIGN_OR_RETURN(const ConvolutionPlan plan,
                          kIsInput ? PlanBackwardInput(attrs_, context)
                                   : PlanBackwardFilter(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.result));
    Tensors tensors = {&context.input(0), &context.input(1), &context.input(2),
                       output};
    (kIsInput ? tensors.input : tensors.filter) = output;
    return Convolve(context, result, plan.shape, tensors);
  }

 private:
  const WindowAttrs attrs_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeConvolution(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const WindowAttrs attrs, ConvolutionAttrs(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(attrs));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Conv2D", kGpu, &MakeConvolution<Forward>);
  registry.Add("Conv2DBackpropInput", kGpu,
               &MakeConvolution<Gradient<ConvolutionTensor::kInput>>);
  registry.Add("Conv2DBackpropFilter", kGpu,
               &MakeConvolution<Gradient<ConvolutionTensor::kFilter>>);
}

}  // namespace leat::kernels::cuda::conv2d
