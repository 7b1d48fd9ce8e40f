// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The kernels of TensorArray ops use these helpers to find the array that the
// handle in input 0 names, and to check inputs. Error messages are
// TensorFlow's. The helpers are stateless.
#ifndef LEAT_KERNELS_ARRAYS_TENSOR_ARRAY_ACCESS_H_
#define LEAT_KERNELS_ARRAYS_TENSOR_ARRAY_ACCESS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/step_handle.h"
#include "leat/kernels/arrays/tensor_array.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns INVALID_ARGUMENT, with `what` as the input's name, if input `i` is
// not a scalar.
inline absl::Status CheckScalarInput(const KernelContext& context, int i,
                                     absl::string_view what) {
  const Tensor& input = context.input(i);
  if (input.rank() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "TensorArray ", what,
      " must be scalar, but had shape: ", input.shape().DebugString()));
}

// Returns the array from which output 0 is read. Also fails if the array has
// another dtype than the output.
inline absl::StatusOr<std::shared_ptr<TensorArray>> ArrayToRead(
    const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array,
                        FindStepResource<TensorArray>(context));
  const DType dtype = context.node().output_types[0];
  if (array->dtype() == dtype) return array;
  return absl::InvalidArgumentError(
      absl::StrCat("TensorArray dtype is ", Name(array->dtype()),
                   " but Op requested dtype ", Name(dtype), "."));
}

// Returns the array into which values of `dtype` are written. Also fails if the
// array has another dtype.
inline absl::StatusOr<std::shared_ptr<TensorArray>> ArrayToWrite(
    const KernelContext& context, DType dtype) {
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array,
                        FindStepResource<TensorArray>(context));
  if (array->dtype() == dtype) return array;
  return absl::InvalidArgumentError(
      absl::StrCat("TensorArray dtype is ", Name(array->dtype()),
                   " but Op is trying to write dtype ", Name(dtype), "."));
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ARRAYS_TENSOR_ARRAY_ACCESS_H_
