// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels that read or update rows of variables: ResourceGather,
// and ScatterAdd, ScatterUpdate and so on with their Resource forms. Rows
// of plain elements change in place under the variable's exclusive lock.
// Gathers hold the lock shared, so they never see a half-written row.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/cpu/scatter_ops.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/gather_plan.h"
#include "leat/kernels/shapes/scatter_shapes.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"
#include "leat/kernels/variable_elements.h"

namespace leat::kernels::cpu::scatter_variables {
namespace {

// Returns all values of an integer tensor of any rank. Returns INVALID_ARGUMENT
// if one is not in [0, limit).
absl::StatusOr<Dims> CheckedIndices(const Tensor& tensor, int64_t limit) {
  LEAT_ASSIGN_OR_RETURN(Tensor flat,
                        tensor.Reshaped(Shape{tensor.num_elements()}));
  LEAT_ASSIGN_OR_RETURN(Dims indices, GetIndices(flat, "indices"));
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= limit) {
      return IndexError(IndexRule::kRow, flat.shape().dims(),
                        static_cast<int64_t>(i), {indices[i]}, {limit});
    }
  }
  return indices;
}

class ResourceGather final : public Kernel {
 public:
  ResourceGather(DType dtype, int64_t batch_dims)
      : dtype_(dtype), batch_dims_(batch_dims) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                          GetVariable(context, 0, dtype_));
    return variable->WithValue([&](const Tensor& params) {
      return Gather(context, params, context.input(1));
    });
  }

 private:
  absl::Status Gather(KernelContext& context, const Tensor& params,
                      const Tensor& indices) const {
    LEAT_ASSIGN_OR_RETURN(
        const GatherPlan plan,
        PlanResourceGather(params.shape(), indices.shape(), batch_dims_));
    LEAT_ASSIGN_OR_RETURN(Dims rows, CheckedIndices(indices, plan.limit));
    if (IsPlainBytes(dtype_)) {
      LEAT_ASSIGN_OR_RETURN(Tensor * output,
                            context.AllocateOutput(0, plan.output));
      CopyRows(context.compute_queue(), plan, rows, params, *output);
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(const Tensor from, PointersTo(params, context));
    LEAT_ASSIGN_OR_RETURN(Tensor to,
                          context.AllocateTemporary(kPointer, plan.output));
    CopyRows(context.compute_queue(), plan, rows, from, to);
    LEAT_ASSIGN_OR_RETURN(to, CopyPointees(to, dtype_, context));
    context.set_output(0, std::move(to));
    return absl::OkStatus();
  }

  static void CopyRows(WorkQueue& queue, const GatherPlan& plan,
                       const Dims& rows, const Tensor& params, Tensor& output) {
    if (output.num_elements() == 0) return;
    VisitPlainElement(params.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = Elements<E>(params);
      E* to = MutableElements<E>(output);
      ParallelFor(queue, plan.batch * plan.count, plan.inner / 4 + 5,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      const int64_t batch = i / plan.count;
                      CopyElements(
                          from + (batch * plan.limit + rows[i]) * plan.inner,
                          plan.inner, to + i * plan.inner);
                    }
                  });
    });
  }

  const DType dtype_;
  const int64_t batch_dims_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeGather(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  if (!IsPlainBytes(dtype) && !kObjects.Contains(dtype)) {
    return UnsupportedType(node, "dtype", dtype);
  }
  LEAT_ASSIGN_OR_RETURN(const int64_t batch_dims,
                        node.attrs.GetInt32("batch_dims"));
  if (batch_dims < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims is negative (", batch_dims, ")"));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<ResourceGather>(dtype, batch_dims));
}

// Updates the rows that `indices` names. T is the type of the elements. Update
// only moves elements, so it uses a PlainElement as T. The PlainElement has the
// size of an element, or of a pointer if the elements are objects.
template <class Op, class T>
class ScatterRows final : public Kernel {
 public:
  explicit ScatterRows(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    if constexpr (std::is_same_v<Op, Divide>) {
      LEAT_RETURN_IF_ERROR(CheckDivisors(context));
    }
    return UpdateElements(context, dtype_, /*i=*/2,
                          [&](const Tensor& updates, Tensor& params) {
                            return Apply(context.compute_queue(),
                                         context.input(1), updates, params);
                          });
  }

 private:
  // A variable with a handle is never divided by 0, as in TensorFlow. A
  // reference variable is divided by 0 if its elements are no integers.
  static absl::Status CheckDivisors(const KernelContext& context) {
    if (!std::is_integral_v<T> && context.input_ref(0) != nullptr) {
      return absl::OkStatus();
    }
    for (const T& update : context.input(2).data<T>()) {
      if (static_cast<Wide<T>>(update) == Wide<T>{0}) {
        return absl::InvalidArgumentError("updates must not contain 0");
      }
    }
    return absl::OkStatus();
  }

  static absl::Status Apply(WorkQueue& queue, const Tensor& indices,
                            const Tensor& updates, Tensor& params) {
    LEAT_RETURN_IF_ERROR(
        CheckScatterUpdates(params.shape(), indices.shape(), updates.shape()));
    LEAT_ASSIGN_OR_RETURN(Dims rows, CheckedIndices(indices, params.dim(0)));
    if (rows.empty() || params.num_elements() == 0) return absl::OkStatus();
    const int64_t count = static_cast<int64_t>(rows.size());
    const int64_t width = params.num_elements() / params.dim(0);
    const int64_t step = updates.shape().IsScalar() ? 0 : 1;
    const T* from = Elements<T>(updates);
    T* to = MutableElements<T>(params);
    // Each chunk owns a range of rows, so that updates of the same row keep
    // their order.
    const int64_t cost = count * width / params.dim(0) + 1;
    ParallelFor(queue, params.dim(0), cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < count; ++i) {
        if (rows[i] < begin || rows[i] >= end) continue;
        T* row = to + rows[i] * width;
        const T* update = from + i * width * step;
        for (int64_t j = 0; j < width; ++j) {
          row[j] = Op::Do(row[j], update[j * step]);
        }
      }
    });
    return absl::OkStatus();
  }

  const DType dtype_;
};

