// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Conv2D, Conv3D, _FusedConv2D, DepthwiseConv2dNative
// and the gradients of Conv2D, Conv3D and DepthwiseConv2dNative. oneDNN
// computes floats; plain loops compute doubles and int32.
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/dense/dense.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/convolution_plan.h"
#include "leat/kernels/through_float.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cpu::convolution {
namespace {

constexpr auto kTypes = kFloat32And64 + DTypeList<int32_t>();

// The strides of an activation, in elements: from one image, channel, plane,
// row and column to the next.
struct Layout {
  Layout(bool channels_first, int64_t channels, int64_t depth, int64_t height,
         int64_t width)
      : image(channels * depth * height * width),
        channel(channels_first ? depth * height * width : 1),
        plane(height * width * (channels_first ? 1 : channels)),
        row(channels_first ? width : width * channels),
        column(channels_first ? 1 : channels) {}
  int64_t image, channel, plane, row, column;
};

Layout InputLayout(const ConvolutionShape& s) {
  return Layout(s.channels_first, s.in_channels, s.in_depth, s.in_height,
                s.in_width);
}
Layout OutputLayout(const ConvolutionShape& s) {
  return Layout(s.channels_first, s.out_channels, s.out_depth, s.out_height,
                s.out_width);
}

// Calls `body(input offset, output offset)` for every pair of pixels that tap
// number `tap` of the filter connects in image n. An offset is the position of
// the pixel's first channel.
template <class Body>
void ForTap(const ConvolutionShape& s, int64_t n, int64_t tap, Body body) {
  const Layout in = InputLayout(s), out = OutputLayout(s);
  const int64_t x = tap % s.filter_width * s.dilation_width - s.pad_left;
  const int64_t y =
      tap / s.filter_width % s.filter_height * s.dilation_height - s.pad_top;
  const int64_t z =
      tap / (s.filter_width * s.filter_height) * s.dilation_depth - s.pad_front;
  for (int64_t oz = 0; oz < s.out_depth; ++oz) {
    const int64_t iz = oz * s.stride_depth + z;
    if (iz < 0 || iz >= s.in_depth) continue;
    for (int64_t oy = 0; oy < s.out_height; ++oy) {
      const int64_t iy = oy * s.stride_height + y;
      if (iy < 0 || iy >= s.in_height) continue;
      for (int64_t ox = 0; ox < s.out_width; ++ox) {
        const int64_t ix = ox * s.stride_width + x;
        if (ix < 0 || ix >= s.in_width) continue;
        body(n * in.image + iz * in.plane + iy * in.row + ix * in.column,
             n * out.image + oz * out.plane + oy * out.row + ox * out.column);
      }
    }
  }
}

// Calls `body(input channel, output channel, filter offset in the tap)` for all
// pairs of channels that the filter connects.
template <class Body>
void ForChannels(const ConvolutionShape& s, Body body) {
  const int64_t in = s.in_channels / s.groups, out = s.out_channels / s.groups;
  for (int64_t g = 0; g < s.groups; ++g) {
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t o = 0; o < out; ++o) {
        body(g * in + i, g * out + o, i * s.out_channels + g * out + o);
      }
    }
  }
}

enum class Direction { kForward, kBackwardInput, kBackwardFilter };

// Does the work of one filter tap in one image, for types that oneDNN lacks.
// `direction` says which of the three tensors is the result. The result starts
// as zeros.
template <class T, Direction direction>
void PlainTap(const ConvolutionShape& s, int64_t n, int64_t tap, T* input,
              T* filter, T* output) {
  const Layout in = InputLayout(s), out = OutputLayout(s);
  T* weights = filter + tap * (s.in_channels / s.groups) * s.out_channels;
  ForTap(s, n, tap, [&](int64_t in_at, int64_t out_at) {
    ForChannels(s, [&](int64_t i, int64_t o, int64_t f) {
      T& a = input[in_at + i * in.channel];
      T& b = weights[f];
      T& c = output[out_at + o * out.channel];
      if constexpr (direction == Direction::kForward) c += a * b;
      if constexpr (direction == Direction::kBackwardInput) a += b * c;
      if constexpr (direction == Direction::kBackwardFilter) b += a * c;
    });
  });
}

