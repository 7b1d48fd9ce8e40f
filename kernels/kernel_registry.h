// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelRegistry: finds the factory of an op's kernel for a device type. Filled
// once, then const and thread-safe. Types and attrs are constrained by the op's
// KernelSignature; a test finds code without one and the reverse.
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

// Makes the kernel of one node; INVALID_ARGUMENT for attrs it cannot run with.
using KernelFactory =
    absl::StatusOr<std::unique_ptr<Kernel>> (*)(const NodeDef& node);

class KernelRegistry {
 public:
  // REQUIRES: not registered yet for this op and device type.
  void Add(absl::string_view op, absl::string_view device_type,
           KernelFactory factory);

  // NOT_FOUND naming op and device type; else what the factory says.
  absl::StatusOr<std::unique_ptr<Kernel>> Create(
      const NodeDef& node, absl::string_view device_type) const;

  // (op, device type), sorted.
  std::vector<std::pair<std::string, std::string>> Registered() const;

 private:
  absl::flat_hash_map<std::pair<std::string, std::string>, KernelFactory>
      factories_;
};

// A factory for a kernel whose constructor needs nothing from the node.
template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> Make(const NodeDef&) {
  return std::unique_ptr<Kernel>(std::make_unique<K>());
}

// A kernel that is one function without state:
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

// Wraps the choice of a template by one type attr: `make(TypeTag<T>{})` returns
// a unique_ptr<Kernel>. INVALID_ARGUMENT naming node and type outside the list.
absl::Status UnsupportedType(const NodeDef& node, absl::string_view attr,
                             DType dtype);
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

namespace kernels::any {
void RegisterAll(KernelRegistry& registry);
}  // namespace kernels::any
namespace kernels::cpu {
void RegisterAll(KernelRegistry& registry);
}  // namespace kernels::cpu

// Every kernel compiled into this library.
void RegisterAllKernels(KernelRegistry& registry);

}  // namespace leat

#endif  // LEAT_KERNELS_KERNEL_REGISTRY_H_