// Makes the kernel of an op whose type attr is `attr`, for the types of `List`.
template <class Op, const char* attr, class List>
absl::StatusOr<std::unique_ptr<Kernel>> MakeScatter(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>(attr));
  auto make = [&](auto tag) {
    return std::make_unique<ScatterRows<Op, typename decltype(tag)::type>>(
        dtype);
  };
  if constexpr (std::is_same_v<Op, Update>) {
    std::unique_ptr<Kernel> kernel;
    const DType moved = kObjects.Contains(dtype) ? kPointer : dtype;
    if (!VisitPlainElement(moved, [&](auto tag) { kernel = make(tag); })) {
      return UnsupportedType(node, attr, dtype);
    }
    return kernel;
  } else {
    return MakeForType(node, attr, List(), make);
  }
}

constexpr char kReferenceType[] = "T";
constexpr char kResourceType[] = "dtype";

// Registers the kernels of two ops: `name`, which takes a reference, and
// "Resource" + `name`, which takes a resource handle. The type attrs of the two
// ops have different names.
template <class Op, class List>
void AddScatter(KernelRegistry& registry, absl::string_view name, List) {
  registry.Add(name, kCpu, &MakeScatter<Op, kReferenceType, List>);
  registry.Add(absl::StrCat("Resource", name), kCpu,
               &MakeScatter<Op, kResourceType, List>);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ResourceGather", kCpu, &MakeGather);
  AddScatter<Add>(registry, "ScatterAdd", kNumbersAndComplexes);
  AddScatter<Subtract>(registry, "ScatterSub", kNumbersAndComplexes);
  AddScatter<Multiply>(registry, "ScatterMul", kNumbersAndComplexes);
  AddScatter<Divide>(registry, "ScatterDiv", kNumbersAndComplexes);
  AddScatter<Maximum>(registry, "ScatterMax", kNumbers);
  AddScatter<Minimum>(registry, "ScatterMin", kNumbers);
  AddScatter<Update>(registry, "ScatterUpdate", kMovable);
}

}  // namespace leat::kernels::cpu::scatter_variables
