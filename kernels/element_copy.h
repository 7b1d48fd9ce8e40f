// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These helpers are for kernels that move elements without looking at their
// values, such as Pad, Transpose or Gather. Such a kernel is a class template
// over the element's class and is compiled once per element size instead of
// once per dtype. Nearly all of these kernels move strings, resource handles
// and variants (the "objects") by pointers to them; see object_mover.h. All
// functions are stateless.
//
// This kernel reverses the order of a tensor's elements. The last line
// registers it.
//
//   template <class E>
//   class Turn final : public Kernel {
//    public:
//     absl::Status Compute(KernelContext& context) const final {
//       const Tensor& input = context.input(0);
//       LEAT_ASSIGN_OR_RETURN(Tensor * output,
//                             context.AllocateOutput(0, input.shape()));
//       const E* from = Elements<E>(input);
//       std::reverse_copy(from, from + input.num_elements(),
//                         MutableElements<E>(*output));
//       return absl::OkStatus();
//     }
//   };
//
//   registry.Add("Turn", kCpu, &MakeAnyElementKernel<Turn, kAttrT>);
#ifndef LEAT_KERNELS_ELEMENT_COPY_H_
#define LEAT_KERNELS_ELEMENT_COPY_H_

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/object_mover.h"

namespace leat::kernels {

// Describes an element of N plain bytes. It stands for every dtype whose
// elements have that size.
template <size_t N>
struct alignas(N) PlainElement {
  unsigned char bytes[N];
};

// Calls `visitor(TypeTag<PlainElement<N>>{})`, where N is the element size of
// `dtype`. Returns false, without a call, if the dtype's elements are objects.
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

// Does the same as VisitPlainElement, but also for objects. If the dtype's
// elements are objects, calls `visitor(TypeTag<E>{})`, where E is the class of
// the objects. So `visitor` is called for every dtype of kMovable.
template <class Visitor>
bool VisitAnyElement(DType dtype, Visitor&& visitor) {
  return VisitDType(kObjects, dtype, visitor) ||
         VisitPlainElement(dtype, visitor);
}

// Makes the kernel of `node` with `make(TypeTag<E>{})`, which returns a
// unique_ptr<Kernel>. The dtype is the value of the type attr `attr`. If it is
// plain, E is its PlainElement. If it is in the list `Objects`, E is
// PlainElement<8>, and the kernel gets pointers to the objects
// (NewObjectMover). Returns INVALID_ARGUMENT for all other dtypes.
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

// Calls MakeMover for plain dtypes and strings. It is for ops whose signature
// lists no resource handles or variants.
template <class MakeKernel>
absl::StatusOr<std::unique_ptr<Kernel>> MakeForElement(const NodeDef& node,
                                                       absl::string_view attr,
                                                       MakeKernel make) {
  return MakeMover<decltype(kStringOnly)>(node, attr, std::move(make));
}

// Calls MakeMover for every dtype of kMovable, which includes resource handles
// and variants.
template <class MakeKernel>
absl::StatusOr<std::unique_ptr<Kernel>> MakeForAnyElement(
    const NodeDef& node, absl::string_view attr, MakeKernel make) {
  return MakeMover<decltype(kObjects)>(node, attr, std::move(make));
}

// These two functions make a kernel K<E>, whose constructor takes no arguments,
// as in the example at the top. E is the class of the elements. `attr` is the
// name of the type attr. The first function is for plain dtypes and strings,
// the second for all of kMovable.
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
// These are the names of type attrs for MakeElementKernel. They are constants,
// because a template argument cannot be a string literal.
inline constexpr char kAttrT[] = "T";
inline constexpr char kAttrTparams[] = "Tparams";

// Returns the elements of a tensor. REQUIRES: E is the PlainElement of the
// tensor's dtype or, for objects, their class.
template <class E>
const E* Elements(const Tensor& tensor) {
  return reinterpret_cast<const E*>(tensor.raw_data());
}
// Returns the elements of a tensor for writing. REQUIRES: E is as for Elements,
// and nothing else reads the bytes at the same time.
template <class E>
E* MutableElements(Tensor& tensor) {
  return reinterpret_cast<E*>(tensor.mutable_raw_data());
}

// Copies `n` elements. The ranges must not overlap.
template <class E>
void CopyElements(const E* from, int64_t n, E* to) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (n > 0) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(E));
  } else {
    std::copy(from, from + n, to);
  }
}

// Sets `n` elements to zero, or to empty objects.
template <class E>
void ClearElements(E* to, int64_t n) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (n > 0) std::memset(to, 0, static_cast<size_t>(n) * sizeof(E));
  } else {
    std::fill(to, to + n, E());
  }
}

// Gathers a strided view into a contiguous result of plan.shape: sets to[i] =
// from[offset of index i in the plan] for all i. Runs in parallel on `queue`.
// Copies a row by memcpy if the row is contiguous in `from`, too. Does nothing
// if the result has no elements. REQUIRES: `to` does not overlap `from`.
template <class E>
void CopyFromStrided(WorkQueue& queue, const BroadcastPlan<1>& plan,
                     const E* from, E* to) {
  if (plan.shape.num_elements() == 0) return;
  // ParallelFor splits the work by rows. A row is assumed to take 4 ns, plus 1
  // ns per 4 elements.
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

// Does the reverse of CopyFromStrided: it spreads a contiguous tensor over a
// strided view. Sets to[offset of index i in the plan] = from[i] for all i.
// REQUIRES: no two indices have the same offset, and `to` does not overlap
// `from`.
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

// Copies one strided view to another. Sets to[second offset of index i in the
// plan] = from[first offset of index i in the plan] for all i. REQUIRES: no two
// indices have the same offset in `to`, and `to` does not overlap `from`.
template <class E>
void CopyBetweenStrided(WorkQueue& queue, const BroadcastPlan<2>& plan,
                        const E* from, E* to) {
  if (plan.shape.num_elements() == 0) return;
  const int64_t row_size = plan.row_size();
  const int64_t from_step = plan.strides[0].back();
  const int64_t to_step = plan.strides[1].back();
  ParallelFor(queue, plan.num_rows(), 4 + row_size / 4,
              [&](int64_t begin, int64_t end) {
                plan.ForEachRow(begin, end,
                                [&](const std::array<int64_t, 2>& offsets) {
                                  const E* in = from + offsets[0];
                                  E* out = to + offsets[1];
                                  if (from_step == 1 && to_step == 1) {
                                    CopyElements(in, row_size, out);
                                    return;
                                  }
                                  for (int64_t i = 0; i < row_size; ++i) {
                                    out[i * to_step] = in[i * from_step];
                                  }
                                });
              });
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ELEMENT_COPY_H_
