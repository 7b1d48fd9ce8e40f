// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Whether a node has the types of the resource that it finds only when it runs:
// a queue's components, an accumulator's gradients.
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

// "float, int32".
std::string TypesText(absl::Span<const DType> types);

// INVALID_ARGUMENT with TensorFlow's text unless the node's inputs from
// `first_input` on are of types `inputs`, and its outputs of types `outputs`.
absl::Status CheckSignature(const NodeDef& node, size_t first_input,
                            absl::Span<const DType> inputs,
                            absl::Span<const DType> outputs);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SIGNATURE_H_
