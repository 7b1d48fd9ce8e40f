// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelTestHarness: runs one kernel on given inputs, without a graph, a
// session or an executor. Used by kernel tests and by the op cases.
//
//   KernelTestHarness harness;
//   auto outputs = harness.Run("Add", {}, {Tensor::Scalar(1.f), ...});
//
// Goes through OpRegistry, KernelSignatures and KernelRegistry as a session
// does: attrs get their defaults, types are checked, a kernel without a
// signature that accepts the attrs does not run.
#ifndef LEAT_TESTS_TESTING_KERNEL_TEST_HARNESS_H_
#define LEAT_TESTS_TESTING_KERNEL_TEST_HARNESS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/core/device.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/resource_store.h"

namespace leat::testing {

// Every op and every kernel of this library, made on first use.
const OpRegistry& AllOps();
const KernelRegistry& AllKernels();

// An ordinary input, or a reference to a variable.
Value TensorValue(Tensor tensor);
Value RefValue(std::shared_ptr<kernels::Variable> variable);

// A kernel and the node it was made for; may be run many times.
class TestKernel {
 public:
  const NodeDef& node() const { return *node_; }
  const Kernel& kernel() const { return *kernel_; }

 private:
  friend class KernelTestHarness;
  std::unique_ptr<NodeDef> node_;
  std::unique_ptr<Kernel> kernel_;
};

// Thread-compatible. Resources live as long as the harness.
class KernelTestHarness {
 public:
  // Kernels share a pool of so many threads.
  explicit KernelTestHarness(int num_threads = 2);
  ~KernelTestHarness();

  // The kernel for a node "test" with these inputs. Type attrs, lengths of
  // lists and type lists that are absent are derived from the input types.
  absl::StatusOr<TestKernel> Make(absl::string_view op, AttrMap attrs,
                                  const std::vector<DType>& input_types);

  // One run, waiting for an async kernel; an output that is dead or not set
  // has that Value. Moved-in tensors may be reused by the kernel.
  absl::StatusOr<std::vector<Value>> Run(const TestKernel& kernel,
                                         std::vector<Value> inputs);

  // Both together; the outputs' tensors. An output without a tensor is
  // INTERNAL.
  absl::StatusOr<std::vector<Tensor>> Run(absl::string_view op, AttrMap attrs,
                                          std::vector<Tensor> inputs);

  // For kernels of one output.
  absl::StatusOr<Tensor> RunOne(absl::string_view op, AttrMap attrs,
                                std::vector<Tensor> inputs);

  // What runs see; a test may set rendezvous, args, returns.
  StepServices& services() { return services_; }
  Device& device() { return *device_; }
  ResourceStore& resources() { return resources_; }

 private:
  const std::unique_ptr<WorkQueue> queue_;
  const std::unique_ptr<Device> device_;
  ResourceStore resources_;
  ResourceStore step_resources_;
  Cancellation cancellation_;
  StepServices services_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_KERNEL_TEST_HARNESS_H_
