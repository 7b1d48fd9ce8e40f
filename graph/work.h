// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Work says how much one run of a node has to do. Planning estimates from it
// how long the node takes on a device that has never run it
// (partitioner/costs/). An op whose work is not element-wise has a work
// function in its OpSpec, beside its shape function:
//
//   // Each element of the product takes k multiplications and additions.
//   Work MatMulWork(const WorkContext& context) {
//     Work work = ElementWiseWork(context);
//     const double k =
//         context.InputExtent(0, context.Flag("transpose_a") ? 0 : 1);
//     work.flops = 2 * k * FlopsOf(context.output(0));
//     return work;
//   }
//
// work_functions.h has the work functions that many ops share. The numbers
// describe what every kernel of the op must do: what is moved when caches are
// ideal, without the copies that a CPU makes to compute 16-bit floats in float.
//
// All types here are values and thread-compatible, and all functions are
// thread-safe.
#ifndef LEAT_GRAPH_WORK_H_
#define LEAT_GRAPH_WORK_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/shape.h"
#include "leat/graph/attr.h"
#include "leat/graph/op_def.h"

namespace leat {

// Counts what one run of a node does. The numbers are doubles because sums of
// products of untrusted sizes must not overflow. None of them is negative or
// NaN.
struct Work {
  double flops = 0;  // operations on numbers; a multiply-add counts as two
  // Count the bytes of tensors. A tensor that is only passed on, or whose bytes
  // an output shares, is neither read nor written.
  double bytes_read = 0;
  double bytes_written = 0;
  // Is the memory that the kernel allocates besides its outputs while it runs,
  // as far as it does not depend on the number of threads.
  double scratch_bytes = 0;

  friend bool operator==(const Work&, const Work&) = default;
};

// Describes a tensor by what its bytes depend on.
struct TensorSpec {
  DType dtype = DType::kInvalid;
  Shape shape = {};

  double num_elements() const {
    return static_cast<double>(shape.num_elements());
  }
  // Returns the size of the elements. A string, handle or variant counts as the
  // object that stands in the tensor, without what it holds elsewhere.
  double num_bytes() const;
};

// Returns the operations of one addition or multiplication for each element of
// `tensor`: one if it is a real number, and four if it is a complex one.
double FlopsOf(const TensorSpec& tensor);

// Is the argument of a work function: a node whose shapes are all known.
// Borrows everything that it is given.
class WorkContext {
 public:
  // `handles` describes, by input, the tensors behind resource handles. It may
  // be shorter than `inputs`.
  WorkContext(const OpDef& op, const AttrMap& attrs,
              absl::Span<const TensorSpec> inputs,
              absl::Span<const TensorSpec> outputs,
              absl::Span<const TensorSpec> handles = {})
      : op_(op),
        attrs_(attrs),
        inputs_(inputs),
        outputs_(outputs),
        handles_(handles) {}

  const OpDef& op() const { return op_; }
  const AttrMap& attrs() const { return attrs_; }
  absl::Span<const TensorSpec> inputs() const { return inputs_; }
  absl::Span<const TensorSpec> outputs() const { return outputs_; }
  // Return input or output `i`, or a scalar without a type if there is none.
  const TensorSpec& input(int i) const;
  const TensorSpec& output(int i) const;
  // Returns the variable that input `i`, a reference or a resource handle,
  // refers to. Returns a scalar without a type if nothing is known of it.
  const TensorSpec& variable(int i) const;
  // Returns extent `axis` of input `i`, which counts from the end if it is
  // negative. Returns 1 if there is no such extent.
  double InputExtent(int i, int axis) const;
  double OutputExtent(int i, int axis) const;
  // Returns the value of a bool attr, or false if there is none.
  bool Flag(absl::string_view attr) const;

 private:
  const OpDef& op_;
  const AttrMap& attrs_;
  absl::Span<const TensorSpec> inputs_;
  absl::Span<const TensorSpec> outputs_;
  absl::Span<const TensorSpec> handles_;
};

// Returns the work of an op that reads all its inputs, writes all its outputs,
// and does one operation for each element of the largest of them.
Work ElementWiseWork(const WorkContext& context);

// Returns the work of a node: what the work function of its op says, or
// ElementWiseWork if the op has none. An infinite or negative number, or a NaN,
// becomes a large finite number or zero, so that untrusted sizes cannot make
// sums meaningless.
Work WorkOf(const WorkContext& context);

}  // namespace leat

#endif  // LEAT_GRAPH_WORK_H_
