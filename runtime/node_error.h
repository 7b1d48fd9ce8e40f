// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The message of a kernel that failed: node, op, device and input shapes.
#ifndef LEAT_RUNTIME_NODE_ERROR_H_
#define LEAT_RUNTIME_NODE_ERROR_H_

#include "absl/status/status.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"

namespace leat {

// `status` with its payloads, its message followed by where it happened and
// TensorFlow's "[[{{node NAME}}]]", by which its Python client finds the op.
absl::Status NodeError(const absl::Status& status, const NodeDef& node,
                       const Device& device, const KernelContext& context);

}  // namespace leat

#endif  // LEAT_RUNTIME_NODE_ERROR_H_
