// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/pooling.h"

#include <limits>
#include <type_traits>

#include "leat/kernels/cuda/device/images.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

using kernels::functors::Range;

Images InputsOf(const Pooling& p) {
  return MakeImages(/*channels_first=*/false, p.images, p.rows.extent,
                    p.columns.extent, p.channels);
}
Images OutputsOf(const Pooling& p) {
  return MakeImages(/*channels_first=*/false, p.images, p.rows.positions,
                    p.columns.positions, p.channels);
}

// Calls body(pixel, offset) for the pixels of a window in row-major order.
// `pixel` is the number of the pixel in its image. `offset` is the offset of
// the pixel's element in the window's channel.
template <class Body>
LEAT_DEVICE void ForPixels(const Pooling& p, const Place& window, Body body) {
  const Range rows = p.rows.PixelsOf(window.row);
  const Range columns = p.columns.PixelsOf(window.column);
  const int64_t size = p.rows.extent * p.columns.extent;
  for (int64_t y = rows.begin; y < rows.end; ++y) {
    for (int64_t x = columns.begin; x < columns.end; ++x) {
      const int64_t pixel = y * p.columns.extent + x;
      body(pixel, (window.image * size + pixel) * p.channels + window.channel);
    }
  }
}

// Calls body(row, column, offset) for the windows in which an element lies, in
// row-major order. `offset` is the offset of the window's output.
template <class Body>
LEAT_DEVICE void ForWindows(const Pooling& p, const Place& element, Body body) {
  const Range rows = p.rows.WindowsOf(element.row);
  const Range columns = p.columns.WindowsOf(element.column);
  for (int64_t y = rows.begin; y < rows.end; ++y) {
    const int64_t line = element.image * p.rows.positions + y;
    for (int64_t x = columns.begin; x < columns.end; ++x) {
      body(y, x,
           (line * p.columns.positions + x) * p.channels + element.channel);
    }
  }
}

template <class T>
struct MaxPool {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images outputs;
  const T* from;
  T* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    // 16-bit floats have no std::numeric_limits here.
    W best = static_cast<W>(Lowest());
    ForPixels(pooling, outputs.PlaceOf(i), [&](int64_t, int64_t offset) {
      const W x = static_cast<W>(from[offset]);
      best = x > best ? x : best;
    });
    to[i] = static_cast<T>(best);
  }

  // Returns the lowest finite number.
  LEAT_DEVICE static W Lowest() {
    if constexpr (std::is_same_v<T, Half>) {
      return W(-65504);
    } else if constexpr (std::is_same_v<T, Bfloat16>) {
      return W(-3.38953139e38);
    } else {
      return std::numeric_limits<T>::lowest();
    }
  }
};

// Finds the pixel of the first maximum of each window. The first pixel counts
// as the maximum, even if it is NaN, until a greater value is found. A window
// that lies wholly in the padding gets the pixel -1.
template <class T>
struct FindMaxima {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images outputs;
  const T* from;
  int32_t* places;

  LEAT_DEVICE void operator()(int64_t i) const {
    int64_t place = -1;
    W best = W(0);
    ForPixels(pooling, outputs.PlaceOf(i), [&](int64_t pixel, int64_t offset) {
      const W x = static_cast<W>(from[offset]);
      if (place >= 0 && !(x > best)) return;
      best = x;
      place = pixel;
    });
    places[i] = static_cast<int32_t>(place);
  }
};

// Adds up the gradients of all windows whose maximum is this element.
template <class T>
struct MaxPoolGrad {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images inputs;
  bool relu;
  const T* from;
  const T* gradients;
  const int32_t* places;
  T* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    const Place place = inputs.PlaceOf(i);
    const int64_t pixel = place.row * pooling.columns.extent + place.column;
    // A gradient that the Relu stops is multiplied by 0, as in ReluGrad, so
    // that a NaN or an infinity becomes NaN.
    const W factor = !relu || static_cast<W>(from[i]) > W(0) ? W(1) : W(0);
    W sum = W(0);
    ForWindows(pooling, place, [&](int64_t, int64_t, int64_t offset) {
      if (places[offset] == pixel) {
        sum += static_cast<W>(gradients[offset]) * factor;
      }
    });
    to[i] = static_cast<T>(sum);
  }
};

template <class T>
struct AvgPool {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images outputs;
  const T* from;
  T* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    W sum = W(0);
    int64_t count = 0;
    ForPixels(pooling, outputs.PlaceOf(i), [&](int64_t, int64_t offset) {
      sum += static_cast<W>(from[offset]);
      ++count;
    });
    to[i] = static_cast<T>(sum / static_cast<W>(count));
  }
};

template <class T>
struct AvgPoolGrad {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images inputs;
  const T* gradients;
  T* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    W sum = W(0);
    ForWindows(
        pooling, inputs.PlaceOf(i), [&](int64_t y, int64_t x, int64_t at) {
          const int64_t count = pooling.rows.PixelsOf(y).size() *
                                pooling.columns.PixelsOf(x).size();
          sum += static_cast<W>(gradients[at]) * (W(1) / static_cast<W>(count));
        });
    to[i] = static_cast<T>(sum);
  }
};

// Launches a functor for the outputs of a pooling.
template <template <class> class Pool>
bool LaunchPool(CUstream_st* stream, ElementType type, const Pooling& p,
                const void* from, void* to) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (p.num_outputs() == 0) return;
    ForEach(stream, p.num_outputs(),
            Pool<T>{p, OutputsOf(p), static_cast<const T*>(from),
                    static_cast<T*>(to)});
  });
}

}  // namespace

bool LaunchMaxPool(CUstream_st* stream, ElementType type, const Pooling& p,
                   const void* from, void* to) {
  return LaunchPool<MaxPool>(stream, type, p, from, to);
}

bool LaunchAvgPool(CUstream_st* stream, ElementType type, const Pooling& p,
                   const void* from, void* to) {
  return LaunchPool<AvgPool>(stream, type, p, from, to);
}

bool LaunchMaxPoolGrad(CUstream_st* stream, ElementType type, const Pooling& p,
                       bool relu, const void* from, const void* gradients,
                       int32_t* places, void* to) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (p.num_inputs() == 0) return;
    const T* const x = static_cast<const T*>(from);
    if (p.num_outputs() > 0) {
      ForEach(stream, p.num_outputs(),
              FindMaxima<T>{p, OutputsOf(p), x, places});
    }
    ForEach(stream, p.num_inputs(),
            MaxPoolGrad<T>{p, InputsOf(p), relu, x,
                           static_cast<const T*>(gradients), places,
                           static_cast<T*>(to)});
  });
}

bool LaunchAvgPoolGrad(CUstream_st* stream, ElementType type, const Pooling& p,
                       const void* gradients, void* to) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (p.num_inputs() == 0) return;
    ForEach(stream, p.num_inputs(),
            AvgPoolGrad<T>{p, InputsOf(p), static_cast<const T*>(gradients),
                           static_cast<T*>(to)});
  });
}

}  // namespace leat::cuda
