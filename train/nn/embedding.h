// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EmbeddingLookup: rows of a table whose parts may live on several parameter
// servers (tf.compat.v1.nn.embedding_lookup). Each server gets only the ids of
// its rows and sends only those; the gradient is sparse rows for each part.
#ifndef LEAT_TRAIN_NN_EMBEDDING_H_
#define LEAT_TRAIN_NN_EMBEDDING_H_

#include <optional>
#include <string>

#include "absl/types/span.h"
#include "leat/graph/builder.h"
#include "leat/train/nn/partitioned_variable.h"

namespace leat::nn {

// Which part of `parts` has the row of an id.
enum class PartitionStrategy {
  kMod,  // part id % parts, row id / parts: 0 3 6, 1 4, 2 5
  kDiv,  // parts have rows that follow each other: 0 1 2, 3 4, 5 6
};

struct EmbeddingLookupAttrs {
  PartitionStrategy strategy = PartitionStrategy::kMod;
  // Rows of a larger Euclidean norm are scaled down to it.
  std::optional<double> max_norm = {};
  std::string name = "embedding_lookup";  // of the scope
};

// int32 or int64 ids [...] in [0, rows) -> rows [..., ...]. The first extents
// of the parts are those that PartitionedVariable gives them, the others equal.
// An id out of range is INVALID_ARGUMENT when it runs.
Output EmbeddingLookup(absl::Span<const Variable> parts, Output ids,
                       EmbeddingLookupAttrs attrs = {},
                       SourceLocation location = SourceLocation::Current());
// The table must be cut along axis 0. Which row an id stands for follows the
// strategy: with kMod not the row of `table.value()`.
Output EmbeddingLookup(const PartitionedVariable& table, Output ids,
                       EmbeddingLookupAttrs attrs = {},
                       SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_EMBEDDING_H_
