// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InferenceContext is the argument of a shape function. It holds what is known
// of the inputs of one node, and stores what the function infers of the
// outputs. In this example, the output of the op is a vector that is as long as
// the first axis of the input:
//
//   absl::Status FirstAxisShape(InferenceContext& context) {
//     LEAT_ASSIGN_OR_RETURN(const PartialShape input,
//                           context.WithRankAtLeast(0, 1));
//     context.set_output(0, Subshape(input, 0, 1));
//     return absl::OkStatus();
//   }
//
// Graphs are untrusted, so every accessor here checks its arguments.
// shape_functions.h has more helpers for shape functions.
#ifndef LEAT_GRAPH_SHAPE_INFERENCE_H_
#define LEAT_GRAPH_SHAPE_INFERENCE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_def.h"

namespace leat {

// Describes the tensor that a resource handle stands for, or the elements of
// the list in a variant, as far as they are known.
struct HandleShape {
  DType dtype = DType::kInvalid;
  PartialShape shape = {};
};

// Describes what is known of one output before a step runs. Copies share
// `value`.
struct InferredOutput {
  PartialShape shape = {};
  // Describes the tensor behind a resource handle, or the elements of a list in
  // a variant. Is not set if nothing is known of them.
  std::optional<HandleShape> handle = {};
  // Is the value if it is constant and has at most kMaxKnownElements elements,
  // and otherwise null.
  std::shared_ptr<const Tensor> value = {};
  // Holds the values of an int32 or int64 vector, if only some of them are
  // known. An example is the shape of a batch of unknown size. Unknown extents
  // stand for the unknown values.
  std::optional<PartialShape> value_as_shape = {};
};
inline constexpr int64_t kMaxKnownElements = 1024;

// Returns true if the handles of `a` and `b` are equal, or if neither is set.
bool SameHandle(const InferredOutput& a, const InferredOutput& b);

// An InferenceContext exists only during one call of a shape function. It is
// thread-compatible.
class InferenceContext {
 public:
  // `inputs` has one pointer per input, which is null if nothing is known of
  // the input. The inputs, `op` and `attrs` are not owned and must outlive the
  // context.
  InferenceContext(const OpDef& op, const AttrMap& attrs,
                   std::vector<const InferredOutput*> inputs, int num_outputs);

  const OpDef& op() const { return op_; }
  const AttrMap& attrs() const { return attrs_; }
  // Returns an attr of the node, or INVALID_ARGUMENT if it is absent or not a
  // T.
  template <class T>
  absl::StatusOr<T> Attr(absl::string_view name) const {
    return attrs_.Get<T>(name);
  }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }

  // Returns the shape of input i, which is unknown if `i` is out of range.
  const PartialShape& input(int i) const;
  // Returns the value of input i, or null if it is not known.
  const Tensor* input_value(int i) const;
  // Returns the shape that the values of input i describe, as far as they are
  // known. The rank of the result is unknown if the number of values is
  // unknown, or if the input is the scalar -1, as in TensorFlow. Fails with
  // INVALID_ARGUMENT if the input cannot be a shape, for example if a value is
  // below -1 or the input has a rank above 1.
  absl::StatusOr<PartialShape> InputAsShape(int i) const;
  // Returns a description of the tensor or list that the handle in input i
  // stands for, or null if nothing is known.
  const HandleShape* input_handle(int i) const;

  // WithRank and WithRankAtLeast return the shape of input i. If the shape is
  // unknown, WithRank returns a shape of the given rank with unknown extents.
  // Both fail with INVALID_ARGUMENT, such as "Shape must be rank 2 but is rank
  // 1", if the rank is known and does not satisfy the condition.
  absl::StatusOr<PartialShape> WithRank(int i, int rank) const;
  absl::StatusOr<PartialShape> WithRankAtLeast(int i, int rank) const;

  // Set what is known of output i. Outputs that are not set have unknown
  // shapes. These methods ignore values with more than kMaxKnownElements
  // elements. They also ignore an output that the node does not have, because
  // an op's output may be an empty list.
  void set_output(int i, PartialShape shape);
  void set_output_handle(int i, HandleShape handle);
  void set_output_value(int i, Tensor value);
  void set_output_value_as_shape(int i, PartialShape value);

  // outputs() and inputs() hold all that is known of the outputs and the
  // inputs. inputs() has a null pointer for an input of which nothing is known.
  std::vector<InferredOutput>& outputs() { return outputs_; }
  const std::vector<const InferredOutput*>& inputs() const { return inputs_; }

 private:
  // Returns what is known of input i, which is nothing if `i` is out of range.
  const InferredOutput& Input(int i) const;
  bool HasOutput(int i) const { return i >= 0 && i < num_outputs(); }

  const OpDef& op_;
  const AttrMap& attrs_;
  std::vector<const InferredOutput*> inputs_;
  std::vector<InferredOutput> outputs_;
};

// Runs the shape function of `op` for one node and returns what it inferred of
// the outputs. An op without a shape function has outputs of unknown shapes.
// Fails with INVALID_ARGUMENT, naming the node, if the shape function fails. Is
// thread-safe.
absl::StatusOr<std::vector<InferredOutput>> InferNode(
    const OpDef& op, absl::string_view node_name, const AttrMap& attrs,
    std::vector<const InferredOutput*> inputs, int num_outputs);

// These are shape functions that many ops share. Unknown infers nothing about
// the outputs, and NoOutputs is for ops without outputs.
namespace shapes {
absl::Status Unchanged(InferenceContext& context);  // output 0 is like input 0
absl::Status Scalar(InferenceContext& context);     // every output is a scalar
absl::Status Unknown(InferenceContext& context);
absl::Status NoOutputs(InferenceContext& context);
// Gives output 0 the shape to which inputs 0 and 1 are broadcast.
absl::Status BroadcastBinary(InferenceContext& context);
// Gives output 0 the merged shape of all inputs. The shapes of the inputs must
// be compatible.
absl::Status MergeAll(InferenceContext& context);
}  // namespace shapes

// Returns the shape to which tensors of two partial shapes are broadcast, as
// BroadcastShapes (core/shape.h) computes it. An extent of the result is
// unknown if it depends on an unknown extent. Fails with INVALID_ARGUMENT if
// the shapes are incompatible.
absl::StatusOr<PartialShape> BroadcastPartialShapes(const PartialShape& a,
                                                    const PartialShape& b);

}  // namespace leat

#endif  // LEAT_GRAPH_SHAPE_INFERENCE_H_
