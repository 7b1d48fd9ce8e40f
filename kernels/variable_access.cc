// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/variable_access.h"

#include <type_traits>

#include "Eigen/Core"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/gpu_kernel.h"

namespace leat::kernels {
namespace {

template <class T>
void AccumulateRange(Accumulate operation, int64_t count, const T* value,
                     T* target) {
  const bool add = operation == Accumulate::kAdd;
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    for (int64_t i = 0; i < count; ++i) {
      const float sum = add ? float{target[i]} + float{value[i]}
                            : float{target[i]} - float{value[i]};
      target[i] = T(sum);
    }
  } else {
    // Signed integers are added as unsigned integers, so that they wrap around.
    // An overflow of signed integers would be undefined behaviour.
    using Element = typename std::conditional_t<std::is_integral_v<T>,
                                                std::make_unsigned<T>,
                                                std::common_type<T>>::type;
    using Array = Eigen::Array<Element, Eigen::Dynamic, 1>;
    Eigen::Map<const Array> from(reinterpret_cast<const Element*>(value),
                                 count);
    Eigen::Map<Array> to(reinterpret_cast<Element*>(target), count);
    if (add) {
      to += from;
    } else {
      to -= from;
    }
  }
}

}  // namespace

absl::StatusOr<ResourceName> GetResourceName(const NodeDef& node) {
  ResourceName result;
  LEAT_ASSIGN_OR_RETURN(result.container,
                        node.attrs.GetOr<std::string>("container", ""));
  LEAT_ASSIGN_OR_RETURN(result.name,
                        node.attrs.GetOr<std::string>("shared_name", ""));
  if (result.name.empty()) result.name = node.name;
  return result;
}

absl::StatusOr<ResourceName> GetPrivateResourceName(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName result, GetResourceName(node));
  LEAT_ASSIGN_OR_RETURN(const std::string shared_name,
                        node.attrs.GetOr<std::string>("shared_name", ""));
  result.is_private = shared_name.empty();
  if (!result.is_private && shared_name[0] == '_') {
    return absl::InvalidArgumentError(
        absl::StrCat("shared_name cannot start with '_':", shared_name));
  }
  return result;
}

absl::StatusOr<Shape> DeclaredShape(const PartialShape& attr) {
  if (!attr.rank_known()) return Shape{};
  return attr.ToShape();
}

absl::StatusOr<const ResourceHandle*> GetHandle(const KernelContext& context,
                                                int i) {
  const Tensor& input = context.input(i);
  if (input.dtype() != DType::kResource || input.num_elements() != 1) {
    return internal::ScalarError(input, DType::kResource,
                                 absl::StrCat("resource handle input ", i));
  }
  return input.data<ResourceHandle>().data();
}

absl::Status NoSuchVariable(const ResourceHandle& handle,
                            absl::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat(
      "Could not find variable ", handle.name,
      ". This could mean that the variable has been deleted. In TF1, it can "
      "also mean the variable is uninitialized. Debug info: container=",
      handle.container, ", status error message=", reason));
}

absl::StatusOr<std::shared_ptr<Variable>> GetVariable(
    const KernelContext& context, int i, DType dtype) {
  std::shared_ptr<Variable> variable = context.input_ref(i);
  if (variable != nullptr) {
    LEAT_RETURN_IF_ERROR(variable->CheckInitialized());
  } else {
    LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, i));
    auto found = LookupHandle<Variable>(*context.step().resources, *handle,
                                        context.step().device->name());
    if (absl::IsNotFound(found.status())) {
      return NoSuchVariable(*handle, found.status().message());
    }
    if (!found.ok()) return found.status();
    variable = *std::move(found);
    if (!variable->IsInitialized()) {
      // In TensorFlow, a variable does not exist before it has a value.
      return NoSuchVariable(
          *handle,
          absl::StrCat("Resource ", handle->container, "/", handle->name, "/",
                       Variable::kTypeName, " does not exist."));
    }
  }
  if (variable->dtype() != dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("Trying to use variable ", variable->name(),
                     " with wrong dtype. Expected ", Name(variable->dtype()),
                     " got ", Name(dtype)));
  }
  return variable;
}

void ForwardRef(KernelContext& context) {
  if (context.num_outputs() > 0 && context.input_ref(0) != nullptr) {
    context.set_output_ref(0, context.input_ref(0));
  }
}

absl::Status AccumulateInto(WorkQueue& queue, Accumulate operation,
                            const Tensor& value, Tensor& target) {
  const bool known =
      VisitDType(kNumbers + kComplexes, target.dtype(), [&](auto type) {
        using T = typename decltype(type)::type;
        const T* from = value.data<T>().data();
        T* to = target.mutable_data<T>().data();
        ParallelFor(queue, target.num_elements(), 1,
                    [=](int64_t begin, int64_t end) {
                      AccumulateRange<T>(operation, end - begin, from + begin,
                                         to + begin);
                    });
      });
  if (known) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Values of type ", Name(target.dtype()), " cannot be added"));
}

absl::Status AccumulateInto(const KernelContext& context, Accumulate operation,
                            const Tensor& value, Tensor& target) {
  if (context.step().device->gpu_stream() == nullptr) {
    return AccumulateInto(context.compute_queue(), operation, value, target);
  }
  using leat::cuda::Arithmetic;
  return OnStream(context, [&](CUstream_st* stream) {
    char* const to = target.mutable_raw_data();
    return leat::cuda::LaunchArithmetic(
        stream,
        operation == Accumulate::kAdd ? Arithmetic::kAdd : Arithmetic::kSub,
        TypeOf(target),
        {.a = to,
         .b = value.raw_data(),
         .output = to,
         .n = target.num_elements()});
  });
}

}  // namespace leat::kernels
