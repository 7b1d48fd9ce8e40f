// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/pooling.h"

#include <limits>
#include <type_traits>

#include "leat/kernels/cuda/device/images.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

using kernels::functors::Range;

// Each functor of this file computes kSize adjacent channels of a pixel in one
// call, and reads and writes them at once. To it, these channels are one: the
// channels of its Pooling and its Images, and all offsets, count packs of kSize
// elements.

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
  const auto height = static_cast<uint32_t>(rows.size());
  const auto width = static_cast<uint32_t>(columns.size());
  const int64_t size = p.rows.extent * p.columns.extent;
  int64_t line = rows.begin * p.columns.extent + columns.begin;
  for (uint32_t y = 0; y < height; ++y, line += p.columns.extent) {
    int64_t offset = (window.image * size + line) * p.channels + window.channel;
    for (uint32_t x = 0; x < width; ++x, offset += p.channels) {
      body(line + x, offset);
    }
  }
}

// Calls body(row, column, offset) for the windows in which an element lies, in
// row-major order. `offset` is the offset of the window's output.
template <class Body>
LEAT_DEVICE void ForWindows(const Pooling& p, const Place& element, Body body) {
  const Range rows = p.rows.WindowsOf(element.row);
  const Range columns = p.columns.WindowsOf(element.column);
  const auto height = static_cast<uint32_t>(rows.size());
  const auto width = static_cast<uint32_t>(columns.size());
  int64_t line =
      (element.image * p.rows.positions + rows.begin) * p.columns.positions +
      columns.begin;
  for (uint32_t y = 0; y < height; ++y, line += p.columns.positions) {
    int64_t offset = line * p.channels + element.channel;
    for (uint32_t x = 0; x < width; ++x, offset += p.channels) {
      body(rows.begin + y, columns.begin + x, offset);
    }
  }
}

// Converts elements to the type in which arithmetic on them is done.
template <class T, int kSize>
LEAT_DEVICE Pack<kernels::Wide<T>, kSize> Widen(const Pack<T, kSize>& pack) {
  Pack<kernels::Wide<T>, kSize> wide;
  for (int k = 0; k < kSize; ++k) {
    wide.elements[k] = static_cast<kernels::Wide<T>>(pack.elements[k]);
  }
  return wide;
}

// Converts the results of arithmetic to elements.
template <class T, int kSize>
LEAT_DEVICE Pack<T, kSize> Narrow(const Pack<kernels::Wide<T>, kSize>& wide) {
  Pack<T, kSize> pack;
  for (int k = 0; k < kSize; ++k) {
    pack.elements[k] = static_cast<T>(wide.elements[k]);
  }
  return pack;
}

template <class T, int kSize>
struct MaxPool {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images outputs;
  const T* from;
  T* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    // 16-bit floats have no std::numeric_limits here.
    auto best = Repeat<kSize>(Lowest());
    ForPixels(pooling, outputs.PlaceOf(i), [&](int64_t, int64_t offset) {
      const auto x = Widen(Load<kSize>(from + offset * kSize));
      for (int k = 0; k < kSize; ++k) {
        W& most = best.elements[k];
        most = x.elements[k] > most ? x.elements[k] : most;
      }
    });
    Store(Narrow<T>(best), to + i * kSize);
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
template <class T, int kSize>
struct FindMaxima {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images outputs;
  const T* from;
  int32_t* places;

  LEAT_DEVICE void operator()(int64_t i) const {
    auto found = Repeat<kSize>(int32_t{-1});
    auto best = Repeat<kSize>(W(0));
    ForPixels(pooling, outputs.PlaceOf(i), [&](int64_t pixel, int64_t offset) {
      const auto x = Widen(Load<kSize>(from + offset * kSize));
      for (int k = 0; k < kSize; ++k) {
        int32_t& place = found.elements[k];
        if (place >= 0 && !(x.elements[k] > best.elements[k])) continue;
        best.elements[k] = x.elements[k];
        place = static_cast<int32_t>(pixel);
      }
    });
    Store(found, places + i * kSize);
  }
};

// Adds up the gradients of all windows whose maximum is this element.
template <class T, int kSize>
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
    const auto pixel =
        static_cast<int32_t>(place.row * pooling.columns.extent + place.column);
    const Pack<W, kSize> factors = Factors(i);
    auto sum = Repeat<kSize>(W(0));
    ForWindows(pooling, place, [&](int64_t, int64_t, int64_t offset) {
      const auto maxima = Load<kSize>(places + offset * kSize);
      const auto gradient = Widen(Load<kSize>(gradients + offset * kSize));
      for (int k = 0; k < kSize; ++k) {
        if (maxima.elements[k] == pixel) {
          sum.elements[k] += gradient.elements[k] * factors.elements[k];
        }
      }
    });
    Store(Narrow<T>(sum), to + i * kSize);
  }

  // Returns the factors of the gradients. A gradient that the Relu stops is
  // multiplied by 0, as in ReluGrad, so that a NaN or an infinity becomes NaN.
  LEAT_DEVICE Pack<W, kSize> Factors(int64_t i) const {
    if (!relu) return Repeat<kSize>(W(1));
    auto factors = Widen(Load<kSize>(from + i * kSize));
    for (W& factor : factors.elements) factor = factor > W(0) ? W(1) : W(0);
    return factors;
  }
};

