// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ResizeNearestNeighbor, ResizeBilinear and their
// gradients. A NearestAxis or a LinearAxis says, for height and for width,
// which pixels of the original belong to a pixel of the resized image.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/cpu_dtype_list.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/through_float.h"

namespace leat::kernels::cpu::resize {
namespace {

// Says which place of the original a pixel of the resized image shows.
struct Alignment {
  static absl::StatusOr<Alignment> Create(const NodeDef& node) {
    Alignment a;
    LEAT_ASSIGN_OR_RETURN(a.corners,
                          node.attrs.GetOr<bool>("align_corners", false));
    LEAT_ASSIGN_OR_RETURN(a.centers,
                          node.attrs.GetOr<bool>("half_pixel_centers", false));
    // Only the gradient of ResizeNearestNeighbor accepts both attrs at once, as
    // in TensorFlow.
    if (a.corners && a.centers &&
        node.op->name != "ResizeNearestNeighborGrad") {
      return absl::InvalidArgumentError(
          "If half_pixel_centers is True, align_corners must be False.");
    }
    return a;
  }

  // Returns how many pixels of an original of extent `original` are as wide as
  // one of the `resized` pixels.
  float Scale(int64_t original, int64_t resized) const {
    return corners && resized > 1
               ? static_cast<float>(original - 1) /
                     static_cast<float>(resized - 1)
               : static_cast<float>(original) / static_cast<float>(resized);
  }

  bool corners = false;  // the pixels in the corners are the same
  bool centers = false;  // a pixel stands for its middle
};

// Tells the nearest original pixel of each pixel along a resized axis.
class NearestAxis {
 public:
  NearestAxis(const Alignment& alignment, int64_t original, int64_t resized)
      : scale_(alignment.Scale(original, resized)),
        offset_(alignment.centers ? 0.5f : 0.0f),
        round_(alignment.corners),
        last_(original - 1) {}

  int64_t operator()(int64_t i) const {
    const float at = (static_cast<float>(i) + offset_) * scale_;
    const float pixel = round_ ? std::round(at) : std::floor(at);
    return std::min(static_cast<int64_t>(pixel), last_);
  }

 private:
  const float scale_;
  const float offset_;
  const bool round_;
  const int64_t last_;
};

// The two original pixels between which a resized pixel lies, and how far it is
// on the way from the first to the second one.
struct Between {
  int64_t lower;
  int64_t upper;
  float way;
};

// Returns `product`, rounded to a float. Without this function, g++ may compute
// a product and a sum with one rounding. Near a whole number, the result then
// lies on the other side of it than TensorFlow's. clang fuses only within an
// expression.
inline float Rounded(float product) {
#if defined(__clang__)
  return product;
#else
  return __builtin_assoc_barrier(product);
#endif
}

// Tells the two nearest original pixels of each pixel along a resized axis.
class LinearAxis {
 public:
  LinearAxis(const Alignment& alignment, int64_t original, int64_t resized)
      : scale_(alignment.Scale(original, resized)),
        offset_(alignment.centers ? 0.5f : 0.0f),
        last_(original - 1) {}

  Between operator()(int64_t i) const {
    const float place = Rounded((static_cast<float>(i) + offset_) * scale_);
    const float at = place - offset_;
    const float floor = std::floor(at);
    return {std::clamp<int64_t>(static_cast<int64_t>(floor), 0, last_),
            std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, last_),
            at - floor};
  }

