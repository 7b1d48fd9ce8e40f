// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TrainingInputs reads the inputs of TensorFlow's training ops, such as
// ApplyAdam. The kernels for all devices share this class.
//
// The op's definition tells what each input is: references and handles are
// variables, "grad" or "delta" is the gradient, "indices" has the row numbers
// of a sparse op, and all others are scalars.
#ifndef LEAT_KERNELS_TRAINING_INPUTS_H_
#define LEAT_KERNELS_TRAINING_INPUTS_H_

#include <memory>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_def.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/variable.h"

namespace leat::kernels {

// Holds the inputs of one run. Shares the ownership of the variables and
// tensors. Is used by one thread.
class TrainingInputs {
 public:
  // Reads the inputs of `context`. Returns FAILED_PRECONDITION if a variable
  // has no value. Returns INVALID_ARGUMENT if a variable has another dtype than
  // `dtype`, or if an input that must be a scalar has another shape. The
  // messages are TensorFlow's.
  absl::Status Read(const KernelContext& context, DType dtype);

  // Returns the variables in the order of the inputs. The result is valid until
  // this object is destroyed.
  absl::Span<Variable* const> variables() const { return variables_; }
  // Returns the scalars in the order of the inputs. They belong to the context.
  absl::Span<const Tensor* const> scalars() const { return scalars_; }

  // CheckSlots checks that the tensors of all variables have the same shape.
  // CheckGradient checks that the gradient of a dense op has this shape, too.
  // Both return INVALID_ARGUMENT if not. REQUIRES: the variables are locked.
  absl::Status CheckSlots(absl::Span<Tensor* const> values) const;
  absl::Status CheckGradient(absl::Span<Tensor* const> values) const;

  // Checks that the gradient of a sparse op has one row for each index, and
  // that its rows have the same shape as the rows of the variables. Returns
  // INVALID_ARGUMENT if not. Does not read the indices. REQUIRES: the variables
  // are locked.
  absl::Status CheckRows(absl::Span<Tensor* const> values) const;

  // `indices` is set for sparse ops only.
  Tensor gradient, indices;

 private:
  const OpDef* op_ = nullptr;
  absl::string_view gradient_name_;  // "grad" or "delta", for messages
  absl::InlinedVector<std::shared_ptr<Variable>, 4> owners_;
  absl::InlinedVector<Variable*, 4> variables_;
  absl::InlinedVector<const Tensor*, 6> scalars_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_TRAINING_INPUTS_H_
