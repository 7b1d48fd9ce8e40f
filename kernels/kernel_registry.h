// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelRegistry maps an op and a device type to the factory of the kernel.
// This header also has helpers for writing factories. The KernelSignature in
// the op's file lists which dtypes and attrs a kernel supports. A test finds
// kernels without a signature and signatures without a kernel.
//
// The files of kernels/any/, kernels/cpu/ and kernels/cuda/ register the
// kernels of this library (docs/adding.md). A program with kernels of its own
// makes a registry that has both:
//
//   KernelRegistry kernels;
//   RegisterAllKernels(kernels);  // the kernels of this library
//   kernels.Add("Twice", kCpu, &MakeFunction<&ComputeTwice>);
//   LEAT_ASSIGN_OR_RETURN(auto session, NewLocalSession(graph, {}, kernels));
#ifndef LEAT_KERNELS_KERNEL_REGISTRY_H_
#define LEAT_KERNELS_KERNEL_REGISTRY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel.h"

namespace leat {

// Makes the kernel of one node. Returns INVALID_ARGUMENT if the kernel cannot
// run with the attrs of the node.
using KernelFactory =
    absl::StatusOr<std::unique_ptr<Kernel>> (*)(const NodeDef& node);

// Is thread-compatible. After it has been filled, any number of threads may
// read it.
class KernelRegistry {
 public:
  // Registers `factory` for one op and one device type. REQUIRES: the pair is
  // not registered yet.
  void Add(absl::string_view op, absl::string_view device_type,
           KernelFactory factory);

  // Registers `factory` for CPUs and for GPUs. The kernel may access only
  // elements that are in host memory even if the node is on a GPU.
  void AddForAllDevices(absl::string_view op, KernelFactory factory);

  // Makes a kernel for `node`. Returns NOT_FOUND, with the op and the device
  // type, if no factory is registered for them. Otherwise returns what the
  // factory returns.
  absl::StatusOr<std::unique_ptr<Kernel>> Create(
      const NodeDef& node, absl::string_view device_type) const;

  // Returns all registered pairs (op, device type), sorted.
  std::vector<std::pair<std::string, std::string>> Registered() const;

 private:
  absl::flat_hash_map<std::pair<std::string, std::string>, KernelFactory>
      factories_;
};

// Is a factory for a kernel class whose constructor needs nothing from the
// node: `registry.Add("QueueDequeueV2", kCpu, &Make<Dequeue>);`
template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> Make(const NodeDef&) {
  return std::unique_ptr<Kernel>(std::make_unique<K>());
}

// Is a factory for a kernel that is a single function without state:
// `registry.Add("Shape", kCpu, &MakeFunction<&ComputeShape>);`
using KernelFunction = absl::Status (*)(KernelContext&);
template <KernelFunction function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeFunction(const NodeDef&) {
  class FunctionKernel final : public Kernel {
    absl::Status Compute(KernelContext& context) const final {
      return function(context);
    }
  };
  return std::unique_ptr<Kernel>(std::make_unique<FunctionKernel>());
}

// Returns INVALID_ARGUMENT. The message names the node and the type, and says
// that the op has no kernel for `dtype` in the type attr `attr`.
absl::Status UnsupportedType(const NodeDef& node, absl::string_view attr,
                             DType dtype);

// Makes the kernel of a node from a class template over the element type T. T
// is the C++ type for the dtype in the node's type attr `attr`. Calls
// `make(TypeTag<T>{})`, which returns a unique_ptr<Kernel>. Returns the error
// UnsupportedType if the dtype is not in `list`.
//
//   return MakeForType(node, "T", kFloats,
//                      [](auto tag) -> std::unique_ptr<Kernel> {
//                        using T = typename decltype(tag)::type;
//                        return std::make_unique<L2Loss<T>>();
//                      });
template <class List, class MakeKernel>
absl::StatusOr<std::unique_ptr<Kernel>> MakeForType(const NodeDef& node,
                                                    absl::string_view attr,
                                                    List list,
                                                    MakeKernel make) {
  auto dtype = node.attrs.Get<DType>(attr);
  if (!dtype.ok()) return dtype.status();
  std::unique_ptr<Kernel> kernel;
  if (!VisitDType(list, *dtype, [&](auto tag) { kernel = make(tag); })) {
    return UnsupportedType(node, attr, *dtype);
  }
  return kernel;
}

// These functions register the kernels of kernels/any, kernels/datasets,
// kernels/cpu and kernels/cuda. CMake generates them from the names of the
// files there.
namespace kernels::any {
void RegisterAll(KernelRegistry& registry);
}  // namespace kernels::any
namespace kernels::datasets {
void RegisterAll(KernelRegistry& registry);
}  // namespace kernels::datasets
namespace kernels::cpu {
void RegisterAll(KernelRegistry& registry);
}  // namespace kernels::cpu
namespace kernels::cuda {
void RegisterAll(KernelRegistry& registry);
}  // namespace kernels::cuda

// Registers every kernel that is compiled into this library.
void RegisterAllKernels(KernelRegistry& registry);

}  // namespace leat

#endif  // LEAT_KERNELS_KERNEL_REGISTRY_H_
