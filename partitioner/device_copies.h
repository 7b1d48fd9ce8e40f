// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InsertDeviceCopies adds the copies between memory of the host and the memory
// of a GPU to the part of a graph that runs on that GPU.
#ifndef LEAT_PARTITIONER_DEVICE_COPIES_H_
#define LEAT_PARTITIONER_DEVICE_COPIES_H_

#include "absl/status/status.h"
#include "leat/core/devices/device.h"
#include "leat/graph/graph.h"

namespace leat {

// `graph` is the part of a step that PartitionGraph made for one device. If the
// device is a GPU, puts a _CopyToHost or a _CopyToDevice on each edge whose
// producer and consumer have the tensor in different memories, as their kernel
// signatures say (graph/analysis/node_memory.h). A tensor is copied once for
// all its consumers. A consumer that takes the value of a reference gets a copy
// of its own, which is made after everything else that the consumer waits for.
//
// A node for which KernelSignature::may_run_on_host holds, and whose inputs are
// all in host memory, gets the attr kRunsOnHost.
//
// A node without a kernel on GPUs stays as it is; the compilation of the graph
// refuses it. Fails as MemoryOf and TopologicalOrder do.
absl::Status InsertDeviceCopies(const DeviceType& device_type, Graph& graph);

}  // namespace leat

#endif  // LEAT_PARTITIONER_DEVICE_COPIES_H_
