// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartitionedVariable: one large variable cut along an axis into variables
// "emb/part_0", "emb/part_1", ... that may live on several parameter servers
// (tf.compat.v1.get_variable with a partitioner). The first extent % parts
// parts are one longer than the others. Optimizers update the parts as the
// variables that they are.
#ifndef LEAT_TRAIN_NN_PARTITIONED_VARIABLE_H_
#define LEAT_TRAIN_NN_PARTITIONED_VARIABLE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/builder.h"
#include "leat/train/nn/initializers.h"

namespace leat::nn {

struct Partitioning {
  int64_t parts = 1;
  int axis = 0;
};

// How a variable of that (not scalar) shape and dtype is cut. Those below are
// TensorFlow's; a negative axis counts from the end.
using Partitioner =
    std::function<absl::StatusOr<Partitioning>(const Shape& shape, DType)>;

// `parts`, or as many as the extent allows (fixed_size_partitioner).
Partitioner FixedSizePartitioner(int64_t parts, int axis = 0);

// At most `max_parts`, of at least `min_part_bytes` each while there are
// several (min_max_variable_partitioner).
struct MinMaxPartitionerAttrs {
  int64_t max_parts = 1;
  int axis = 0;
  int64_t min_part_bytes = 256 << 10;
  int64_t bytes_per_string = 16;
};
Partitioner MinMaxPartitioner(MinMaxPartitionerAttrs attrs);

// As few as have at most `max_part_bytes` each, as far as one axis and
// `max_parts` allow (variable_axis_size_partitioner).
struct AxisSizePartitionerAttrs {
  int64_t max_part_bytes = (64 << 20) - 1;
  int axis = 0;
  int64_t bytes_per_string = 16;
  std::optional<int64_t> max_parts = {};
};
Partitioner AxisSizePartitioner(AxisSizePartitionerAttrs attrs = {});

// A value; without parts after an error.
class PartitionedVariable {
 public:
  PartitionedVariable() = default;
  // Of `parts` as described above. `builder` is borrowed.
  PartitionedVariable(GraphBuilder* builder, std::string name, Shape shape,
                      int axis, std::vector<Variable> parts)
      : builder_(builder),
        name_(std::move(name)),
        shape_(std::move(shape)),
        axis_(axis),
        parts_(std::move(parts)) {}

  absl::Span<const Variable> parts() const { return parts_; }
  int axis() const { return axis_; }
  const std::string& name() const { return name_; }  // "emb"
  const Shape& shape() const { return shape_; }      // of the whole
  // Where a part begins along the axis. REQUIRES: there is such a part.
  int64_t offset(int part) const;
  // The whole, put together anew by each call, where the scopes say. Gradients
  // pass through it to the parts.
  Output value(SourceLocation location = SourceLocation::Current()) const;

 private:
  GraphBuilder* builder_ = nullptr;
  std::string name_;
  Shape shape_;
  int axis_ = 0;
  std::vector<Variable> parts_;
};

// The variable of that name in the current variable scope, made when it is not
// there (GraphBuilder::GetVariable). `initializer` is called for each part: a
// random one draws for each of them anew, with a seed of its own the same
// numbers. Errors (a scalar, a partitioner's, other parts than those made
// before) go to the builder.
PartitionedVariable GetPartitionedVariable(
    GraphBuilder& builder, absl::string_view name, DType dtype,
    const Shape& shape, const Partitioner& partitioner,
    const Initializer& initializer, VariableOptions options = {},
    SourceLocation location = SourceLocation::Current());

// The same with a value of the whole, of which each part gets its own, cut
// where the scopes say. Not in the body of a Cond or a While.
PartitionedVariable GetPartitionedVariable(
    GraphBuilder& builder, absl::string_view name, Output initial_value,
    const Partitioner& partitioner, VariableOptions options = {},
    SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_PARTITIONED_VARIABLE_H_
