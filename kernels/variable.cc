// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/variable.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

using Variables = absl::InlinedVector<Variable*, 4>;
using Values = absl::InlinedVector<Tensor*, 4>;

// Copies the bytes of the value if a snapshot shares them.
absl::Status MakeUnique(Allocator& allocator, Tensor& value) {
  if (value.IsUnique()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(value, value.Copy(allocator));
  return absl::OkStatus();
}

// Describes a variable and its position among the arguments of UpdateTogether.
struct Locked {
  Variable* variable = nullptr;
  size_t position = 0;
};

// Locks the variables of `order` one after the other, collects their tensors in
// `values`, and calls `update` when all are locked. The depth of the recursion
// is the number of variables.
absl::Status UpdateFrom(
    Allocator& allocator, absl::Span<const Locked> order, Values& values,
    absl::FunctionRef<absl::Status(absl::Span<Tensor* const>)> update,
    bool rows) {
  if (order.empty()) return update(absl::MakeConstSpan(values));
  const Locked& first = order.front();
  auto rest = [&](Tensor& value) {
    values[first.position] = &value;
    return UpdateFrom(allocator, order.subspan(1), values, update, rows);
  };
  return rows ? first.variable->UpdateRows(allocator, rest)
              : first.variable->Update(allocator, rest);
}

}  // namespace

absl::Status Variable::UninitializedError() const {
  return absl::FailedPreconditionError(
      absl::StrCat("Attempting to use uninitialized value ", name_));
}

bool Variable::IsInitialized() const {
  ReaderLock lock(mutex_);
  return value_.IsValid();
}

absl::Status Variable::CheckInitialized() const {
  return IsInitialized() ? absl::OkStatus() : UninitializedError();
}

bool Variable::IsQuickToRead() const {
  if (!mutex_.ReaderTryLock()) return false;
  const bool copies = sparse_;
  mutex_.ReaderUnlock();
  return !copies;
}

absl::StatusOr<Tensor> Variable::Read(Allocator& allocator) const {
  ReaderLock lock(mutex_);
  if (!value_.IsValid()) return UninitializedError();
  if (sparse_) return value_.Copy(allocator);
  return value_;
}

absl::Status Variable::Assign(Tensor value, bool validate_shape) {
  if (value.dtype() != dtype_) {
    return absl::InvalidArgumentError(
        absl::StrCat("Variable ", name_, " has dtype ", Name(dtype_),
                     ", but the value that is assigned to it has dtype ",
                     Name(value.dtype())));
  }
  Tensor previous;  // Freed after the lock is released.
  WriterLock lock(mutex_);
  if (validate_shape) {
    const bool has_value = value_.IsValid();
    const bool fits = has_value ? value_.shape() == value.shape()
                                : shape_.IsCompatibleWith(value.shape());
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Assign requires shapes of both tensors to match. lhs shape= ",
          has_value ? value_.shape().DebugString() : shape_.DebugString(),
          " rhs shape= ", value.shape().DebugString()));
    }
  }
  previous = std::exchange(value_, std::move(value));
  return absl::OkStatus();
}

absl::Status Variable::Update(Allocator& allocator,
                              absl::FunctionRef<absl::Status(Tensor&)> update) {
  WriterLock lock(mutex_);
  if (!value_.IsValid()) return UninitializedError();
  LEAT_RETURN_IF_ERROR(MakeUnique(allocator, value_));
  return update(value_);
}

absl::Status Variable::UpdateRows(
    Allocator& allocator, absl::FunctionRef<absl::Status(Tensor&)> update) {
  WriterLock lock(mutex_);
  if (!value_.IsValid()) return UninitializedError();
  LEAT_RETURN_IF_ERROR(MakeUnique(allocator, value_));
  sparse_ = true;
  return update(value_);
}

absl::Status Variable::Replace(
    absl::FunctionRef<absl::StatusOr<Tensor>(const Tensor&)> make) {
  Tensor previous;  // Freed after the lock is released.
  WriterLock lock(mutex_);
  if (!value_.IsValid()) return UninitializedError();
  LEAT_ASSIGN_OR_RETURN(Tensor value, make(value_));
  previous = std::exchange(value_, std::move(value));
  return absl::OkStatus();
}

absl::Status Variable::WithValue(
    absl::FunctionRef<absl::Status(const Tensor&)> read) const {
  ReaderLock lock(mutex_);
  if (!value_.IsValid()) return UninitializedError();
  return read(value_);
}

std::string Variable::DebugString() const {
  ReaderLock lock(mutex_);
  return absl::StrCat("Variable ", name_, " ", Name(dtype_),
                      value_.IsValid() ? value_.shape().DebugString()
                                       : std::string(" uninitialized"));
}

absl::Status UpdateTogether(
    Allocator& allocator, absl::Span<Variable* const> variables,
    absl::FunctionRef<absl::Status(absl::Span<Tensor* const>)> update,
    bool rows) {
  absl::InlinedVector<Locked, 4> order;
  for (size_t i = 0; i < variables.size(); ++i) {
    order.push_back(Locked{variables[i], i});
  }
  std::sort(order.begin(), order.end(), [](const Locked& a, const Locked& b) {
    return std::less<Variable*>()(a.variable, b.variable);
  });
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i].variable == order[i - 1].variable) {
      return absl::InvalidArgumentError(
          absl::StrCat("Variable ", order[i].variable->name(),
                       " is given twice to one update"));
    }
  }
  Values values(variables.size());
  return UpdateFrom(allocator, order, values, update, rows);
}

}  // namespace leat::kernels