// Computes a convolution by plain loops, in parallel over parts of the result.
template <class T, Direction direction>
void PlainConvolution(WorkQueue& queue, const ConvolutionShape& s, T* input,
                      T* filter, T* output) {
  const int64_t taps = s.taps();
  const int64_t pairs =
      s.out_pixels() * (s.in_channels / s.groups) * s.out_channels;
  if constexpr (direction == Direction::kBackwardFilter) {
    ParallelFor(queue, taps, pairs * s.batch, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        for (int64_t n = 0; n < s.batch; ++n) {
          PlainTap<T, direction>(s, n, t, input, filter, output);
        }
      }
    });
  } else {
    ParallelFor(queue, s.batch, pairs * taps, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        for (int64_t t = 0; t < taps; ++t) {
          PlainTap<T, direction>(s, n, t, input, filter, output);
        }
      }
    });
  }
}

// Runs PlainConvolution on tensors. It casts const away from all three tensors,
// although PlainConvolution only reads two of them.
template <class T, Direction direction>
void RunPlain(WorkQueue& queue, const ConvolutionShape& s, const Tensor& input,
              const Tensor& filter, const Tensor& output) {
  auto pointer = [](const Tensor& tensor) {
    return reinterpret_cast<T*>(const_cast<char*>(tensor.raw_data()));
  };
  PlainConvolution<T, direction>(queue, s, pointer(input), pointer(filter),
                                 pointer(output));
}

// Computes `result`, which is `input`, `filter` or `output`, depending on
// `direction`.
template <Direction direction>
absl::Status Run(KernelContext& context, const Convolution& convolution,
                 const ConvolutionShape& s, const Tensor& input,
                 const Tensor& filter, const Tensor& output, Tensor& result) {
  const bool nothing = input.num_elements() == 0 || output.num_elements() == 0;
  const bool is_float = result.dtype() == DType::kFloat;
  if (nothing || !is_float) {
    std::fill_n(result.mutable_raw_data(), result.num_bytes(), '\0');
  }
  if (nothing) return absl::OkStatus();
  WorkQueue& queue = context.compute_queue();
  if (result.dtype() == DType::kInt32) {
    // Integers are computed as unsigned integers, which wrap around.
    RunPlain<uint32_t, direction>(queue, s, input, filter, output);
    return absl::OkStatus();
  }
  if (!is_float) {
    RunPlain<double, direction>(queue, s, input, filter, output);
    return absl::OkStatus();
  }
  Allocator& allocator = context.step().device->allocator();
  float* out = result.mutable_data<float>().data();
  if constexpr (direction == Direction::kForward) {
    return convolution.Forward(queue, allocator, s, input.data<float>().data(),
                               filter.data<float>().data(), out);
  } else if constexpr (direction == Direction::kBackwardInput) {
    return convolution.BackwardInput(queue, allocator, s,
                                     output.data<float>().data(),
                                     filter.data<float>().data(), out);
  } else {
    return convolution.BackwardFilter(queue, allocator, s,
                                      input.data<float>().data(),
                                      output.data<float>().data(), out);
  }
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
    return Run<Direction::kForward>(context, convolution_, plan.shape, input,
                                    filter, *output, *output);
  }

 private:
  const WindowAttrs attrs_;
  const Convolution convolution_;
};

// Computes Conv2D, BiasAdd and an activation of floats in one kernel.
class Fused final : public Kernel {
 public:
  Fused(const WindowAttrs& attrs, const FusedOps& fused_ops)
      : attrs_(attrs), fused_ops_(fused_ops) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& filter = context.input(1);
    LEAT_ASSIGN_OR_RETURN(
        const ConvolutionPlan plan,
        PlanConvolution(attrs_, input.shape(), filter.shape()));
    LEAT_ASSIGN_OR_RETURN(
        const Epilogue epilogue,
        MakeEpilogue(context, 2, plan.result, plan.shape.out_channels,
                     attrs_.channels_first, fused_ops_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.result));
    if (output->num_elements() == 0) return absl::OkStatus();
    if (input.num_elements() == 0) {
      const ConvolutionShape& s = plan.shape;
      float* const values = output->mutable_data<float>().data();
      std::fill_n(values, output->num_elements(), 0.0f);
      epilogue.ApplyToImages(values, s.channels_first, s.batch, s.out_channels,
                             s.out_height * s.out_width);
      return absl::OkStatus();
    }
    return convolution_.Forward(
        context.compute_queue(), context.step().device->allocator(), plan.shape,
        input.data<float>().data(), filter.data<float>().data(),
        output->mutable_data<float>().data(), &epilogue);
  }

 private:
  const WindowAttrs attrs_;
  const FusedOps fused_ops_;
  const Convolution convolution_;
};

