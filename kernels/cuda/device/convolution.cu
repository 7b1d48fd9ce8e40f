// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/convolution.h"

#include "leat/kernels/cuda/device/images.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

// InputOf returns the pixel of the input that a tap of the filter reads for a
// pixel of the output. OutputOf returns the pixel of the output for which a tap
// reads a pixel of the input. Both return a negative number if there is none.
LEAT_DEVICE int64_t InputOf(const ConvolutionAxis& axis, int64_t output,
                            int64_t tap) {
  const int64_t input =
      output * axis.stride + tap * axis.dilation - axis.before;
  return input < axis.in ? input : -1;  // `input` may be negative
}
LEAT_DEVICE int64_t OutputOf(const ConvolutionAxis& axis, int64_t input,
                             int64_t tap) {
  const int64_t distance = input + axis.before - tap * axis.dilation;
  if (distance < 0 || distance % axis.stride != 0) return -1;
  const int64_t output = distance / axis.stride;
  return output < axis.out ? output : -1;
}

// Holds the members that the three directions share.
template <class T>
struct Convolution {
  using W = kernels::Wide<T>;
  ConvolutionOperands operands;
  Images input;
  Images output;
  T* result;

  // These functions return the number of channels of one group, in the input
  // and in the output.
  LEAT_DEVICE int64_t group_in() const {
    return operands.in_channels / operands.groups;
  }
  LEAT_DEVICE int64_t group_out() const {
    return operands.out_channels / operands.groups;
  }

  LEAT_DEVICE W InputAt(const Place& place) const {
    return static_cast<W>(
        static_cast<const T*>(operands.input)[input.IndexOf(place)]);
  }
  LEAT_DEVICE W OutputAt(const Place& place) const {
    return static_cast<W>(
        static_cast<const T*>(operands.output)[output.IndexOf(place)]);
  }
  // Returns an element of the filter. `in` counts the channels of the input
  // within a group, and `out` counts all channels of the output.
  LEAT_DEVICE W FilterAt(int64_t row, int64_t column, int64_t in,
                         int64_t out) const {
    const int64_t tap = row * operands.columns.taps + column;
    return static_cast<W>(static_cast<const T*>(
        operands
            .filter)[(tap * group_in() + in) * operands.out_channels + out]);
  }

  // Calls body(y, x, place) for each tap (y, x) of the filter that connects the
  // pixel `from` with a pixel of the other tensor. `place` is this other pixel.
  // find(axis, pixel, tap) is InputOf or OutputOf.
  template <class Find, class Body>
  LEAT_DEVICE void ForTaps(const Place& from, Find find, Body body) const {
    for (int64_t y = 0; y < operands.rows.taps; ++y) {
      const int64_t row = find(operands.rows, from.row, y);
      if (row < 0) continue;
      for (int64_t x = 0; x < operands.columns.taps; ++x) {
        const int64_t column = find(operands.columns, from.column, x);
        if (column < 0) continue;
        body(y, x, Place{from.image, row, column, 0});
      }
    }
  }
};

struct FindInput {
  LEAT_DEVICE int64_t operator()(const ConvolutionAxis& axis, int64_t output,
                                 int64_t tap) const {
    return InputOf(axis, output, tap);
  }
};
struct FindOutput {
  LEAT_DEVICE int64_t operator()(const ConvolutionAxis& axis, int64_t input,
                                 int64_t tap) const {
    return OutputOf(axis, input, tap);
  }
};

template <class T>
struct Forward : Convolution<T> {
  using W = kernels::Wide<T>;

  LEAT_DEVICE void operator()(int64_t i) const {
    const Place to = this->output.PlaceOf(i);
    const int64_t first = to.channel / this->group_out() * this->group_in();
    W sum = W(0);
    this->ForTaps(to, FindInput(), [&](int64_t y, int64_t x, Place from) {
      for (int64_t c = 0; c < this->group_in(); ++c) {
        from.channel = first + c;
        sum += this->InputAt(from) * this->FilterAt(y, x, c, to.channel);
      }
    });
    this->result[i] = static_cast<T>(sum);
  }
};

template <class T>
struct BackwardInput : Convolution<T> {
  using W = kernels::Wide<T>;

  LEAT_DEVICE void operator()(int64_t i) const {
    const Place to = this->input.PlaceOf(i);
    const int64_t group = to.channel / this->group_in();
    const int64_t in = to.channel - group * this->group_in();
    W sum = W(0);
    this->ForTaps(to, FindOutput(), [&](int64_t y, int64_t x, Place from) {
      for (int64_t c = 0; c < this->group_out(); ++c) {
        from.channel = group * this->group_out() + c;
        sum += this->OutputAt(from) * this->FilterAt(y, x, in, from.channel);
      }
    });
    this->result[i] = static_cast<T>(sum);
  }
};

// A block computes one element of the filter's gradient.
template <class T>
struct BackwardFilter : Convolution<T> {
  using W = kernels::Wide<T>;
  static constexpr int kThreads = 64;
  struct Shared {
    W sums[kThreads];
  };
  struct Plus {
    LEAT_DEVICE W operator()(W a, W b) const { return a + b; }
  };

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t index) const {
    const ConvolutionOperands& o = this->operands;
    const int64_t out = index % o.out_channels;
    const int64_t in = index / o.out_channels % this->group_in() +
                       out / this->group_out() * this->group_in();
    const int64_t tap = index / o.out_channels / this->group_in();
    const int64_t y = tap / o.columns.taps, x = tap % o.columns.taps;
    const int64_t pixels = o.batch * o.rows.out * o.columns.out;
    PerThread<W, kThreads> sum;
    block.Phase([&](int t) {
      sum[t] = W(0);
      for (int64_t pixel = t; pixel < pixels; pixel += kThreads) {
        const int64_t line = pixel / o.columns.out;
        const Place to = {line / o.rows.out, line % o.rows.out,
                          pixel % o.columns.out, out};
        const int64_t row = InputOf(o.rows, to.row, y);
        const int64_t column = InputOf(o.columns, to.column, x);
        if (row < 0 || column < 0) continue;
        sum[t] +=
            this->OutputAt(to) * this->InputAt({to.image, row, column, in});
      }
    });
    const W total = BlockReduce(block, sum, shared.sums, Plus());
    block.Phase([&](int t) {
      if (t == 0) this->result[index] = static_cast<T>(total);
    });
  }
};

}  // namespace

bool LaunchConvolution(CUstream_st* stream, ElementType type,
                       ConvolutionResult result, const ConvolutionOperands& o,
                       void* to) {
  const Images input = MakeImages(o.channels_first, o.batch, o.rows.in,
                                  o.columns.in, o.in_channels);
  const Images output = MakeImages(o.channels_first, o.batch, o.rows.out,
                                   o.columns.out, o.out_channels);
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Convolution<T> convolution = {o, input, output, static_cast<T*>(to)};
    switch (result) {
      case ConvolutionResult::kOutput:
        return ForEach(stream,
                       o.batch * o.rows.out * o.columns.out * o.out_channels,
                       Forward<T>{convolution});
      case ConvolutionResult::kInput:
        return ForEach(stream,
                       o.batch * o.rows.in * o.columns.in * o.in_channels,
                       BackwardInput<T>{convolution});
      case ConvolutionResult::kFilter:
        return ForEachBlock(stream,
                            o.rows.taps * o.columns.taps *
                                (o.in_channels / o.groups) * o.out_channels,
                            BackwardFilter<T>{convolution});
    }
  });
}

}  // namespace leat::cuda
