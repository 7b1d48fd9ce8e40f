// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/resources/queue_options.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/partial_shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/graph.h"
#include "leat/kernels/signature.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels {
namespace {

std::string ShapesText(absl::Span<const Shape> shapes) {
  return absl::StrCat("[",
                      absl::StrJoin(shapes, ", ",
                                    [](std::string* out, const Shape& shape) {
                                      absl::StrAppend(out, shape.DebugString());
                                    }),
                      "]");
}

absl::StatusOr<std::vector<Shape>> GetShapes(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<PartialShape> attr,
                        node.attrs.Get<std::vector<PartialShape>>("shapes"));
  std::vector<Shape> shapes;
  for (const PartialShape& partial : attr) {
    LEAT_ASSIGN_OR_RETURN(Shape shape, DeclaredShape(partial));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

absl::Status GetShuffling(const NodeDef& node, QueueOptions& options) {
  LEAT_ASSIGN_OR_RETURN(options.min_after_dequeue,
                        node.attrs.GetInt32("min_after_dequeue"));
  LEAT_ASSIGN_OR_RETURN(options.seed, node.attrs.Get<int64_t>("seed"));
  LEAT_ASSIGN_OR_RETURN(options.seed2, node.attrs.Get<int64_t>("seed2"));
  if (options.min_after_dequeue < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "min_after_dequeue ", options.min_after_dequeue, " must be >= 0"));
  }
  if (options.min_after_dequeue >= options.capacity) {
    return absl::InvalidArgumentError(
        absl::StrCat("min_after_dequeue ", options.min_after_dequeue,
                     " must be < capacity ", options.capacity));
  }
  return absl::OkStatus();
}

absl::Status CheckSameShuffling(const QueueOptions& there,
                                const QueueOptions& wanted) {
  if (there.min_after_dequeue != wanted.min_after_dequeue) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shared queue '", there.name, "' has min_after_dequeue ",
        there.min_after_dequeue, " but requested min_after_dequeue was ",
        wanted.min_after_dequeue, "."));
  }
  const bool any_seeds = wanted.seed == 0 && wanted.seed2 == 0;
  if (!any_seeds &&
      (there.seed != wanted.seed || there.seed2 != wanted.seed2)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shared queue '", there.name, "' has random seeds (", there.seed, ", ",
        there.seed2, ") but requested seeds are (", wanted.seed, ", ",
        wanted.seed2, ")."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view TypeName(QueueKind kind) {
  return kind == QueueKind::kFifo ? "FIFOQueue" : "RandomShuffleQueue";
}

absl::StatusOr<QueueOptions> GetQueueOptions(const NodeDef& node,
                                             QueueKind kind) {
  QueueOptions options{.kind = kind};
  LEAT_ASSIGN_OR_RETURN(options.capacity, node.attrs.GetInt32("capacity"));
  if (options.capacity < 0) options.capacity = QueueOptions::kUnbounded;
  LEAT_ASSIGN_OR_RETURN(options.dtypes,
                        node.attrs.Get<std::vector<DType>>("component_types"));
  LEAT_ASSIGN_OR_RETURN(options.shapes, GetShapes(node));
  if (!options.shapes.empty() &&
      options.shapes.size() != options.dtypes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Different number of component types.  Types: ",
        TypesText(options.dtypes), ", Shapes: ", ShapesText(options.shapes)));
  }
  if (kind == QueueKind::kRandomShuffle) {
    LEAT_RETURN_IF_ERROR(GetShuffling(node, options));
  }
  return options;
}

absl::Status CheckSameQueue(const QueueOptions& there,
                            const QueueOptions& wanted) {
  if (there.kind != wanted.kind) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected ", TypeName(there.kind), ", found ",
                     TypeName(wanted.kind), "V2"));
  }
  if (there.capacity != wanted.capacity) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shared queue '", there.name, "' has capacity ", there.capacity,
        " but requested capacity was ", wanted.capacity));
  }
  LEAT_RETURN_IF_ERROR(CheckSameShuffling(there, wanted));
  if (there.dtypes != wanted.dtypes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shared queue '", there.name, "' has component types ",
        TypesText(there.dtypes), " but requested component types were ",
        TypesText(wanted.dtypes)));
  }
  if (there.shapes != wanted.shapes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shared queue '", there.name, "' has component shapes ",
        ShapesText(there.shapes), " but requested component shapes were ",
        ShapesText(wanted.shapes)));
  }
  return absl::OkStatus();
}

}  // namespace leat::kernels
