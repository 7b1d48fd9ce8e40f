// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelContext: what a running kernel sees: its inputs, a place for its
// outputs, memory, threads and the services of its step. One per kernel run;
// used by one thread at a time.
#ifndef LEAT_KERNELS_KERNEL_CONTEXT_H_
#define LEAT_KERNELS_KERNEL_CONTEXT_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/cancellation.h"
#include "leat/core/device.h"
#include "leat/core/rendezvous.h"
#include "leat/core/tensor.h"

namespace leat {

class ResourceStore;
class Variable;
struct NodeDef;

namespace kernels {
class Variable;
}  // namespace kernels

// A value on an edge. Exactly one of: a tensor, a reference, dead (the branch
// not taken), or nothing (an output not set).
struct Value {
  Tensor tensor = {};
  std::shared_ptr<kernels::Variable> ref = {};
  bool dead = false;

  bool IsEmpty() const { return !tensor.IsValid() && ref == nullptr && !dead; }
  void Clear() {
    tensor.Reset();
    ref.reset();
    dead = false;
  }
};

// What all kernel runs of one step on one device share. Borrowed.
struct StepServices {
  Device* device = nullptr;
  ResourceStore* resources = nullptr;       // of the device, outlives the step
  ResourceStore* step_resources = nullptr;  // freed with the step
  Rendezvous* rendezvous = nullptr;
  Cancellation* cancellation = nullptr;
  int64_t step_id = 0;
  // Feeds and fetches by position: _Arg(index) reads, _Retval(index) writes,
  // each index by one node only.
  absl::Span<const Tensor> args = {};
  absl::Span<Tensor> returns = {};
};

// Where a node's values are: inputs are read in the slots that their producers
// filled, outputs are the node's own consecutive slots. Borrowed for the run.
struct ValueSlots {
  Value* slots = nullptr;
  // Readers a slot still has; the last one may reuse its bytes.
  const int32_t* readers = nullptr;
  absl::Span<const int32_t> inputs = {};  // slot of each input
  int32_t first_output = 0;
  int32_t num_outputs = 0;
};

// Where in the step a kernel runs: the loop (0 outside of loops) and its
// iteration.
struct RunPosition {
  uint64_t frame_id = 0;
  int64_t iteration = 0;
  bool is_dead = false;
};

class KernelContext {
 public:
  KernelContext(const NodeDef& node, const StepServices& step,
                const ValueSlots& values, const RunPosition& position = {})
      : node_(&node), step_(&step), values_(values), position_(position) {}

  const NodeDef& node() const { return *node_; }
  const StepServices& step() const { return *step_; }
  uint64_t frame_id() const { return position_.frame_id; }
  int64_t iteration() const { return position_.iteration; }
  // The node is on a branch not taken. Only _Send runs then, to say so.
  bool is_dead() const { return position_.is_dead; }

  // Import has checked that inputs have the node's types and number; shapes
  // and values are the kernel's to check. The executor has put a snapshot in
  // the tensor of a ref input unless the op declares that argument a ref.
  int num_inputs() const { return static_cast<int>(values_.inputs.size()); }
  const Tensor& input(int i) const { return value(i).tensor; }
  // The variable of a ref input; null for an ordinary one.
  const std::shared_ptr<kernels::Variable>& input_ref(int i) const {
    return value(i).ref;
  }
  // For Merge, which runs when one input is there: the others are not set.
  bool HasInput(int i) const {
    return !value(i).dead && (value(i).tensor.IsValid() || value(i).ref);
  }

  int num_outputs() const { return values_.num_outputs; }

  // A fresh output of the node's dtype; valid until the kernel is done.
  // RESOURCE_EXHAUSTED when there is no memory. `held_bytes`: what its objects
  // are going to hold (Tensor::Allocate).
  absl::StatusOr<Tensor*> AllocateOutput(int i, const Shape& shape,
                                         int64_t held_bytes = 0);

  // The same, reusing the bytes of the first of `candidates` (input indices)
  // that MayReuseInput and has the dtype and element count. The kernel must
  // cope with an output that is one of its inputs.
  absl::StatusOr<Tensor*> ForwardOrAllocate(
      std::initializer_list<int> candidates, int i, const Shape& shape);

  // Scratch memory of the device, or of the host.
  absl::StatusOr<Tensor> AllocateTemporary(DType dtype, const Shape& shape);

  void set_output(int i, Tensor tensor) {
    output(i).tensor = std::move(tensor);
  }
  void set_output_ref(int i, std::shared_ptr<kernels::Variable> variable) {
    output(i).ref = std::move(variable);
  }
  // Switch and Recv only: whoever needs this output does not run.
  void set_output_dead(int i) { output(i).dead = true; }

  // This kernel is the only reader left of input i and nothing else shares its
  // bytes, so they may be changed or kept.
  bool MayReuseInput(int i) const;

  WorkQueue& compute_queue() const { return step_->device->compute_queue(); }

 private:
  const Value& value(int i) const { return values_.slots[values_.inputs[i]]; }
  Value& output(int i) { return values_.slots[values_.first_output + i]; }

  const NodeDef* node_;
  const StepServices* step_;
  ValueSlots values_;
  RunPosition position_;
};

}  // namespace leat

#endif  // LEAT_KERNELS_KERNEL_CONTEXT_H_