 private:
  const float scale_;
  const float offset_;
  const int64_t last_;
};

// Returns the first number in [0, n) for which `holds` is true, or n. REQUIRES:
// `holds` is true for all numbers after the first one.
template <class Holds>
int64_t FirstThat(int64_t n, Holds holds) {
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (holds(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

// The extents of the images of a kernel.
struct Extents {
  int64_t batch = 0, height = 0, width = 0, channels = 0;

  int64_t image() const { return height * width * channels; }
  int64_t row() const { return width * channels; }
};

// Returns the extents of images. Both heights and widths are limited to int32,
// so that a float tells where a pixel lies.
absl::StatusOr<Extents> ImageExtents(const Tensor& images,
                                     absl::string_view what) {
  if (images.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " must be 4-dimensional", images.shape().DebugString()));
  }
  for (const int64_t extent : images.shape().dims()) {
    if (extent > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " is too large: ", images.shape().DebugString()));
    }
  }
  return Extents{images.dim(0), images.dim(1), images.dim(2), images.dim(3)};
}

// Returns `images` with the height and the width that `size` holds. `error` is
// the message if one of them is not positive.
absl::StatusOr<Extents> WithSize(Extents images, const Tensor& size,
                                 absl::string_view error) {
  if (!size.shape().IsVector()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "shape_t must be 1-dimensional", size.shape().DebugString()));
  }
  if (size.dim(0) != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "shape_t must have two elements", size.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims sizes, GetIndices(size, "size"));
  if (sizes[0] <= 0 || sizes[1] <= 0) return absl::InvalidArgumentError(error);
  images.height = sizes[0];
  images.width = sizes[1];
  return images;
}

absl::StatusOr<Tensor*> AllocateImages(KernelContext& context,
                                       const Extents& e) {
  LEAT_ASSIGN_OR_RETURN(
      const Shape shape,
      Shape::Create({e.batch, e.height, e.width, e.channels}));
  return context.AllocateOutput(0, shape);
}

// Checks the inputs images and size, and returns the extents of the images and
// of the output.
struct Resizing {
  static absl::StatusOr<Resizing> Create(const KernelContext& context) {
    Resizing r;
    LEAT_ASSIGN_OR_RETURN(r.from, ImageExtents(context.input(0), "input"));
    LEAT_ASSIGN_OR_RETURN(r.to, WithSize(r.from, context.input(1),
                                         "output dimensions must be positive"));
    if (r.from.channels == 0) {
      return absl::InvalidArgumentError("image must have at least one channel");
    }
    if (r.from.height == 0 || r.from.width == 0) {
      return absl::InvalidArgumentError("input image must be of non-zero size");
    }
    return r;
  }

  Extents from = {};
  Extents to = {};
};

// Calls `body(image, row)` for all rows of images, in parallel. A row takes
// about `cost` nanoseconds.
template <class Body>
void ForRows(WorkQueue& queue, const Extents& e, int64_t cost, Body body) {
  ParallelFor(queue, e.batch * e.height, cost + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  body(i / e.height, i % e.height);
                }
              });
}

class ResizeNearest final : public Kernel {
 public:
  explicit ResizeNearest(const Alignment& alignment) : alignment_(alignment) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Resizing r, Resizing::Create(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, AllocateImages(context, r.to));
    if (output->num_elements() == 0) return absl::OkStatus();
    const NearestAxis rows(alignment_, r.from.height, r.to.height);
    const NearestAxis columns(alignment_, r.from.width, r.to.width);
    const int64_t size = output->num_bytes() / output->num_elements();
    const int64_t pixel = r.to.channels * size;
    const char* from = context.input(0).raw_data();
    char* to = output->mutable_raw_data();
    ForRows(
        context.compute_queue(), r.to, r.to.width * (4 + pixel / 16),
        [&](int64_t image, int64_t row) {
          const char* source =
              from + (image * r.from.height + rows(row)) * r.from.row() * size;
          char* target = to + (image * r.to.height + row) * r.to.row() * size;
          for (int64_t x = 0; x < r.to.width; ++x) {
            std::memcpy(target + x * pixel, source + columns(x) * pixel, pixel);
          }
        });
    return absl::OkStatus();
  }

 private:
  const Alignment alignment_;
};

