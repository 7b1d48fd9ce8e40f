// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Variable: a mutable tensor that outlives steps; VarHandleOp and VariableV2
// alike.
//
// Reads give a snapshot that shares the bytes. A dense update holds the lock
// exclusively and writes in place only when no snapshot shares the bytes, else
// to a copy, so values sent, fetched or saved never tear. The first sparse
// update switches to sparse mode: rows change in place under the exclusive
// lock, gathers hold it shared, dense reads copy. Thread-safe.
#ifndef LEAT_KERNELS_VARIABLE_H_
#define LEAT_KERNELS_VARIABLE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/mutex.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {

class Variable final : public Resource {
 public:
  static constexpr char kTypeName[] = "Variable";

  Variable(std::string name, DType dtype, PartialShape shape)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  const PartialShape& declared_shape() const { return shape_; }

  bool IsInitialized() const;

  // Read will neither copy nor wait for an update, most probably.
  bool IsQuickToRead() const;

  // A snapshot. FAILED_PRECONDITION with TensorFlow's text when uninitialised.
  absl::StatusOr<Tensor> Read(Allocator& allocator) const;

  // Becomes `value`, sharing its bytes. INVALID_ARGUMENT when the dtype, or
  // with `validate_shape` the declared shape, does not fit.
  absl::Status Assign(Tensor value, bool validate_shape = true);

  // `update` changes a uniquely held tensor in place, under the exclusive lock.
  // The lock is released before this returns; on error the value may be partly
  // updated, as in TensorFlow. FAILED_PRECONDITION when uninitialised.
  absl::Status Update(Allocator& allocator,
                      absl::FunctionRef<absl::Status(Tensor&)> update);

  // The same for some rows: switches to sparse mode.
  absl::Status UpdateRows(Allocator& allocator,
                          absl::FunctionRef<absl::Status(Tensor&)> update);

  // Becomes what `make` makes of the value, under the exclusive lock; stays as
  // it is on error. FAILED_PRECONDITION when uninitialised.
  absl::Status Replace(
      absl::FunctionRef<absl::StatusOr<Tensor>(const Tensor&)> make);

  // `read` sees the tensor under the shared lock; it must not keep it.
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
  bool sparse_ ABSL_GUARDED_BY(mutex_) = false;
};

// Updates several variables together (an optimizer's slots) without deadlock:
// locks in address order; the same variable twice is INVALID_ARGUMENT.
absl::Status UpdateTogether(
    Allocator& allocator, absl::Span<Variable* const> variables,
    absl::FunctionRef<absl::Status(absl::Span<Tensor* const>)> update,
    bool rows = false);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_VARIABLE_H_
