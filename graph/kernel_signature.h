// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelSignature says that an op has a kernel for a device type, and what
// planning must know about the kernel. The signatures are data in the file of
// the op (graph/ops/), which is part of every build. So a master that was built
// without CUDA can plan for a task with a GPU. All types here are values and
// thread-compatible.
#ifndef LEAT_GRAPH_KERNEL_SIGNATURE_H_
#define LEAT_GRAPH_KERNEL_SIGNATURE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/graph/attr.h"

namespace leat {

// Says which types the kernel supports. The value of the attr `attr` must be
// one of `types`. If the attr is a list, every element must be one of them.
struct TypeConstraint {
  std::string attr = {};
  std::vector<DType> types = {};
};

// Says whether it is worth using another thread for a kernel.
enum class CostClass : uint8_t {
  // Takes almost no time, regardless of the sizes of its tensors. If the kernel
  // is asynchronous, only its start must be this quick. A thread that must not
  // compute, such as a thread of a transport, may run the kernel.
  kQuick,
  // Runs on the thread that made the node ready.
  kCheap,
  // Goes to the thread pool if the current thread has anything else to do.
  kExpensive,
};

// One kernel of an op: the device type and types that it supports, and its
// properties.
struct KernelSignature {
  std::string device_type = "CPU";
  std::vector<TypeConstraint> constraints = {};  // all must hold
  // Hold the names of the op's arguments whose tensors are in host memory even
  // if the node is on a GPU, as in TensorFlow. Strings, handles and variant
  // objects need not be named here: they are always in host memory. The tensors
  // in a variant are not.
  std::vector<std::string> host_inputs = {};
  std::vector<std::string> host_outputs = {};
  // Is true if the int32 tensors of a node on a GPU are in host memory, too.
  // Such tensors are mostly shapes and indices.
  bool int32_on_host = false;
  // Is true if a node on a GPU runs the kernel for CPUs. All its tensors are
  // then in host memory.
  bool runs_on_host = false;
  // Is true if a node on a GPU runs the kernel for CPUs when all its inputs are
  // in host memory (partitioner/device_copies.h).
  bool may_run_on_host = false;
  // Placement prefers the device type whose kernel has the highest priority.
  int priority = 0;
  CostClass cost = CostClass::kCheap;
  bool foldable = true;  // constant folding may run it
};

// Returns true if a node with these attrs satisfies every constraint.
bool Accepts(const KernelSignature& signature, const AttrMap& attrs);

// Return the signature of a CPU kernel. OnCpu sets the cost to kCheap,
// QuickOnCpu to kQuick, and ExpensiveOnCpu to kExpensive. The files of ops
// write, for example, `OnCpu({{"T", kFloats.dtypes()}})`.
KernelSignature OnCpu(std::vector<TypeConstraint> constraints = {});
KernelSignature QuickOnCpu();
KernelSignature ExpensiveOnCpu(std::vector<TypeConstraint> constraints = {});
// OnGpu returns the signature of a GPU kernel. Such a kernel never runs on a
// thread that must not compute, and constant folding does not use it.
// InHostMemory returns `signature` with the names of the arguments whose
// tensors stay in host memory.
KernelSignature OnGpu(std::vector<TypeConstraint> constraints = {});
KernelSignature InHostMemory(KernelSignature signature,
                             std::vector<std::string> host_inputs,
                             std::vector<std::string> host_outputs = {});
// Returns the signature of a GPU kernel that passes on tensors of any type
// without reading them. Int32 tensors are in host memory.
KernelSignature RoutesOnGpu();
// Returns two signatures, for CPUs and for GPUs, of a kernel that only passes
// on its inputs. This takes almost no time. Such a kernel is never folded.
std::vector<KernelSignature> RoutesOnAllDevices(
    std::vector<std::string> host_inputs = {},
    std::vector<std::string> host_outputs = {});
// Returns the GPU signature of a kernel whose tensors are all in host memory.
// An example is arithmetic on shapes. The node is on the GPU, but runs the
// kernel for CPUs.
KernelSignature HostOnGpu(std::vector<TypeConstraint> constraints = {});
// Returns the GPU signature of a kernel. A node whose inputs are all in host
// memory runs the kernel for CPUs instead. An example is the condition of a
// loop, which the host must know.
KernelSignature HostOrGpu();
// Returns `signature` with `foldable` cleared.
KernelSignature NotFoldable(KernelSignature signature);

}  // namespace leat

#endif  // LEAT_GRAPH_KERNEL_SIGNATURE_H_