template <class T>
class ResizeNearestGrad final : public Kernel {
 public:
  explicit ResizeNearestGrad(const Alignment& alignment)
      : alignment_(alignment) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Extents from,
                          ImageExtents(context.input(0), "input"));
    LEAT_ASSIGN_OR_RETURN(const Extents to,
                          WithSize(from, context.input(1),
                                   "shape_t's elements must be positive"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, AllocateImages(context, to));
    if (context.input(0).num_elements() == 0) {
      std::fill_n(output->mutable_raw_data(), output->num_bytes(), '\0');
      return absl::OkStatus();
    }
    const NearestAxis rows(alignment_, to.height, from.height);
    const NearestAxis columns(alignment_, to.width, from.width);
    const T* grads = context.input(0).data<T>().data();
    T* sums = output->mutable_data<T>().data();
    const int64_t cost =
        (to.row() + from.row() * (from.height / to.height + 1)) / 4;
    ForRows(context.compute_queue(), to, cost, [&](int64_t image, int64_t row) {
      T* sum = sums + image * to.image() + row * to.row();
      std::fill_n(sum, to.row(), T(0));
      // The gradients of this row are adjacent rows, because the nearest pixels
      // ascend.
      int64_t y =
          FirstThat(from.height, [&](int64_t i) { return rows(i) >= row; });
      for (; y < from.height && rows(y) == row; ++y) {
        AddRow(grads + image * from.image() + y * from.row(), columns, from,
               sum);
      }
    });
    return absl::OkStatus();
  }

 private:
  static void AddRow(const T* grads, const NearestAxis& columns,
                     const Extents& from, T* sum) {
    for (int64_t x = 0; x < from.width; ++x) {
      T* to = sum + columns(x) * from.channels;
      for (int64_t c = 0; c < from.channels; ++c) {
        to[c] = static_cast<T>(static_cast<Ring<T>>(to[c]) +
                               static_cast<Ring<T>>(grads[c]));
      }
      grads += from.channels;
    }
  }

  const Alignment alignment_;
};

template <class T>
class ResizeBilinear final : public Kernel {
 public:
  explicit ResizeBilinear(const Alignment& alignment) : alignment_(alignment) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Resizing r, Resizing::Create(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, AllocateImages(context, r.to));
    if (output->num_elements() == 0) return absl::OkStatus();
    const LinearAxis rows(alignment_, r.from.height, r.to.height);
    const LinearAxis columns(alignment_, r.from.width, r.to.width);
    const T* from = context.input(0).data<T>().data();
    float* to = output->mutable_data<float>().data();
    ForRows(context.compute_queue(), r.to, r.to.row() * 2,
            [&](int64_t image, int64_t row) {
              const T* source = from + image * r.from.image();
              const Between y = rows(row);
              InterpolateRow(source + y.lower * r.from.row(),
                             source + y.upper * r.from.row(), y.way, columns,
                             r.to,
                             to + image * r.to.image() + row * r.to.row());
            });
    return absl::OkStatus();
  }

 private:
  static void InterpolateRow(const T* top, const T* bottom, float down,
                             const LinearAxis& columns, const Extents& e,
                             float* to) {
    const int64_t channels = e.channels;
    for (int64_t i = 0; i < e.width; ++i) {
      const Between x = columns(i);
      const int64_t left = x.lower * channels;
      const int64_t right = x.upper * channels;
      LEAT_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < channels; ++c) {
        const float upper = Mix(top[left + c], top[right + c], x.way);
        const float lower = Mix(bottom[left + c], bottom[right + c], x.way);
        to[c] = upper + (lower - upper) * down;
      }
      to += channels;
    }
  }

  static float Mix(T a, T b, float way) {
    const float first = static_cast<float>(a);
    return first + (static_cast<float>(b) - first) * way;
  }

  const Alignment alignment_;
};

