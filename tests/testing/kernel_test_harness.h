// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelTestHarness runs one kernel on given inputs, without a graph, a session
// or an executor. Kernel tests and the op cases use it.
//
//   KernelTestHarness harness;
//   auto outputs = harness.Run("Add", {}, {Tensor::Scalar(1.f), ...});
//
// The harness uses OpRegistry, KernelSignatures and KernelRegistry as a session
// does: attrs get their defaults, types are checked, and a kernel does not run
// if its signatures do not accept the attrs.
#ifndef LEAT_TESTS_TESTING_KERNEL_TEST_HARNESS_H_
#define LEAT_TESTS_TESTING_KERNEL_TEST_HARNESS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/background_work.h"
#include "leat/core/threads/cancellation.h"
#include "leat/graph/analysis/node_memory.h"
#include "leat/graph/op_registry.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/session_services.h"
#include "leat/tests/testing/gpu/test_gpu.h"

namespace leat::testing {

// AllOps returns a registry of every op of this library. AllKernels returns a
// registry of every kernel. Both are made on first use.
const OpRegistry& AllOps();
const KernelRegistry& AllKernels();

// TensorValue returns the value of an ordinary input. RefValue returns the
// value of a reference to a variable.
Value TensorValue(Tensor tensor);
Value RefValue(std::shared_ptr<kernels::Variable> variable);

// Owns a kernel and the node that it was made for. The kernel may be run many
// times.
class TestKernel {
 public:
  const NodeDef& node() const { return *node_; }
  const Kernel& kernel() const { return *kernel_; }

 private:
  friend class KernelTestHarness;
  std::unique_ptr<NodeDef> node_;
  std::unique_ptr<Kernel> kernel_;
};

// Is thread-compatible. Owns the device, its threads and the resources that
// kernels make. Kernels use these and so must not outlive the harness.
class KernelTestHarness {
 public:
  // Runs the kernels of a CPU. They share a pool of `num_threads` threads.
  explicit KernelTestHarness(int num_threads = 2);
  // Runs the kernels of a GPU that are in `kernels`, which is borrowed.
  KernelTestHarness(std::unique_ptr<TestGpu> gpu,
                    const KernelRegistry& kernels);
  ~KernelTestHarness();

  // Returns the kernel for a node "test" with these inputs. If type attrs,
  // lengths of lists or lists of types are absent, they are derived from the
  // input types. Returns INVALID_ARGUMENT if the inputs do not fit the op, and
  // NOT_FOUND if no kernel signature accepts the attrs.
  absl::StatusOr<TestKernel> Make(absl::string_view op, AttrMap attrs,
                                  const std::vector<DType>& input_types);

  // Runs the kernel once, waits for it if it is async, and returns its outputs.
  // A kernel of a GPU gets copies of the inputs in the memory of the GPU,
  // except for those that its signature keeps in host memory. The outputs are
  // copied to host memory. The Value of a dead output is dead, and the Value of
  // an output that the kernel did not set is empty. The kernel may write into
  // tensors that were moved into `inputs`.
  absl::StatusOr<std::vector<Value>> Run(const TestKernel& kernel,
                                         std::vector<Value> inputs);

  // Makes the kernel, runs it and returns the tensors of its outputs. Returns
  // INTERNAL if an output has no tensor, or if its dtype is not the dtype that
  // the node declares.
  absl::StatusOr<std::vector<Tensor>> Run(absl::string_view op, AttrMap attrs,
                                          std::vector<Tensor> inputs);

  // Makes a kernel that has one output, runs it and returns the tensor of the
  // output. Returns INTERNAL if the kernel has no output or several.
  absl::StatusOr<Tensor> RunOne(absl::string_view op, AttrMap attrs,
                                std::vector<Tensor> inputs);

  // ToDevice returns a copy of a tensor in the memory of the device. ToHost
  // returns a copy in host memory. On a CPU, both return the tensor itself.
  Tensor ToDevice(const Tensor& tensor);
  Tensor ToHost(const Tensor& tensor);

  // Deletes the resources that live until their step ends. Without this call,
  // all runs of the harness are one step.
  void EndStep() { step_resources_.Clear(); }

  // Returns the services that kernels get when they run. A test may set
  // `rendezvous`, `args` and `returns`.
  StepServices& services() { return services_; }
  Device& device() { return *device_; }
  ResourceStore& resources() { return resources_; }

 private:
  void FillServices();
  // Copies the inputs to the memory of the GPU, except for those that the
  // kernel expects in host memory.
  void CopyInputs(const NodeMemory& memory, std::vector<Value>& inputs);

  const std::unique_ptr<WorkQueue> queue_;  // null if the device is a GPU
  TestGpu* const gpu_ = nullptr;            // null if the device is a CPU
  const KernelRegistry& kernels_;
  const std::unique_ptr<Device> device_;
  BackgroundWork background_;
  ResourceStore resources_;
  ResourceStore step_resources_;
  SessionServices session_;
  Cancellation cancellation_;
  StepServices services_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_KERNEL_TEST_HARNESS_H_
