// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Moving elements without looking at them: kernels that only rearrange a tensor
// are compiled once per element size. Nearly all move objects by pointers to
// them (object_mover.h).
#ifndef LEAT_KERNELS_ELEMENT_COPY_H_
#define LEAT_KERNELS_ELEMENT_COPY_H_

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/parallel_for.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/object_mover.h"

namespace leat::kernels {

// An element of N plain bytes; may stand for any type of that size.
template <size_t N>
struct alignas(N) PlainElement {
  unsigned char bytes[N];
};

// Calls `visitor(TypeTag<PlainElement<N>>{})` for a dtype of plain bytes; false
// for others.
template <class Visitor>
bool VisitPlainElement(DType dtype, Visitor&& visitor) {
  switch (SizeOf(dtype)) {
    case 1:
      visitor(TypeTag<PlainElement<1>>{});
      return true;
    case 2:
      visitor(TypeTag<PlainElement<2>>{});
      return true;
    case 4:
      visitor(TypeTag<PlainElement<4>>{});
      return true;
    case 8:
      visitor(TypeTag<PlainElement<8>>{});
      return true;
    case 16:
      visitor(TypeTag<PlainElement<16>>{});
      return true;
    default:
      return false;
  }
}

// The same, with the class of the objects for those: every type of kMovable.
template <class Visitor>
bool VisitAnyElement(DType dtype, Visitor&& visitor) {
  return VisitDType(kObjects, dtype, visitor) ||
         VisitPlainElement(dtype, visitor);
}

// MakeForType for kernels that move plain elements, and objects of `Objects`
// by pointers to them.
template <class Objects, class MakeKernel>
absl::StatusOr<std::unique_ptr<Kernel>> MakeMover(const NodeDef& node,
                                                  absl::string_view attr,
                                                  MakeKernel make) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>(attr));
  if (Objects::Contains(dtype)) {
    return NewObjectMover(node, dtype, make(TypeTag<PlainElement<8>>{}));
  }
  std::unique_ptr<Kernel> kernel;
  if (!VisitPlainElement(dtype, [&](auto tag) { kernel = make(tag); })) {
    return UnsupportedType(node, attr, dtype);
  }
  return kernel;
}

// Of plain types and strings.
template <class MakeKernel>
absl::StatusOr<std::unique_ptr<Kernel>> MakeForElement(const NodeDef& node,
                                                       absl::string_view attr,
                                                       MakeKernel make) {
  return MakeMover<decltype(kStringOnly)>(node, attr, std::move(make));
}

// Of every type of kMovable.
template <class MakeKernel>
absl::StatusOr<std::unique_ptr<Kernel>> MakeForAnyElement(
    const NodeDef& node, absl::string_view attr, MakeKernel make) {
  return MakeMover<decltype(kObjects)>(node, attr, std::move(make));
}

// The same for a class template over the element: &MakeElementKernel<Pad>.
template <template <class> class K, const auto& attr>
absl::StatusOr<std::unique_ptr<Kernel>> MakeElementKernel(const NodeDef& node) {
  return MakeForElement(node, attr, [](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<K<typename decltype(tag)::type>>();
  });
}
template <template <class> class K, const auto& attr>
absl::StatusOr<std::unique_ptr<Kernel>> MakeAnyElementKernel(
    const NodeDef& node) {
  return MakeForAnyElement(node, attr, [](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<K<typename decltype(tag)::type>>();
  });
}
inline constexpr char kAttrT[] = "T";
inline constexpr char kAttrTparams[] = "Tparams";

// The elements of a tensor. REQUIRES: E is the class of its dtype.
template <class E>
const E* Elements(const Tensor& tensor) {
  return reinterpret_cast<const E*>(tensor.raw_data());
}
template <class E>
E* MutableElements(Tensor& tensor) {
  return reinterpret_cast<E*>(tensor.mutable_raw_data());
}

template <class E>
void CopyElements(const E* from, int64_t n, E* to) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (n > 0) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(E));
  } else {
    std::copy(from, from + n, to);
  }
}

// All elements zero, or empty objects.
template <class E>
void ClearElements(E* to, int64_t n) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (n > 0) std::memset(to, 0, static_cast<size_t>(n) * sizeof(E));
  } else {
    std::fill(to, to + n, E());
  }
}

// to[i] = from[index i of the plan]: gathers a strided view into a contiguous
// result. Nothing happens when it is empty.
template <class E>
void CopyFromStrided(WorkQueue& queue, const BroadcastPlan<1>& plan,
                     const E* from, E* to) {
  if (plan.shape.num_elements() == 0) return;
  const int64_t row_size = plan.row_size();
  const int64_t step = plan.strides[0].back();
  ParallelFor(queue, plan.num_rows(), 4 + row_size / 4,
              [&](int64_t begin, int64_t end) {
                E* out = to + begin * row_size;
                plan.ForEachRow(begin, end,
                                [&](const std::array<int64_t, 1>& offset) {
                                  const E* in = from + offset[0];
                                  if (step == 1) {
                                    CopyElements(in, row_size, out);
                                  } else {
                                    for (int64_t i = 0; i < row_size; ++i) {
                                      out[i] = in[i * step];
                                    }
                                  }
                                  out += row_size;
                                });
              });
}

// to[index i of the plan] = from[i]: the reverse. REQUIRES: no two indices are
// the same element.
template <class E>
void CopyToStrided(WorkQueue& queue, const BroadcastPlan<1>& plan,
                   const E* from, E* to) {
  if (plan.shape.num_elements() == 0) return;
  const int64_t row_size = plan.row_size();
  const int64_t step = plan.strides[0].back();
  ParallelFor(queue, plan.num_rows(), 4 + row_size / 4,
              [&](int64_t begin, int64_t end) {
                const E* in = from + begin * row_size;
                plan.ForEachRow(begin, end,
                                [&](const std::array<int64_t, 1>& offset) {
                                  E* out = to + offset[0];
                                  if (step == 1) {
                                    CopyElements(in, row_size, out);
                                  } else {
                                    for (int64_t i = 0; i < row_size; ++i) {
                                      out[i * step] = in[i];
                                    }
                                  }
                                  in += row_size;
                                });
              });
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ELEMENT_COPY_H_
