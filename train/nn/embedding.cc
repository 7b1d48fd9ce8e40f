// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/embedding.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::nn {
namespace {

// Holds the number of rows of a table, and the shape of a row.
struct Table {
  int64_t rows = 0;
  Dims row = {};
};

// Returns the extents of the table, after checking that its parts agree.
absl::StatusOr<Table> TableOf(absl::Span<const Variable> parts,
                              const Output& ids) {
  if (ids.dtype() != DType::kInt32 && ids.dtype() != DType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("ids must be int32 or int64, got ", Name(ids.dtype())));
  }
  if (parts.empty()) {
    return absl::InvalidArgumentError("the table has no parts");
  }
  Table table;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Variable& part = parts[i];
    LEAT_ASSIGN_OR_RETURN(const Shape shape, part.shape().ToShape());
    const Dims row(shape.dims().begin() + (shape.rank() > 0 ? 1 : 0),
                   shape.dims().end());
    if (i == 0) table.row = row;
    if (shape.rank() == 0 || row != table.row ||
        part.dtype() != parts[0].dtype()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "part ", i, " '", part.name(), "' is ", Name(part.dtype()),
          shape.DebugString(), ", which does not go with '", parts[0].name(),
          "', which is ", Name(parts[0].dtype()),
          parts[0].shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(table.rows, CheckedAdd(table.rows, shape.dim(0)));
  }
  if (table.rows < static_cast<int64_t>(parts.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat(parts.size(), " parts have only ", table.rows,
                     " rows together; each needs at least one"));
  }
  return table;
}

// Reads rows of a part on the part's device.
Output Gather(const Variable& part, Output ids, SourceLocation location) {
  const Scope beside =
      ids.builder()->ColocateWith(part.handle().operation(), location);
  if (part.is_resource()) {
    return op::ResourceGather(part.handle(), ids, part.dtype(), {}, location);
  }
  return op::GatherV2(part.value(), ids, 0, {}, location);
}

// Says for each id which part has the row of the id, and the index of the row
// in that part.
struct Places {
  Output part = {};
  Output row = {};
};

Places PlacesOf(Output ids, const Table& table, int64_t parts,
                PartitionStrategy strategy) {
  if (strategy == PartitionStrategy::kMod) {
    return {.part = op::FloorMod(ids, parts), .row = op::FloorDiv(ids, parts)};
  }
  // The first `longer` parts have one more row.
  const int64_t each = table.rows / parts;
  const int64_t longer = table.rows % parts;
  const Output part = op::Maximum(op::FloorDiv(ids, each + 1),
                                  op::FloorDiv(ids - longer, each));
  return {
      .part = part,
      .row = op::SelectV2(op::Less(part, longer), op::FloorMod(ids, each + 1),
                          op::FloorMod(ids - longer, each))};
}

// Returns `rows` in the shape of `ids` followed by the shape of a row.
Output InShapeOf(Output rows, Output ids, const Table& table) {
  const PartialShape known = ids.shape();
  if (known.IsFullyKnown()) {
    Dims dims(known.dims().begin(), known.dims().end());
    dims.insert(dims.end(), table.row.begin(), table.row.end());
    return op::Reshape(rows, dims);
  }
  if (known.rank_known() && known.rank() == 1) return rows;
  return op::Reshape(rows,
                     op::ConcatV2({gradients::ShapeOf(ids), table.row}, 0));
}

// Reads the rows with the given ids from all parts.
Output LookUp(absl::Span<const Variable> parts, Output ids, const Table& table,
              PartitionStrategy strategy, SourceLocation location) {
  if (parts.size() == 1) return Gather(parts[0], ids, location);
  const auto count = static_cast<int64_t>(parts.size());
  const Output flat = op::Reshape(ids, {-1});
  const Output positions = op::Range(0, op::Size(flat), 1);
  const Places places = PlacesOf(flat, table, count, strategy);
  const Output part = op::Cast(places.part, DType::kInt32);
  const std::vector<Output> rows_of =
      op::DynamicPartition(places.row, part, count);
  const std::vector<Output> positions_of =
      op::DynamicPartition(positions, part, count);
  if (!ids.builder()->status().ok()) return places.part;
  std::vector<Output> found;
  for (size_t i = 0; i < parts.size(); ++i) {
    found.push_back(Gather(parts[i], rows_of[i], location));
  }
  return InShapeOf(op::ParallelDynamicStitch(positions_of, found), ids, table);
}

// Scales rows whose norm is greater than `max_norm` down to that norm, as
// tf.clip_by_norm does for each row. Does not take the square root of 0,
// because the square root has no gradient at 0.
Output ClipRows(Output rows, const Table& table, double max_norm) {
  Dims axes;
  for (int i = static_cast<int>(table.row.size()); i > 0; --i) {
    axes.push_back(-i);
  }
  const Output squares = op::Sum(rows * rows, axes, {.keep_dims = true});
  const Output positive = op::Greater(squares, 0);
  const Output safe = op::SelectV2(positive, squares, op::OnesLike(squares));
  const Output norms = op::SelectV2(positive, op::Sqrt(safe), squares);
  return rows * max_norm / op::Maximum(norms, max_norm);
}

}  // namespace

Output EmbeddingLookup(absl::Span<const Variable> parts, Output ids,
                       EmbeddingLookupAttrs attrs, SourceLocation location) {
  GraphBuilder* b = ids.builder();
  if (b == nullptr || !ids.IsValid() || !b->status().ok()) return ids;
  const Scope site = b->CallSite(location);
  const Scope names = b->NameScope(attrs.name, location);
  const absl::StatusOr<Table> table = TableOf(parts, ids);
  if (!table.ok()) {
    b->Fail(absl::InvalidArgumentError(
                absl::StrCat(b->name_prefix(), ": ", table.status().message())),
            location);
    return Output(Operation(b, kNoNode), 0);
  }
  const Output rows = LookUp(parts, ids, *table, attrs.strategy, location);
  if (!attrs.max_norm.has_value()) return rows;
  return ClipRows(rows, *table, *attrs.max_norm);
}

Output EmbeddingLookup(const PartitionedVariable& table, Output ids,
                       EmbeddingLookupAttrs attrs, SourceLocation location) {
  GraphBuilder* b = ids.builder();
  if (b != nullptr && table.axis() != 0) {
    b->Fail(absl::InvalidArgumentError(
                absl::StrCat("an embedding is looked up in '", table.name(),
                             "', which is cut along axis ", table.axis(),
                             "; only axis 0 is possible")),
            location);
  }
  return EmbeddingLookup(table.parts(), ids, std::move(attrs), location);
}

}  // namespace leat::nn
