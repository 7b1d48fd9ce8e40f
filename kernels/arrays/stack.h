// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Stack is a stack of tensors of one dtype. The loops of TensorFlow 1.x push
// values that their gradients pop. It is the resource behind TensorFlow's
// StackV2, and lives until its step ends.
#ifndef LEAT_KERNELS_ARRAYS_STACK_H_
#define LEAT_KERNELS_ARRAYS_STACK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/element_array.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/arrays/step_resource.h"

namespace leat::kernels {

// Is thread-safe. The stack shares the bytes of its elements. Texts of errors
// are TensorFlow's.
class Stack final : public StepResource {
 public:
  static constexpr char kTypeName[] = "N10tensorflow5StackE";
  static constexpr int64_t kMostBytes = 1024;

  // `name` is for messages. A negative `max_size` means that only memory limits
  // the stack.
  Stack(std::string name, DType dtype, int64_t max_size);

  // Returns INVALID_ARGUMENT if the stack is full or closed or `element` has
  // another dtype. Returns RESOURCE_EXHAUSTED if there is no memory, or if the
  // stack has kMaxElementArraySize elements. The allocator is borrowed and must
  // outlive the stack.
  absl::Status Push(Tensor element, Allocator& allocator);
  // Removes the element that was pushed last, and returns it. Returns
  // INVALID_ARGUMENT if the stack is empty or closed or has another dtype.
  absl::StatusOr<Tensor> Pop(DType dtype);
  // Drops all elements. Does nothing if the stack is closed.
  void Close();

  std::string DebugString() const override;

 private:
  struct Element {
    Tensor value = {};
    BufferRef shape_memory = {};  // counts a long shape of `value`
  };

  // Returns INVALID_ARGUMENT with the text "Stack[NAME]" + `problem`.
  absl::Status Refusal(absl::string_view problem) const;
  absl::Status CheckOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string name_;
  const DType dtype_;
  const int64_t max_size_;
  mutable Mutex mutex_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  ElementArray<Element> elements_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ARRAYS_STACK_H_
