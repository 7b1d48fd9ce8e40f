// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckSignature compares the types of a node with the types in the resource
// that the node uses: a queue's components or an accumulator's gradients. The
// resource is known only when the node runs. (KernelSignature in
// graph/kernel_signature.h is not related.)
#ifndef LEAT_KERNELS_SIGNATURE_H_
#define LEAT_KERNELS_SIGNATURE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"

namespace leat {
struct NodeDef;
}  // namespace leat

namespace leat::kernels {

// Returns the types as text for messages, such as "float, int32".
std::string TypesText(absl::Span<const DType> types);

// Returns OK if the node's inputs from number `first_input` on have the types
// `inputs`, and its outputs have the types `outputs`. Otherwise returns
// INVALID_ARGUMENT with TensorFlow's text.
absl::Status CheckSignature(const NodeDef& node, size_t first_input,
                            absl::Span<const DType> inputs,
                            absl::Span<const DType> outputs);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SIGNATURE_H_