class BackwardInput final : public Kernel {
 public:
  explicit BackwardInput(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const ConvolutionPlan plan,
                          PlanBackwardInput(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * result,
                          context.AllocateOutput(0, plan.result));
    return Run<Direction::kBackwardInput>(context, convolution_, plan.shape,
                                          *result, context.input(1),
                                          context.input(2), *result);
  }

 private:
  const WindowAttrs attrs_;
  const Convolution convolution_;
};

class BackwardFilter final : public Kernel {
 public:
  explicit BackwardFilter(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const ConvolutionPlan plan,
                          PlanBackwardFilter(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * result,
                          context.AllocateOutput(0, plan.result));
    return Run<Direction::kBackwardFilter>(context, convolution_, plan.shape,
                                           context.input(0), *result,
                                           context.input(2), *result);
  }

 private:
  const WindowAttrs attrs_;
  const Convolution convolution_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeConvolution(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  if (IsHalfOrBfloat16(dtype)) return ThroughFloat(node, &MakeConvolution<K>);
  if (!kTypes.Contains(dtype)) return UnsupportedType(node, "T", dtype);
  LEAT_ASSIGN_OR_RETURN(const WindowAttrs attrs, ConvolutionAttrs(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(attrs));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeFused(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  if (dtype != DType::kFloat) return UnsupportedType(node, "T", dtype);
  LEAT_ASSIGN_OR_RETURN(std::string filter_format,
                        node.attrs.GetOr<std::string>("filter_format", "HWIO"));
  LEAT_ASSIGN_OR_RETURN(int64_t num_host_args,
                        node.attrs.GetOr<int64_t>("num_host_args", 0));
  if (filter_format != "HWIO" || num_host_args != 0) {
    return absl::UnimplementedError(
        absl::StrCat("filter_format ", filter_format, " with ", num_host_args,
                     " host_args is not supported"));
  }
  LEAT_ASSIGN_OR_RETURN(WindowAttrs attrs, WindowAttrs::Create(node));
  LEAT_ASSIGN_OR_RETURN(const FusedOps fused_ops, ReadFusedOps(node));
  // ReadFusedOps has checked that `num_args` is 1, because the bias is the only
  // argument. But nothing has checked that the attr TArgs has one type, and
  // that this type is float.
  LEAT_ASSIGN_OR_RETURN(const std::vector<DType> arguments,
                        node.attrs.Get<std::vector<DType>>("TArgs"));
  if (arguments != std::vector<DType>{DType::kFloat}) {
    return absl::InvalidArgumentError(
        absl::StrCat("node '", node.name, "' (", node.op->name,
                     "): TArgs must be one float"));
  }
  return std::unique_ptr<Kernel>(std::make_unique<Fused>(attrs, fused_ops));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Conv2D", kCpu, &MakeConvolution<Forward>);
  registry.Add("_FusedConv2D", kCpu, &MakeFused);
  registry.Add("DepthwiseConv2dNative", kCpu, &MakeConvolution<Forward>);
  registry.Add("DepthwiseConv2dNativeBackpropInput", kCpu,
               &MakeConvolution<BackwardInput>);
  registry.Add("DepthwiseConv2dNativeBackpropFilter", kCpu,
               &MakeConvolution<BackwardFilter>);
  registry.Add("Conv2DBackpropInput", kCpu, &MakeConvolution<BackwardInput>);
  registry.Add("Conv2DBackpropFilter", kCpu, &MakeConvolution<BackwardFilter>);
  registry.Add("Conv3D", kCpu, &MakeConvolution<Forward>);
  registry.Add("Conv3DBackpropInputV2", kCpu, &MakeConvolution<BackwardInput>);
  registry.Add("Conv3DBackpropFilterV2", kCpu,
               &MakeConvolution<BackwardFilter>);
}

}  // namespace leat::kernels::cpu::convolution
