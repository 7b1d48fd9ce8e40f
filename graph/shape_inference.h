// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InferenceContext: what a shape function sees of its node, and where it puts
// the answer. Shape functions get untrusted graphs: every accessor checks.
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

// What a resource (or variant) handle stands for, as far as it is known.
struct HandleShape {
  DType dtype = DType::kInvalid;
  PartialShape shape = {};
};

// What is known of one output before it runs.
struct InferredOutput {
  PartialShape shape = {};
  std::optional<HandleShape> handle = {};
  // The value itself if it is a constant of at most kMaxKnownElements, and for
  // int32/int64 vectors with partly known values (the shape of an unknown
  // batch), the value as a shape: entries of -1 are unknown.
  std::shared_ptr<const Tensor> value = {};
  std::optional<PartialShape> value_as_shape = {};
};
inline constexpr int64_t kMaxKnownElements = 1024;

class InferenceContext {
 public:
  // `inputs`, one per data input, are borrowed.
  InferenceContext(const OpDef& op, const AttrMap& attrs,
                   std::vector<const InferredOutput*> inputs, int num_outputs);

  const OpDef& op() const { return op_; }
  const AttrMap& attrs() const { return attrs_; }
  template <class T>
  absl::StatusOr<T> Attr(absl::string_view name) const {
    return attrs_.Get<T>(name);
  }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }

  // Unknown rank for an index out of range.
  const PartialShape& input(int i) const;
  // Null when the value is not known.
  const Tensor* input_value(int i) const;
  // The shape that the values of input i describe, as far as known: an unknown
  // number of dimensions is unknown rank. INVALID_ARGUMENT for values that are
  // no shape (below -1, or rank above 1).
  absl::StatusOr<PartialShape> InputAsShape(int i) const;
  const HandleShape* input_handle(int i) const;

  // The shape refined; INVALID_ARGUMENT "Shape must be rank 2 but is rank 1".
  absl::StatusOr<PartialShape> WithRank(int i, int rank) const;
  absl::StatusOr<PartialShape> WithRankAtLeast(int i, int rank) const;

  // Outputs not set have unknown shapes; one that a node does not have (a list
  // of none) is ignored, and so are values above kMaxKnownElements.
  void set_output(int i, PartialShape shape);
  void set_output_handle(int i, HandleShape handle);
  void set_output_value(int i, Tensor value);
  void set_output_value_as_shape(int i, PartialShape value);

  std::vector<InferredOutput>& outputs() { return outputs_; }
  const std::vector<const InferredOutput*>& inputs() const { return inputs_; }

 private:
  // All unknown for an index out of range.
  const InferredOutput& Input(int i) const;
  bool HasOutput(int i) const { return i >= 0 && i < num_outputs(); }

  const OpDef& op_;
  const AttrMap& attrs_;
  std::vector<const InferredOutput*> inputs_;
  std::vector<InferredOutput> outputs_;
};

// Runs the op's shape function; INVALID_ARGUMENT names the node on failure.
// Ops without a function have outputs of unknown shape.
absl::StatusOr<std::vector<InferredOutput>> InferNode(
    const OpDef& op, absl::string_view node_name, const AttrMap& attrs,
    std::vector<const InferredOutput*> inputs, int num_outputs);

// Shape functions that many ops share.
namespace shapes {
absl::Status Unchanged(InferenceContext& context);  // output 0 like input 0
absl::Status Scalar(InferenceContext& context);     // every output a scalar
absl::Status Unknown(InferenceContext& context);
absl::Status NoOutputs(InferenceContext& context);
// Output 0 is the broadcast of inputs 0 and 1.
absl::Status BroadcastBinary(InferenceContext& context);
// All inputs merge to the shape of output 0.
absl::Status MergeAll(InferenceContext& context);
}  // namespace shapes

// The broadcast of two partial shapes, as BroadcastShapes does it; unknown
// where it depends on an unknown extent.
absl::StatusOr<PartialShape> BroadcastPartialShapes(const PartialShape& a,
                                                    const PartialShape& b);

}  // namespace leat

#endif  // LEAT_GRAPH_SHAPE_INFERENCE_H_
