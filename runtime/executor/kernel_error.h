// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelError adds the place of the failure to the error of a kernel. It is
// stateless and thread-safe.
#ifndef LEAT_RUNTIME_EXECUTOR_KERNEL_ERROR_H_
#define LEAT_RUNTIME_EXECUTOR_KERNEL_ERROR_H_

#include "absl/status/status.h"
#include "leat/core/devices/device.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"

namespace leat {

// Returns a copy of `status`, including its payloads. The message of the copy
// also names the op, the dtypes and shapes of the inputs in `context`, the
// device, and the node. The node is written as "[[{{node NAME}}]]", because
// TensorFlow's Python client finds the op by this form. REQUIRES: `status` is
// not OK.
absl::Status KernelError(const absl::Status& status, const NodeDef& node,
                         const Device& device, const KernelContext& context);

// Does the same as KernelError, but leaves out the inputs. Use it for an error
// that is found after the kernel has returned.
absl::Status LateKernelError(const absl::Status& status, const NodeDef& node,
                             const Device& device);

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_KERNEL_ERROR_H_
