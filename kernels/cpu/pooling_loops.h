// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These loops run over the windows of images and volumes that a pooling reads.
// Their inner loop always runs over adjacent channels.
//
//   ForOutputs(queue, plan, [&](int64_t image, const Taps& taps, int64_t out) {
//     ForTaps(plan, taps, [&](int64_t pixel) { ... });
//   });
#ifndef LEAT_KERNELS_CPU_POOLING_LOOPS_H_
#define LEAT_KERNELS_CPU_POOLING_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel.h"
#include "leat/kernels/shapes/pooling_plan.h"
#include "leat/kernels/through_float.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cpu {

// A WindowPlan is a PoolingPlan with functions that the loops below use. It is
// a value.
struct WindowPlan : PoolingPlan {
  explicit WindowPlan(PoolingPlan plan) : PoolingPlan(std::move(plan)) {}

  int64_t in_size() const {
    return planes.extent * rows.extent * columns.extent * channels;
  }
  int64_t out_size() const {
    return planes.positions * rows.positions * columns.positions * channels;
  }
  // Returns the offset of an input pixel in its image.
  int64_t Pixel(int64_t z, int64_t y, int64_t x) const {
    return ((z * rows.extent + y) * columns.extent + x) * channels;
  }
  // Returns true if some pixels may lie in several windows.
  bool WindowsOverlap() const {
    return planes.stride < planes.size || rows.stride < rows.size ||
           columns.stride < columns.size;
  }
  // Returns true if every pixel of an image lies in some window.
  bool WindowsCoverImage() const {
    auto cover = [](const functors::WindowAxis& axis) {
      return axis.stride <= axis.size &&
             (axis.positions - 1) * axis.stride - axis.before + axis.size >=
                 axis.extent;
    };
    return cover(planes) && cover(rows) && cover(columns);
  }
  // Returns about how many nanoseconds one output element takes.
  int64_t cost() const {
    const int64_t taps = std::min(planes.size, planes.extent) *
                         std::min(rows.size, rows.extent) *
                         std::min(columns.size, columns.extent);
    return taps / (channels >= 8 ? 4 : 1) + 1;
  }
};

// Describes the part of a window that lies inside of the image. Is a value.
struct Taps {
  Taps(const WindowPlan& p, int64_t plane, int64_t row, int64_t column)
      : planes(p.planes.PixelsOf(plane)),
        rows(p.rows.PixelsOf(row)),
        columns(p.columns.PixelsOf(column)) {}
  int64_t count() const { return planes.size() * rows.size() * columns.size(); }
  // Returns the offset of the first pixel.
  int64_t First(const WindowPlan& p) const {
    return p.Pixel(planes.begin, rows.begin, columns.begin);
  }
  functors::Range planes, rows, columns;
};

// Calls `body(pixel)` with the offset of each pixel of a window, in row-major
// order.
template <class Body>
void ForTaps(const WindowPlan& p, const Taps& taps, Body body) {
  for (int64_t z = taps.planes.begin; z < taps.planes.end; ++z) {
    for (int64_t y = taps.rows.begin; y < taps.rows.end; ++y) {
      for (int64_t x = taps.columns.begin; x < taps.columns.end; ++x) {
        body(p.Pixel(z, y, x));
      }
    }
  }
}

// Calls `body(image, taps, output offset)` for every output pixel, in parallel.
template <class Body>
void ForOutputs(WorkQueue& queue, const WindowPlan& p, Body body) {
  const int64_t image_rows = p.planes.positions * p.rows.positions;
  ParallelFor(queue, p.images * image_rows,
              p.columns.positions * p.channels * p.cost(),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t row = i % image_rows;
                  for (int64_t x = 0; x < p.columns.positions; ++x) {
                    const Taps taps(p, row / p.rows.positions,
                                    row % p.rows.positions, x);
                    body(i / image_rows, taps,
                         (i * p.columns.positions + x) * p.channels);
                  }
                }
              });
}

// Calls `body(taps, output offset)` for every output pixel of one image.
template <class Body>
void ForWindows(const WindowPlan& p, Body body) {
  int64_t offset = 0;
  for (int64_t plane = 0; plane < p.planes.positions; ++plane) {
    for (int64_t row = 0; row < p.rows.positions; ++row) {
      for (int64_t column = 0; column < p.columns.positions; ++column) {
        body(Taps(p, plane, row, column), offset);
        offset += p.channels;
      }
    }
  }
}

// Calls `body(image)` for every image, in parallel. Only one thread writes to
// an image's gradient.
template <class Body>
void ForImages(WorkQueue& queue, const WindowPlan& p, Body body) {
  ParallelFor(queue, p.images, p.out_size() * p.cost() + p.in_size() / 8,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) body(i);
              });
}

// Volumes are pooled as float only.
inline constexpr DTypeList<float> kVolumeTypes;
// These are the types whose maxima are found without conversion.
inline constexpr auto kMaxPoolTypes = kFloat32And64 + kInts;

// Makes a kernel K<T>, whose constructor takes a WindowAttrs, for the type in
// the attr T of `node`, which is one of `types`. 16-bit floats are converted to
// float.
template <template <class> class K, const auto& types = kFloat32And64>
absl::StatusOr<std::unique_ptr<Kernel>> MakePooling(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  if (IsHalfOrBfloat16(dtype)) {
    return ThroughFloat(node, &MakePooling<K, types>);
  }
  LEAT_ASSIGN_OR_RETURN(WindowAttrs attrs, WindowAttrs::Create(node));
  return MakeForType(node, "T", types, [&](auto type) {
    return std::make_unique<K<typename decltype(type)::type>>(attrs);
  });
}

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_POOLING_LOOPS_H_
