// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelContext gives a kernel what it needs while it runs: the inputs and
// outputs of its node, memory, threads, and the services of its step.
//
//   class Twice final : public Kernel {
//     absl::Status Compute(KernelContext& context) const override {
//       const Tensor& x = context.input(0);
//       LEAT_ASSIGN_OR_RETURN(Tensor* const y,
//                             context.ForwardOrAllocate({0}, 0, x.shape()));
//       for (size_t i = 0; i < x.data<float>().size(); ++i) {
//         y->mutable_data<float>()[i] = 2 * x.data<float>()[i];
//       }
//       return absl::OkStatus();
//     }
//   };
#ifndef LEAT_KERNELS_KERNEL_CONTEXT_H_
#define LEAT_KERNELS_KERNEL_CONTEXT_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/cancellation.h"

namespace leat {

class CollectiveResolver;
class FunctionCaller;
class ResourceStore;
class StepObserver;
struct SessionServices;
struct NodeDef;
struct NodeMemory;

namespace kernels {
class Variable;
}  // namespace kernels

// Holds the value on one edge of the graph. It is exactly one of: a tensor, a
// reference to a variable, dead (the value of a branch that is not taken), or
// empty (an output that was not set).
struct Value {
  Tensor tensor = {};
  std::shared_ptr<kernels::Variable> ref = {};
  bool dead = false;

  // Returns true if nothing has been set.
  bool IsEmpty() const { return !tensor.IsValid() && ref == nullptr && !dead; }
  // Drops the tensor or reference, which frees the memory if nothing else uses
  // it.
  void Clear() {
    tensor.Reset();
    ref.reset();
    dead = false;
  }
};

// Holds the services that all kernel runs of one step on one device share. All
// pointers and spans are borrowed and stay valid until the step ends.
struct StepServices {
  Device* device = nullptr;
  ResourceStore* resources = nullptr;       // the device's; outlives the step
  ResourceStore* step_resources = nullptr;  // the step's; freed with the step
  Rendezvous* rendezvous = nullptr;
  Cancellation* cancellation = nullptr;
  int64_t step_id = 0;
  // Hold the feeds and fetches of the step by position: _Arg reads args[index],
  // _Retval writes returns[index]. Only one node uses an index, so no lock is
  // needed.
  absl::Span<const Tensor> args = {};
  absl::Span<Tensor> returns = {};
  // Calls functions of the graph's library. Is null if the graph has none.
  FunctionCaller* functions = nullptr;
  // Are the services that a resource may use after the step. Is null where
  // nothing may outlive the step.
  const SessionServices* session = nullptr;
  // Finds the groups of collectives. Is null if the step cannot run
  // collectives.
  CollectiveResolver* collectives = nullptr;
  // Watches the step and the functions that it calls. Null if nobody does.
  StepObserver* observer = nullptr;
  // Says in how many calls of functions, one inside the other, the step runs. A
  // step that a client runs has depth 0.
  int call_depth = 0;
};

// Tells where the values of a node are stored. Inputs are read from the slots
// that their producers filled; outputs go to consecutive slots of the node
// itself. The arrays are borrowed and stay valid during the kernel's run.
struct ValueSlots {
  // Holds all slots of the loop iteration in which the node runs or, outside of
  // loops, of the graph.
  Value* slots = nullptr;
  // Holds the number of consumers that still have to read each slot. The last
  // consumer may reuse the value's bytes.
  const int32_t* readers = nullptr;
  absl::Span<const int32_t> inputs = {};  // slot of each input
  int32_t first_output = 0;
  int32_t num_outputs = 0;
  // Says which tensors are in host memory (graph/analysis/node_memory.h). Is
  // null if all are in ordinary memory of the host.
  const NodeMemory* memory = nullptr;
};

// Holds the loop and the iteration in which a kernel runs, and whether the node
// is dead there. Frame 0 is outside of all loops.
struct RunPosition {
  uint64_t frame_id = 0;
  int64_t iteration = 0;
  bool is_dead = false;
};

// A KernelContext is one run of one kernel. It is used by one thread at a time;
// an asynchronous kernel may use it on another thread until it calls `done`. A
// KernelContext borrows the node, the step and the slots.
class KernelContext {
 public:
  // Borrows `node`, `step` and the arrays in `values`, which must outlive the
  // context.
  KernelContext(const NodeDef& node, const StepServices& step,
                const ValueSlots& values, const RunPosition& position = {})
      : node_(&node), step_(&step), values_(values), position_(position) {}

