// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/object_mover.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "leat/core/check.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/core/variant.h"
#include "leat/graph/graph.h"

namespace leat::kernels {
namespace {

// Returns how many bytes the objects hold outside of the tensor's buffer.
template <class T>
int64_t PointeeBytes(absl::Span<const T* const> pointers) {
  int64_t bytes = 0;
  for (const T* pointer : pointers) {
    if (pointer != nullptr) bytes = SaturatingAdd(bytes, HeldBytes(*pointer));
  }
  return bytes;
}

template <class T>
absl::StatusOr<Tensor> CopyObjects(const Tensor& pointers,
                                   KernelContext& context) {
  const auto from = absl::MakeConstSpan(
      reinterpret_cast<const T* const*>(pointers.raw_data()),
      static_cast<size_t>(pointers.num_elements()));
  LEAT_ASSIGN_OR_RETURN(
      Tensor objects,
      Tensor::Allocate(context.step().device->allocator(), kDTypeOf<T>,
                       pointers.shape(), PointeeBytes(from)));
  const auto to = objects.mutable_data<T>();
  ParallelFor(context.compute_queue(), pointers.num_elements(), /*cost=*/20,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  if (from[i] != nullptr) to[i] = *from[i];
                }
              });
  return objects;
}

// Runs `mover` in a context of its own. The tensors in this context hold
// pointers.
class ObjectMover final : public Kernel {
 public:
  ObjectMover(NodeDef node, DType dtype, std::unique_ptr<Kernel> mover)
      : node_(WithPointers(std::move(node), dtype)),
        dtype_(dtype),
        mover_(std::move(mover)) {}

  absl::Status Compute(KernelContext& context) const final {
    const int num_inputs = context.num_inputs();
    const int num_outputs = context.num_outputs();
    std::vector<Value> slots(static_cast<size_t>(num_inputs + num_outputs));
    // Every slot has two readers, so that `mover` does not reuse the bytes of
    // an input for other values. So an output that shares its bytes with an
    // input is a view of this input.
    const std::vector<int32_t> readers(slots.size(), 2);
    std::vector<int32_t> inputs(static_cast<size_t>(num_inputs));
    std::iota(inputs.begin(), inputs.end(), 0);
    for (int i = 0; i < num_inputs; ++i) {
      slots[i].tensor = context.input(i);
      if (slots[i].tensor.dtype() != dtype_) continue;
      LEAT_ASSIGN_OR_RETURN(slots[i].tensor,
                            PointersTo(context.input(i), context));
    }
    KernelContext moving(node_, context.step(),
                         ValueSlots{.slots = slots.data(),
                                    .readers = readers.data(),
                                    .inputs = inputs,
                                    .first_output = num_inputs,
                                    .num_outputs = num_outputs});
    LEAT_RETURN_IF_ERROR(mover_->Compute(moving));
    for (int i = 0; i < num_outputs; ++i) {
      Tensor& output = slots[num_inputs + i].tensor;
      if (context.node().output_types[i] == dtype_) {
        LEAT_ASSIGN_OR_RETURN(output, Objects(output, slots, context));
      }
      context.set_output(i, std::move(output));
    }
    return absl::OkStatus();
  }

 private:
  // Returns the objects to which `pointers`, an output of `mover`, points. If
  // `pointers` is a view of the pointers to an input, returns a view of this
  // input. Otherwise returns copies of the objects.
  absl::StatusOr<Tensor> Objects(const Tensor& pointers,
                                 absl::Span<const Value> slots,
                                 KernelContext& context) const {
    for (int i = 0; i < context.num_inputs(); ++i) {
      const Tensor& from = slots[i].tensor;
      if (!pointers.SharesBufferWith(from)) continue;
      const Tensor& objects = context.input(i);
      LEAT_ASSIGN_OR_RETURN(const Tensor flat,
                            objects.Reshaped(Shape{objects.num_elements()}));
      const int64_t begin = (pointers.raw_data() - from.raw_data()) /
                            static_cast<int64_t>(sizeof(void*));
      return flat.Slice(begin, begin + pointers.num_elements())
          .Reshaped(pointers.shape());
    }
    return CopyPointees(pointers, dtype_, context);
  }

  static NodeDef WithPointers(NodeDef node, DType dtype) {
    for (auto* types : {&node.input_types, &node.output_types}) {
      std::replace(types->begin(), types->end(), dtype, kPointer);
    }
    return node;
  }

  const NodeDef node_;  // the node as `mover_` sees it
  const DType dtype_;
  const std::unique_ptr<Kernel> mover_;
};

}  // namespace

absl::StatusOr<Tensor> PointersTo(const Tensor& objects,
                                  KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(Tensor pointers,
                        context.AllocateTemporary(kPointer, objects.shape()));
  const bool is_object = VisitDType(kObjects, objects.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = objects.data<T>().data();
    const T** to = reinterpret_cast<const T**>(pointers.mutable_raw_data());
    for (int64_t i = 0; i < objects.num_elements(); ++i) to[i] = from + i;
  });
  LEAT_CHECK(is_object);
  return pointers;
}

absl::StatusOr<Tensor> CopyPointees(const Tensor& pointers, DType dtype,
                                    KernelContext& context) {
  absl::StatusOr<Tensor> objects;
  const bool is_object = VisitDType(kObjects, dtype, [&](auto tag) {
    objects = CopyObjects<typename decltype(tag)::type>(pointers, context);
  });
  LEAT_CHECK(is_object);
  return objects;
}

std::unique_ptr<Kernel> NewObjectMover(const NodeDef& node, DType dtype,
                                       std::unique_ptr<Kernel> mover) {
  return std::make_unique<ObjectMover>(node, dtype, std::move(mover));
}

}  // namespace leat::kernels
