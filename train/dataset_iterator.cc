// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the functions of Dataset that add an iterator to a graph.
#include <string>

#include "absl/status/statusor.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/dataset.h"
#include "leat/train/dataset_nodes.h"
#include "leat/train/dataset_stage.h"

namespace leat {

absl::StatusOr<DatasetIterator> Dataset::AddIterator(
    GraphBuilder& builder, SourceLocation location) const {
  return AddIteratorFor(DatasetUse::kInGraph, builder, location);
}

absl::StatusOr<DatasetIterator> Dataset::AddIteratorFor(
    DatasetUse use, GraphBuilder& builder, SourceLocation location) const {
  const DatasetNode node = AddNodes(builder, use, *stage_);
  const NodeAdder adder(builder, use, location);
  const AttrMap elements = {{"output_types", node.dtypes},
                            {"output_shapes", node.shapes}};
  AttrMap attrs = elements;
  attrs.Set("shared_name", std::string());
  attrs.Set("container", std::string());
  const Output iterator = adder.Add("IteratorV2", {}, attrs).output(0);
  DatasetIterator added;
  added.initializer = adder.Add("MakeIterator", {node.handle, iterator});
  const Operation next = adder.Add("IteratorGetNext", {iterator}, elements);
  LEAT_RETURN_IF_ERROR(builder.status());
  for (int i = 0; i < next.num_outputs(); ++i) {
    added.next.push_back(next.output(i));
  }
  return added;
}

}  // namespace leat
