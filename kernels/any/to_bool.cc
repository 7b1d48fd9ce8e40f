// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ToBool, which turns an If's predicate into a bool. A
// scalar number is true if it is not zero. A scalar string is true if it is not
// empty. A tensor that is not a scalar is true if it has elements.
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::to_bool {
namespace {

// Compares the value with zero. It does not compare the bytes, because
// floating-point types have a negative zero, too.
template <class T>
bool IsNonZero(const Tensor& tensor) {
  return tensor.scalar<T>() != T(0);
}

absl::StatusOr<bool> Truth(const Tensor& tensor) {
  if (tensor.shape().rank() > 0) return tensor.num_elements() > 0;
  switch (tensor.dtype()) {
    case DType::kBool:
      return tensor.scalar<bool>();
    case DType::kFloat:
      return IsNonZero<float>(tensor);
    case DType::kDouble:
      return IsNonZero<double>(tensor);
    case DType::kInt8:
      return IsNonZero<int8_t>(tensor);
    case DType::kUint8:
      return IsNonZero<uint8_t>(tensor);
    case DType::kInt16:
      return IsNonZero<int16_t>(tensor);
    case DType::kInt32:
      return IsNonZero<int32_t>(tensor);
    case DType::kInt64:
      return IsNonZero<int64_t>(tensor);
    case DType::kString:
      return !tensor.scalar<std::string>().empty();
    default:
      // TensorFlow's ToBool refuses the same types.
      return absl::InvalidArgumentError(absl::StrCat(
          Name(tensor.dtype()), " cannot be converted to a boolean"));
  }
}

absl::Status ToBool(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool truth, Truth(context.input(0)));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<bool>()[0] = truth;
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ToBool", kCpu, &MakeFunction<&ToBool>);
}

}  // namespace leat::kernels::any::to_bool