  // Returns the node that runs, with its attrs and dtypes.
  const NodeDef& node() const { return *node_; }
  // Returns what the step offers: the device, resources, rendezvous and
  // cancellation.
  const StepServices& step() const { return *step_; }
  // These return the loop and the iteration in which the node runs. Both are 0
  // outside of loops.
  uint64_t frame_id() const { return position_.frame_id; }
  int64_t iteration() const { return position_.iteration; }
  // Returns true if the node is on a branch that is not taken. Among dead
  // nodes, only a _Send runs its kernel, because it must tell its _Recv that
  // the tensor is dead.
  bool is_dead() const { return position_.is_dead; }

  // The next functions read the inputs. The import of the graph has checked
  // that the inputs have the number and the dtypes that the node declares. The
  // kernel itself must check shapes and values. If an input is a reference but
  // the op declares no reference argument for it, the executor has put a
  // snapshot of the variable into the tensor.
  int num_inputs() const { return static_cast<int>(values_.inputs.size()); }
  const Tensor& input(int i) const { return value(i).tensor; }
  // Returns the variable that input `i` refers to, or null if the input is not
  // a reference.
  const std::shared_ptr<kernels::Variable>& input_ref(int i) const {
    return value(i).ref;
  }
  // Returns true if input `i` has a live value. Returns false if the input is
  // dead or is not set. Only a _Send runs with a dead input.
  bool HasInput(int i) const {
    return !value(i).dead && (value(i).tensor.IsValid() || value(i).ref);
  }

  int num_outputs() const { return values_.num_outputs; }

  // Returns true if output `i` must be in memory of the host. Otherwise it must
  // be in the memory of the GPU.
  bool IsOutputOnHost(int i) const {
    return values_.memory == nullptr || IsInHostMemory(i);
  }

  // Allocates output `i` with the dtype that the node declares, in the memory
  // that the kernel's signature declares. The tensor is uninitialised, or holds
  // empty strings, handles or variants. The pointer is valid until the kernel
  // is done. `held_bytes` is how many bytes the strings, handles or variants
  // will hold outside of the tensor's buffer (see Tensor::Allocate). Returns
  // RESOURCE_EXHAUSTED if there is no memory.
  absl::StatusOr<Tensor*> AllocateOutput(int i, const Shape& shape,
                                         int64_t held_bytes = 0);

  // Allocates output `i` as AllocateOutput does, but reuses the bytes of the
  // first input in `candidates` for which MayReuseInput is true and which has
  // the output's dtype and number of elements. The output may then share its
  // bytes with an input, so the kernel must read each input element before it
  // overwrites it.
  absl::StatusOr<Tensor*> ForwardOrAllocate(
      std::initializer_list<int> candidates, int i, const Shape& shape);

  // Allocates an uninitialised tensor in the memory in which the kernel works,
  // for use during this run. A kernel on a GPU may drop the tensor as soon as
  // the work that uses it is queued. Returns RESOURCE_EXHAUSTED if there is no
  // memory.
  absl::StatusOr<Tensor> AllocateTemporary(DType dtype, const Shape& shape);

  // Sets output `i` to `tensor`, which may share its bytes with an input.
  void set_output(int i, Tensor tensor) {
    output(i).tensor = std::move(tensor);
  }
  // Makes output `i` a reference to `variable`.
  void set_output_ref(int i, std::shared_ptr<kernels::Variable> variable) {
    output(i).ref = std::move(variable);
  }
  // Makes output `i` dead, so that its consumers do not run. Only the kernels
  // of Switch and _Recv may call this.
  void set_output_dead(int i) { output(i).dead = true; }

  // Returns true if all other readers of input `i` are done and nothing else
  // shares the input's bytes. The kernel may then change or keep the bytes.
  bool MayReuseInput(int i) const;

  // Returns the thread pool for ParallelFor.
  WorkQueue& compute_queue() const { return step_->device->compute_queue(); }

 private:
  const Value& value(int i) const { return values_.slots[values_.inputs[i]]; }
  Value& output(int i) { return values_.slots[values_.first_output + i]; }
  // Returns true if output `i` is in host memory. REQUIRES: values_.memory is
  // not null.
  bool IsInHostMemory(int i) const;
  // Allocates output `i` in pinned memory, if GPUs will read it and there is
  // pinned memory left. Otherwise returns null.
  Tensor* AllocatePinned(int i, const Shape& shape);
  // Returns the error for a failed allocation: the GPU's error if the GPU has
  // failed, and otherwise `status`, the allocator's error.
  absl::Status AllocationError(const absl::Status& status) const;

  const NodeDef* node_;
  const StepServices* step_;
  ValueSlots values_;
  RunPosition position_;
};

}  // namespace leat

#endif  // LEAT_KERNELS_KERNEL_CONTEXT_H_
