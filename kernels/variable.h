// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Variable is a mutable tensor that outlives steps. It is the resource behind
// both VarHandleOp and VariableV2 of TensorFlow.
//
// A read gives a snapshot that shares the bytes of the value. A dense update
// holds the lock exclusively. It writes to a copy if a snapshot shares the
// bytes, and otherwise in place. So a value never changes while it is being
// sent, fetched or saved. The first sparse update switches the variable to
// sparse mode, in which it stays. In sparse mode, rows change in place under
// the exclusive lock. Therefore gathers hold the lock shared, and dense reads
// copy the value.
#ifndef LEAT_KERNELS_VARIABLE_H_
#define LEAT_KERNELS_VARIABLE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {

// Is thread-safe. Is shared by the store and the steps that use it.
class Variable final : public Resource {
 public:
  static constexpr char kTypeName[] = "N10tensorflow3VarE";

  // Makes a variable without a value. `shape` is the declared shape, which may
  // be partial.
  Variable(std::string name, DType dtype, PartialShape shape)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  const PartialShape& declared_shape() const { return shape_; }

  // Returns true if the variable has a value.
  bool IsInitialized() const;

  // Returns FAILED_PRECONDITION, with TensorFlow's text, if there is no value
  // yet.
  absl::Status CheckInitialized() const;

  // Returns true if Read will most probably be quick, because it has neither to
  // copy the value nor to wait for an update.
  bool IsQuickToRead() const;

  // Returns a snapshot of the value. In sparse mode it is a copy in memory of
  // `allocator`. Returns FAILED_PRECONDITION, with TensorFlow's text, if there
  // is no value yet. Returns RESOURCE_EXHAUSTED if there is no memory.
  absl::StatusOr<Tensor> Read(Allocator& allocator) const;

  // Makes `value` the new value and shares its bytes. Returns INVALID_ARGUMENT
  // if the dtype of `value` is not the variable's, or if `validate_shape` is
  // true and the shape is wrong. The shape must be the shape of the old value.
  // If there is no old value, the shape must fit the declared shape.
  absl::Status Assign(Tensor value, bool validate_shape = true);

  // Calls `update` with the value under the exclusive lock. `update` changes
  // the value in place. Nothing else shares the bytes of the value at that
  // time. If `update` fails, the value may be partly updated, as in TensorFlow.
  // Returns FAILED_PRECONDITION if there is no value yet, and
  // RESOURCE_EXHAUSTED if there is no memory for a copy. The lock is released
  // before Update returns.
  absl::Status Update(Allocator& allocator,
                      absl::FunctionRef<absl::Status(Tensor&)> update);

  // Does the same as Update, but for an update of some rows. Switches to sparse
  // mode.
  absl::Status UpdateRows(Allocator& allocator,
                          absl::FunctionRef<absl::Status(Tensor&)> update);

  // Calls `make` with the value, and replaces the value by the tensor that
  // `make` returns. Holds the exclusive lock while `make` runs. If `make`
  // fails, the value stays as it is. Returns FAILED_PRECONDITION if there is no
  // value yet.
  absl::Status Replace(
      absl::FunctionRef<absl::StatusOr<Tensor>(const Tensor&)> make);

  // Calls `read` with the value under the shared lock. `read` must not keep the
  // tensor, because its rows may change in place later. Returns
  // FAILED_PRECONDITION if there is no value yet.
  absl::Status WithValue(
      absl::FunctionRef<absl::Status(const Tensor&)> read) const;

  std::string DebugString() const final;

 private:
  absl::Status UninitializedError() const;

  const std::string name_;
  const DType dtype_;
  const PartialShape shape_;

  mutable SharedMutex mutex_;
  Tensor value_ ABSL_GUARDED_BY(mutex_);
  bool sparse_ ABSL_GUARDED_BY(mutex_) = false;  // set by UpdateRows
};

// Updates several variables together, such as an optimizer's variable and
// slots. `update` gets their tensors in the order of `variables`, all locked
// exclusively. Works like UpdateRows if `rows` is true, and otherwise like
// Update. Takes the locks in the order of the variables' addresses, so that two
// updates cannot deadlock. Returns INVALID_ARGUMENT if a variable is given
// twice. Borrows the variables for the call.
absl::Status UpdateTogether(
    Allocator& allocator, absl::Span<Variable* const> variables,
    absl::FunctionRef<absl::Status(absl::Span<Tensor* const>)> update,
    bool rows = false);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_VARIABLE_H_
