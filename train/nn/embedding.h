// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EmbeddingLookup returns rows of a table whose parts may live on several
// parameter servers (tf.compat.v1.nn.embedding_lookup). Each server receives
// only the ids of its own rows and sends only those rows. The gradient of each
// part is sparse.
//
//   nn::PartitionedVariable table = nn::GetPartitionedVariable(
//       b, "table", DType::kFloat, Shape{100000, 64},
//       nn::FixedSizePartitioner(2), nn::RandomUniform());
//   Output rows = nn::EmbeddingLookup(table, ids);
//   Output short_rows = nn::EmbeddingLookup(table, ids, {.max_norm = 1.0});
#ifndef LEAT_TRAIN_NN_EMBEDDING_H_
#define LEAT_TRAIN_NN_EMBEDDING_H_

#include <optional>
#include <string>

#include "absl/types/span.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/nn/partitioned_variable.h"

namespace leat::nn {

// Says how the rows are divided among `parts` parts. The examples are for the
// rows 0 to 6 and three parts.
enum class PartitionStrategy {
  kMod,  // row r is in part r % parts: 0 3 6, 1 4, 2 5
  kDiv,  // consecutive rows: 0 1 2, 3 4, 5 6
};

// Holds the attributes of EmbeddingLookup.
struct EmbeddingLookupAttrs {
  PartitionStrategy strategy = PartitionStrategy::kMod;
  // Rows with a greater Euclidean norm are scaled down to this norm.
  std::optional<double> max_norm = {};
  std::string name = "embedding_lookup";  // of the name scope
};

// Returns the rows with the given ids. `ids` is int32 or int64 [...]. Each id
// is in [0, rows), where `rows` is the number of rows of all parts. The result
// has the shape [...] followed by the shape of a row. The rows must be divided
// among the parts as in a PartitionedVariable, and all rows must have the same
// shape. A step with an id that is out of range fails with INVALID_ARGUMENT.
Output EmbeddingLookup(absl::Span<const Variable> parts, Output ids,
                       EmbeddingLookupAttrs attrs = {},
                       SourceLocation location = SourceLocation::Current());
// Does the same for a table that is cut along axis 0. The strategy decides
// which row an id stands for. With kMod and several parts, id i does not stand
// for row i of `table.value()`, which joins the parts one after the other.
Output EmbeddingLookup(const PartitionedVariable& table, Output ids,
                       EmbeddingLookupAttrs attrs = {},
                       SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_EMBEDDING_H_