template <class T, int kSize>
struct AvgPool {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images outputs;
  const T* from;
  T* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    auto sum = Repeat<kSize>(W(0));
    int64_t count = 0;
    ForPixels(pooling, outputs.PlaceOf(i), [&](int64_t, int64_t offset) {
      const auto x = Widen(Load<kSize>(from + offset * kSize));
      for (int k = 0; k < kSize; ++k) sum.elements[k] += x.elements[k];
      ++count;
    });
    for (W& value : sum.elements) value /= static_cast<W>(count);
    Store(Narrow<T>(sum), to + i * kSize);
  }
};

template <class T, int kSize>
struct AvgPoolGrad {
  using W = kernels::Wide<T>;
  Pooling pooling;
  Images inputs;
  const T* gradients;
  T* to;

  LEAT_DEVICE void operator()(int64_t i) const {
    auto sum = Repeat<kSize>(W(0));
    ForWindows(
        pooling, inputs.PlaceOf(i), [&](int64_t y, int64_t x, int64_t offset) {
          const int64_t count = pooling.rows.PixelsOf(y).size() *
                                pooling.columns.PixelsOf(x).size();
          const W share = W(1) / static_cast<W>(count);
          const auto gradient = Widen(Load<kSize>(gradients + offset * kSize));
          for (int k = 0; k < kSize; ++k) {
            sum.elements[k] += gradient.elements[k] * share;
          }
        });
    Store(Narrow<T>(sum), to + i * kSize);
  }
};

// Calls launch(size, packs). `size` is a std::integral_constant: kPack<T> if
// so many channels may be moved at once in all of the arrays, and otherwise 1.
// `packs` is the pooling whose channels count packs of this size.
template <class T, class Launch, class... E>
void InPacks(const Pooling& p, Launch launch, const E*... arrays) {
  constexpr int kSize = kPack<T>;
  if (p.channels % kSize == 0 && (IsAligned<kSize>(arrays) && ...)) {
    Pooling packs = p;
    packs.channels /= kSize;
    launch(std::integral_constant<int, kSize>(), packs);
  } else {
    launch(std::integral_constant<int, 1>(), p);
  }
}

// Launches a functor for the outputs of a pooling.
template <template <class, int> class Pool>
bool LaunchPool(CUstream_st* stream, ElementType type, const Pooling& p,
                const void* from, void* to) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* const x = static_cast<const T*>(from);
    auto* const y = static_cast<T*>(to);
    const auto launch = [&](auto size, const Pooling& packs) {
      ForEach(stream, packs.num_outputs(),
              Pool<T, size>{packs, OutputsOf(packs), x, y});
    };
    InPacks<T>(p, launch, x, y);
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
    const auto* const x = static_cast<const T*>(from);
    const auto* const dy = static_cast<const T*>(gradients);
    auto* const dx = static_cast<T*>(to);
    const auto launch = [&](auto size, const Pooling& packs) {
      if (packs.num_inputs() == 0) return;
      ForEach(stream, packs.num_outputs(),
              FindMaxima<T, size>{packs, OutputsOf(packs), x, places});
      ForEach(stream, packs.num_inputs(),
              MaxPoolGrad<T, size>{packs, InputsOf(packs), relu, x, dy, places,
                                   dx});
    };
    InPacks<T>(p, launch, x, dy, places, dx);
  });
}

bool LaunchAvgPoolGrad(CUstream_st* stream, ElementType type, const Pooling& p,
                       const void* gradients, void* to) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* const dy = static_cast<const T*>(gradients);
    auto* const dx = static_cast<T*>(to);
    const auto launch = [&](auto size, const Pooling& packs) {
      ForEach(stream, packs.num_inputs(),
              AvgPoolGrad<T, size>{packs, InputsOf(packs), dy, dx});
    };
    InPacks<T>(p, launch, dy, dx);
  });
}

}  // namespace leat::cuda
