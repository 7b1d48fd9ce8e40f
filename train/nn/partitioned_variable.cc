// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/partitioned_variable.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/ops.h"

namespace leat::nn {
namespace {

// Returns OK if `holds` is true. Otherwise returns INVALID_ARGUMENT, saying
// that `what` must be positive and is `value`.
absl::Status Require(bool holds, absl::string_view what, int64_t value) {
  if (holds) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " must be positive, got ", value));
}

double ElementBytes(DType dtype, int64_t bytes_per_string) {
  if (dtype == DType::kString) return static_cast<double>(bytes_per_string);
  return static_cast<double>(std::max<size_t>(SizeOf(dtype), 1));
}

// Returns the choice of the partitioner, after checking it.
absl::StatusOr<Partitioning> Choose(const Partitioner& partitioner,
                                    const Shape& shape, DType dtype) {
  if (partitioner == nullptr) {
    return absl::InvalidArgumentError("it has no partitioner");
  }
  if (shape.rank() == 0) {
    return absl::InvalidArgumentError("a scalar cannot be partitioned");
  }
  LEAT_ASSIGN_OR_RETURN(Partitioning cut, partitioner(shape, dtype));
  LEAT_ASSIGN_OR_RETURN(cut.axis, NormalizeAxis(cut.axis, shape.rank()));
  const int64_t extent = shape.dim(cut.axis);
  if (cut.parts >= 1 && cut.parts <= std::max<int64_t>(extent, 1)) return cut;
  return absl::InvalidArgumentError(
      absl::StrCat("the partitioner asks for ", cut.parts, " parts of axis ",
                   cut.axis, " of ", shape.DebugString(), "; from 1 to ",
                   std::max<int64_t>(extent, 1), " are possible"));
}

// Returns the index at which a part begins.
int64_t PartOffset(int64_t extent, int64_t parts, int64_t part) {
  return part * (extent / parts) + std::min(part, extent % parts);
}

PartitionedVariable Fail(GraphBuilder& b, absl::string_view name,
                         const absl::Status& error, SourceLocation location) {
  b.Fail(absl::Status(error.code(), absl::StrCat("partitioned variable '", name,
                                                 "': ", error.message())),
         location);
  return PartitionedVariable(&b, std::string(name), Shape(), 0, {});
}

Tensor Vector(absl::Span<const int64_t> values) {
  return Tensor::FromSpan<int64_t>(Shape{static_cast<int64_t>(values.size())},
                                   values);
}

// Is a function that is called for each part before the scopes of the part are
// opened. It prepares the initial value of the part, and returns a second
// function. The second function is called inside of the scopes of the part, and
// returns the initial value.
using MakeValue = absl::FunctionRef<std::function<Output()>(
    absl::string_view part_name, const Shape& part, int axis, int64_t offset)>;

// Makes all parts of a variable.
PartitionedVariable MakeParts(GraphBuilder& b, absl::string_view name,
                              DType dtype, const Shape& shape,
                              const Partitioner& partitioner,
                              const VariableOptions& options,
                              SourceLocation location, MakeValue make_value) {
  const absl::StatusOr<Partitioning> cut = Choose(partitioner, shape, dtype);
  if (!cut.ok()) return Fail(b, name, cut.status(), location);
  const int64_t extent = shape.dim(cut->axis);
  std::vector<Variable> parts;
  for (int64_t i = 0; i < cut->parts; ++i) {
    const std::string suffix = absl::StrCat("/part_", i);
    const int64_t begin = PartOffset(extent, cut->parts, i);
    const int64_t end = PartOffset(extent, cut->parts, i + 1);
    const absl::StatusOr<Shape> part = WithDim(shape, cut->axis, end - begin);
    if (!part.ok()) return Fail(b, name, part.status(), location);
    VariableOptions own = options;
    if (!own.shared_name.empty()) own.shared_name += suffix;
    own.part = {.whole = shape, .axis = cut->axis, .offset = begin};
    const std::string part_name = absl::StrCat(name, suffix);
    const auto value = make_value(part_name, *part, cut->axis, begin);
    parts.push_back(
        b.GetVariable(part_name, dtype, *part, value, own, location));
    if (!b.status().ok()) return PartitionedVariable(&b, "", Shape(), 0, {});
  }
  std::string whole = parts[0].name();
  whole.resize(whole.size() - absl::string_view("/part_0").size());
  const Graph& graph = parts[0].handle().builder()->graph();
  if (const NodeId id = graph.Find(whole);
      id != kNoNode &&
      graph.node(id).op() == parts[0].handle().operation().op()) {
    return Fail(b, whole,
                absl::InvalidArgumentError("a variable of this name without "
                                           "parts exists already"),
                location);
  }
  return PartitionedVariable(&b, whole, shape, cut->axis, std::move(parts));
}

}  // namespace

Partitioner FixedSizePartitioner(int64_t parts, int axis) {
  return [=](const Shape& shape, DType) -> absl::StatusOr<Partitioning> {
    LEAT_ASSIGN_OR_RETURN(const int cut, NormalizeAxis(axis, shape.rank()));
    return Partitioning{.parts = std::min(parts, shape.dim(cut)), .axis = cut};
  };
}

