// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ScatterNdUpdate, ScatterNdAdd and so on, with their
// Resource forms, which combine parts of a variable with updates. The indices
// are coordinates.
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/scatter_ops.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/scatter_shapes.h"
#include "leat/kernels/variable_elements.h"

namespace leat::kernels::cpu::scatter_nd_variables {
namespace {

// T is the type of the elements. Update only moves elements, so it uses a
// PlainElement as T, which has the size of an element or, for strings, of a
// pointer.
template <class Op, class T>
class ScatterNd final : public Kernel {
 public:
  explicit ScatterNd(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    return UpdateElements(context, dtype_, /*i=*/2,
                          [&](const Tensor& updates, Tensor& params) {
                            return Apply(context, updates, params);
                          });
  }

 private:
  static absl::Status Apply(KernelContext& context, const Tensor& updates,
                            Tensor& params) {
    const Tensor& indices = context.input(1);
    LEAT_RETURN_IF_ERROR(CheckScatterNd(indices, updates, params.shape()));
    if (updates.num_elements() == 0) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(const Tensor targets,
                          TargetsOf(context, indices, params.shape()));
    CombineSlices<Op>(context.compute_queue(), targets, updates,
                      MutableElements<T>(params));
    return absl::OkStatus();
  }

  const DType dtype_;
};

template <class Op, class List>
absl::StatusOr<std::unique_ptr<Kernel>> MakeScatter(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  return MakeForType(node, "T", List(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return std::make_unique<ScatterNd<Op, T>>(dtype);
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeUpdate(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  std::unique_ptr<Kernel> kernel;
  const DType moved = kStringOnly.Contains(dtype) ? kPointer : dtype;
  if (!VisitPlainElement(moved, [&](auto tag) {
        using E = typename decltype(tag)::type;
        kernel = std::make_unique<ScatterNd<Update, E>>(dtype);
      })) {
    return UnsupportedType(node, "T", dtype);
  }
  return kernel;
}

// Registers the kernels of `name`, which takes a reference, and of "Resource" +
// `name`, which takes a resource handle.
void Add(KernelRegistry& registry, absl::string_view name,
         KernelFactory factory) {
  registry.Add(name, kCpu, factory);
  registry.Add(absl::StrCat("Resource", name), kCpu, factory);
}

}  // namespace

void Register(KernelRegistry& registry) {
  using Sums = decltype(kNumbersAndComplexes + kBoolOnly);
  using Numbers = std::remove_const_t<decltype(kNumbers)>;
  Add(registry, "ScatterNdUpdate", &MakeUpdate);
  Add(registry, "ScatterNdAdd", &MakeScatter<cpu::Add, Sums>);
  Add(registry, "ScatterNdSub", &MakeScatter<Subtract, Sums>);
  Add(registry, "ScatterNdMax", &MakeScatter<Maximum, Numbers>);
  Add(registry, "ScatterNdMin", &MakeScatter<Minimum, Numbers>);
}

}  // namespace leat::kernels::cpu::scatter_nd_variables
