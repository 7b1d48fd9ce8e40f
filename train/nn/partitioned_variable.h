// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartitionedVariable is a large variable that is cut along an axis into
// variables "emb/part_0", "emb/part_1", ..., which may live on several
// parameter servers (tf.compat.v1.get_variable with a partitioner).
//
//   nn::PartitionedVariable table = nn::GetPartitionedVariable(
//       b, "emb", DType::kFloat, Shape{100000, 64},
//       nn::FixedSizePartitioner(2), nn::RandomUniform());
//   Output rows = nn::EmbeddingLookup(table, ids);
//
// A partitioner may also choose the number of parts by their size:
//
//   nn::PartitionedVariable large = nn::GetPartitionedVariable(
//       b, "large", DType::kFloat, Shape{1 << 20, 64},
//       nn::MinMaxPartitioner({.max_parts = 8, .min_part_bytes = 1 << 20}),
//       nn::Zeros());
//
// If the extent is not a multiple of the number of parts, the first (extent %
// parts) parts are one longer than the others. Optimizers treat the parts as
// ordinary variables.
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
#include "leat/graph/builder/builder.h"
#include "leat/train/nn/initializers.h"

namespace leat::nn {

// Describes a number of parts, at least 1, and the axis to cut.
struct Partitioning {
  int64_t parts = 1;
  int axis = 0;
};

// Decides how a variable with this shape and dtype is cut. The variable is
// never a scalar. The partitioners below are TensorFlow's. A negative axis
// counts from the end.
using Partitioner =
    std::function<absl::StatusOr<Partitioning>(const Shape& shape, DType)>;

// Cuts a variable into `parts` parts, or fewer if the extent is smaller
// (fixed_size_partitioner).
Partitioner FixedSizePartitioner(int64_t parts, int axis = 0);

// Divides the size of the variable by `min_part_bytes`, rounds the result up,
// and cuts the variable into that many parts. If `max_parts` or the extent of
// the axis is smaller, cuts into that number of parts instead
// (min_max_variable_partitioner).
struct MinMaxPartitionerAttrs {
  int64_t max_parts = 1;
  int axis = 0;
  int64_t min_part_bytes = 256 << 10;
  int64_t bytes_per_string = 16;  // assumed per element
};
Partitioner MinMaxPartitioner(MinMaxPartitionerAttrs attrs);

// Cuts a variable into the smallest number of parts of at most `max_part_bytes`
// bytes each. Parts may be larger in two cases: a single slice has more bytes,
// or more than `max_parts` parts would be needed
// (variable_axis_size_partitioner).
struct AxisSizePartitionerAttrs {
  int64_t max_part_bytes = (64 << 20) - 1;
  int axis = 0;
  int64_t bytes_per_string = 16;          // assumed per element
  std::optional<int64_t> max_parts = {};  // absent: no limit
};
Partitioner AxisSizePartitioner(AxisSizePartitionerAttrs attrs = {});

// A PartitionedVariable is a handle to the parts. It is cheap to copy, and
// valid until its builder is destroyed. It has no parts after an error.
class PartitionedVariable {
 public:
  PartitionedVariable() = default;
  // Is called by GetPartitionedVariable. `shape` is the shape of the whole
  // variable. Borrows `builder`.
  PartitionedVariable(GraphBuilder* builder, std::string name, Shape shape,
                      int axis, std::vector<Variable> parts)
      : builder_(builder),
        name_(std::move(name)),
        shape_(std::move(shape)),
        axis_(axis),
        parts_(std::move(parts)) {}

  // Returns the parts, in order.
  absl::Span<const Variable> parts() const { return parts_; }
  // Returns the axis that is cut, not negative.
  int axis() const { return axis_; }
  const std::string& name() const { return name_; }  // "emb"
  const Shape& shape() const { return shape_; }      // of the whole variable
  // Returns the index along the axis at which a part begins. REQUIRES: 0 <=
  // part < parts().size().
  int64_t offset(int part) const;
  // Returns the whole value. Each call adds nodes that join the parts, on the
  // device that the open scopes choose. Gradients pass through these nodes to
  // the parts.
  Output value(SourceLocation location = SourceLocation::Current()) const;

 private:
  GraphBuilder* builder_ = nullptr;
  std::string name_;
  Shape shape_;
  int axis_ = 0;
  std::vector<Variable> parts_;
};

// Returns the variable with this name in the current variable scope. Makes the
// variable if it does not exist (GraphBuilder::GetVariable). `initializer` is
// called once per part. A random initializer that was made without a seed draws
// different numbers for each part. A random initializer that was made with a
// seed draws the same numbers for each part.
//
// These errors go to the builder: a scalar shape, an error of the partitioner,
// and a cut that does not fit the parts that exist already.
PartitionedVariable GetPartitionedVariable(
    GraphBuilder& builder, absl::string_view name, DType dtype,
    const Shape& shape, const Partitioner& partitioner,
    const Initializer& initializer, VariableOptions options = {},
    SourceLocation location = SourceLocation::Current());

// Does the same with an initial value of the whole variable. Each part gets its
// slice of that value. The slices are cut on the device that the open scopes
// choose. REQUIRES: not in the body of a Cond or a While.
PartitionedVariable GetPartitionedVariable(
    GraphBuilder& builder, absl::string_view name, Output initial_value,
    const Partitioner& partitioner, VariableOptions options = {},
    SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_PARTITIONED_VARIABLE_H_
