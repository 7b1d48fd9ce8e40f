// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions compute zeros and sums of variants that hold tensors, and
// replace these tensors. Such variants are lists and optionals, and may contain
// one another. The gradients of loops and branches use these functions. Rules
// and messages are TensorFlow's.
//
// Variants may share the values that they hold, so a few bytes can stand for a
// huge result. Therefore the functions return RESOURCE_EXHAUSTED if the value
// contains more than `max_inner` inner values. Inner values are variants inside
// of other variants, and the tensors of those inner variants. The tensors that
// the outermost value holds itself are not counted, because all of them are in
// memory already. If the step is cancelled, the functions stop early and return
// the reason. The functions are stateless.
#ifndef LEAT_KERNELS_VARIANT_ARITHMETIC_H_
#define LEAT_KERNELS_VARIANT_ARITHMETIC_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

inline constexpr int64_t kMaxInnerValues = int64_t{1} << 20;

// Returns a copy of `variant` with zeros for all numbers. List elements that
// were never written stay unwritten. Returns INVALID_ARGUMENT for strings,
// resources and other kinds of variants.
absl::StatusOr<Variant> ZerosLikeVariant(KernelContext& context,
                                         const Variant& variant,
                                         int64_t max_inner = kMaxInnerValues);

// These functions return the tensor or the variant that replaces their
// argument.
using ReplaceTensor =
    absl::FunctionRef<absl::StatusOr<Tensor>(const Tensor& tensor)>;
using ReplaceVariant =
    absl::FunctionRef<absl::StatusOr<Variant>(const Variant& variant)>;

// Returns a copy of `variants`, a tensor of variants. In the copy, each tensor
// that a list or an optional holds is replaced by replace(tensor). A tensor of
// variants is not passed to `replace`. Instead, the tensors inside of its
// variants are replaced. Other kinds of variants stay as they are.
absl::StatusOr<Tensor> ReplaceTensors(KernelContext& context,
                                      const Tensor& variants,
                                      ReplaceTensor replace,
                                      int64_t max_inner = kMaxInnerValues);

// Adds two tensors of the same shape and dtype. The dtype is neither variant
// nor resource. Returns INVALID_ARGUMENT for a dtype that has no sum.
using AddTensors = absl::StatusOr<Tensor> (*)(KernelContext& context,
                                              const Tensor& a, const Tensor& b);

// Returns a list or optional with the sums of the elements of `a` and `b`;
// `add` adds the tensors. An element that only one list has is taken from that
// list and shares its bytes. Returns INVALID_ARGUMENT if `a` and `b` do not fit
// each other.
absl::StatusOr<Variant> AddVariants(KernelContext& context, const Variant& a,
                                    const Variant& b, AddTensors add,
                                    int64_t max_inner = kMaxInnerValues);

// Sets output 0 to the sum of all inputs, which are scalar variants. The order
// is TensorFlow's, because the rounding depends on it: neighbours are added in
// pairs, then their sums are added in pairs, and so on. If the number of
// variants or sums is odd, the last one is added to the first sum.
absl::Status AddVariantInputs(KernelContext& context, AddTensors add);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_VARIANT_ARITHMETIC_H_