Partitioner MinMaxPartitioner(MinMaxPartitionerAttrs attrs) {
  return
      [attrs](const Shape& shape, DType dtype) -> absl::StatusOr<Partitioning> {
        LEAT_RETURN_IF_ERROR(Require(attrs.min_part_bytes > 0, "min_part_bytes",
                                     attrs.min_part_bytes));
        LEAT_ASSIGN_OR_RETURN(const int axis,
                              NormalizeAxis(attrs.axis, shape.rank()));
        const double bytes = static_cast<double>(shape.num_elements()) *
                             ElementBytes(dtype, attrs.bytes_per_string);
        const double wanted =
            std::ceil(bytes / static_cast<double>(attrs.min_part_bytes));
        // The numbers of parts are compared as doubles, because `wanted` may be
        // too large for an integer.
        int64_t parts = std::min(shape.dim(axis), attrs.max_parts);
        if (wanted < static_cast<double>(parts)) {
          parts = static_cast<int64_t>(wanted);
        }
        return Partitioning{.parts = std::max<int64_t>(parts, 1), .axis = axis};
      };
}

Partitioner AxisSizePartitioner(AxisSizePartitionerAttrs attrs) {
  return [attrs](const Shape& shape,
                 DType dtype) -> absl::StatusOr<Partitioning> {
    LEAT_RETURN_IF_ERROR(Require(attrs.max_part_bytes > 0, "max_part_bytes",
                                 attrs.max_part_bytes));
    LEAT_RETURN_IF_ERROR(Require(attrs.bytes_per_string > 0, "bytes_per_string",
                                 attrs.bytes_per_string));
    LEAT_RETURN_IF_ERROR(Require(attrs.max_parts.value_or(1) > 0, "max_parts",
                                 attrs.max_parts.value_or(1)));
    LEAT_ASSIGN_OR_RETURN(const int axis,
                          NormalizeAxis(attrs.axis, shape.rank()));
    if (shape.num_elements() == 0) return Partitioning{.axis = axis};
    const int64_t extent = shape.dim(axis);
    const double slice_bytes =
        static_cast<double>(shape.num_elements() / extent) *
        ElementBytes(dtype, attrs.bytes_per_string);
    const double slices = std::max(
        1.0,
        std::floor(static_cast<double>(attrs.max_part_bytes) / slice_bytes));
    const auto parts =
        static_cast<int64_t>(std::ceil(static_cast<double>(extent) / slices));
    return Partitioning{
        .parts = std::min(parts, attrs.max_parts.value_or(parts)),
        .axis = axis};
  };
}

int64_t PartitionedVariable::offset(int part) const {
  return PartOffset(shape_.dim(axis_), static_cast<int64_t>(parts_.size()),
                    part);
}

Output PartitionedVariable::value(SourceLocation location) const {
  if (parts_.empty()) return Output(Operation(builder_, kNoNode), 0);
  if (parts_.size() == 1) return parts_[0].value();
  GraphBuilder& b = *builder_;
  const Scope site = b.CallSite(location);
  const Scope controls = b.NoControlDependencies(location);
  const Scope names =
      b.NameScope(absl::StrCat(name_, "/ConcatPartitions/"), location);
  std::vector<Output> values;
  for (const Variable& part : parts_) values.push_back(part.value());
  return op::ConcatV2(values, axis_, location);
}

PartitionedVariable GetPartitionedVariable(GraphBuilder& builder,
                                           absl::string_view name, DType dtype,
                                           const Shape& shape,
                                           const Partitioner& partitioner,
                                           const Initializer& initializer,
                                           VariableOptions options,
                                           SourceLocation location) {
  const Scope site = builder.CallSite(location);
  if (initializer == nullptr) {
    return Fail(builder, name,
                absl::InvalidArgumentError("it has no "
                                           "initializer"),
                location);
  }
  return MakeParts(builder, name, dtype, shape, partitioner, options, location,
                   [&](absl::string_view, const Shape& part, int,
                       int64_t) -> std::function<Output()> {
                     return [&] {
                       return initializer(builder, part, dtype, shape);
                     };
                   });
}

PartitionedVariable GetPartitionedVariable(GraphBuilder& builder,
                                           absl::string_view name,
                                           Output initial_value,
                                           const Partitioner& partitioner,
                                           VariableOptions options,
                                           SourceLocation location) {
  const Scope site = builder.CallSite(location);
  if (!builder.status().ok()) return {};
  const absl::StatusOr<Shape> shape = initial_value.shape().ToShape();
  if (!shape.ok()) return Fail(builder, name, shape.status(), location);
  return MakeParts(
      builder, name, initial_value.dtype(), *shape, partitioner, options,
      location,
      [&](absl::string_view part_name, const Shape& part, int axis,
          int64_t offset) -> std::function<Output()> {
        Dims begin(shape->rank(), 0);
        begin[axis] = offset;
        const Scope controls = builder.NoControlDependencies(location);
        const Scope names = builder.NameScope(
            absl::StrCat(part_name, "/PartitionedInitializer"), location);
        const Output slice = op::Slice(initial_value, Vector(begin),
                                       Vector(part.dims()), location);
        return [slice] { return slice; };
      });
}

}  // namespace leat::nn
