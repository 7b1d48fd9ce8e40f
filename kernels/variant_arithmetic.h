// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Zeros and sums of variants that hold tensors: lists and optionals, also of
// each other. What gradients of loops and branches need; rules and messages are
// TensorFlow's. Variants may share what they hold, so that a few bytes stand
// for very many in the result: RESOURCE_EXHAUSTED for more than `max_inner`
// variants in another one and tensors in those. What the outermost value holds
// itself is not counted: it is all there already. Ends early with the step's
// reason when that is cancelled. Stateless.
#ifndef LEAT_KERNELS_VARIANT_ARITHMETIC_H_
#define LEAT_KERNELS_VARIANT_ARITHMETIC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/variant.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

inline constexpr int64_t kMaxInnerValues = int64_t{1} << 20;

// The same value with zeros for all numbers. List elements that were never
// written stay so. INVALID_ARGUMENT for strings, resources, and other variants.
absl::StatusOr<Variant> ZerosLikeVariant(KernelContext& context,
                                         const Variant& variant,
                                         int64_t max_inner = kMaxInnerValues);

// Adds two tensors of one shape and dtype, which is neither variant nor
// resource; INVALID_ARGUMENT for a dtype that has no sum.
using AddTensors = absl::StatusOr<Tensor> (*)(KernelContext& context,
                                              const Tensor& a, const Tensor& b);

// A list or optional of the sums of what both hold; what one list lacks is
// taken from the other, sharing bytes. INVALID_ARGUMENT when they do not fit.
absl::StatusOr<Variant> AddVariants(KernelContext& context, const Variant& a,
                                    const Variant& b, AddTensors add,
                                    int64_t max_inner = kMaxInnerValues);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_VARIANT_ARITHMETIC_H_