template <class T>
class ResizeBilinearGrad final : public Kernel {
 public:
  explicit ResizeBilinearGrad(const Alignment& alignment)
      : alignment_(alignment) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Extents from,
                          ImageExtents(context.input(0), "input_grad"));
    LEAT_ASSIGN_OR_RETURN(Extents to,
                          ImageExtents(context.input(1), "original_image"));
    if (from.height == 0 || from.width == 0) {
      return absl::InvalidArgumentError("resized dimensions must be positive");
    }
    if (to.height == 0 || to.width == 0) {
      return absl::InvalidArgumentError("original dimensions must be positive");
    }
    to.batch = from.batch;
    to.channels = from.channels;
    LEAT_ASSIGN_OR_RETURN(Tensor * output, AllocateImages(context, to));
    if (output->num_elements() == 0) return absl::OkStatus();
    const LinearAxis rows(alignment_, to.height, from.height);
    const LinearAxis columns(alignment_, to.width, from.width);
    const float* grads = context.input(0).data<float>().data();
    T* sums = output->mutable_data<T>().data();
    const int64_t cost =
        to.row() / 4 + from.row() * (from.height / to.height + 1);
    ForRows(context.compute_queue(), to, cost, [&](int64_t image, int64_t row) {
      T* sum = sums + image * to.image() + row * to.row();
      std::fill_n(sum, to.row(), T(0));
      // The resized rows that this row is a part of are adjacent.
      int64_t y = FirstThat(from.height,
                            [&](int64_t i) { return rows(i).upper >= row; });
      for (; y < from.height && rows(y).lower <= row; ++y) {
        AddRow(grads + image * from.image() + y * from.row(),
               Weight(rows(y), row), columns, from, sum);
      }
    });
    return absl::OkStatus();
  }

 private:
  // Returns the part that an original pixel has in a resized one.
  static float Weight(const Between& place, int64_t pixel) {
    return (place.lower == pixel ? 1 - place.way : 0.0f) +
           (place.upper == pixel ? place.way : 0.0f);
  }

  static void AddRow(const float* grads, float weight,
                     const LinearAxis& columns, const Extents& from, T* sum) {
    for (int64_t i = 0; i < from.width; ++i) {
      const Between x = columns(i);
      T* left = sum + x.lower * from.channels;
      T* right = sum + x.upper * from.channels;
      for (int64_t c = 0; c < from.channels; ++c) {
        left[c] += static_cast<T>(grads[c] * weight * (1 - x.way));
        right[c] += static_cast<T>(grads[c] * weight * x.way);
      }
      grads += from.channels;
    }
  }

  const Alignment alignment_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeResizeNearest(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const Alignment alignment, Alignment::Create(node));
  return std::unique_ptr<Kernel>(std::make_unique<ResizeNearest>(alignment));
}

constexpr auto kNearestGrad =
    kFloat32And64 + DTypeList<uint8_t, int8_t, int32_t>();

template <template <class> class K, const auto& types>
absl::StatusOr<std::unique_ptr<Kernel>> MakeResize(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const Alignment alignment, Alignment::Create(node));
  return MakeForType(node, "T", types,
                     [&](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<K<T>>(alignment);
                     });
}

// Makes a kernel that adds up gradients, those of 16 bits in float.
template <template <class> class K, const auto& types>
absl::StatusOr<std::unique_ptr<Kernel>> MakeSum(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (IsHalfOrBfloat16(dtype)) return ThroughFloat(node, &MakeSum<K, types>);
  return MakeResize<K, types>(node);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ResizeNearestNeighbor", kCpu, &MakeResizeNearest);
  registry.Add("ResizeNearestNeighborGrad", kCpu,
               &MakeSum<ResizeNearestGrad, kNearestGrad>);
  registry.Add("ResizeBilinear", kCpu,
               &MakeResize<ResizeBilinear, kNumbersButLargeUints>);
  registry.Add("ResizeBilinearGrad", kCpu,
               &MakeSum<ResizeBilinearGrad, kFloat32And64>);
}

}  // namespace leat::kernels::cpu::resize
