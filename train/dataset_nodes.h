// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NodeAdder adds the nodes of one stage of a Dataset (dataset.h) to a graph. A
// DatasetNode is the result, and what the next stage needs to know of it.
#ifndef LEAT_TRAIN_DATASET_NODES_H_
#define LEAT_TRAIN_DATASET_NODES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/partial_shape.h"
#include "leat/core/source_location.h"
#include "leat/core/tensor.h"
#include "leat/graph/attr.h"
#include "leat/graph/builder/add_function.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/dataset.h"

namespace leat {

// Says who reads the dataset of an iterator.
enum class DatasetUse { kInGraph, kByReader };

// Is a dataset in a graph: the output of its node, and what is known of the
// components of its elements.
struct DatasetNode {
  Output handle = {};
  std::vector<DType> dtypes = {};
  std::vector<PartialShape> shapes = {};
};

// Returns a dataset without a node yet.
DatasetNode NodeOf(const std::vector<FunctionTensor>& components);

// Returns the tensors as the inputs of a node.
OperandList Constants(const std::vector<Tensor>& tensors);

// Adds the nodes of one stage. Errors name the place that described the stage.
// Like the builder, it is not thread-safe.
class NodeAdder {
 public:
  // Borrows `builder`.
  NodeAdder(GraphBuilder& builder, DatasetUse use, SourceLocation location)
      : builder_(builder), use_(use), location_(location) {}

  GraphBuilder& builder() const { return builder_; }

  // Tells the builder about an error. Returns a dataset without a node.
  DatasetNode Fail(const absl::Status& error) const;

  // Adds a node.
  Operation Add(absl::string_view op, std::vector<OpInput> inputs,
                AttrMap attrs = {}) const;
  // Adds the node of a dataset whose components are those of `like`.
  DatasetNode AddDataset(absl::string_view op, std::vector<OpInput> inputs,
                         DatasetNode like, AttrMap attrs = {}) const;
  // Adds a function of elements of `input`. Returns nothing after an error.
  AddedFunction Function(absl::string_view name, const DatasetNode& input,
                         const Dataset::MapFunction& function) const;

 private:
  // Fails if the function uses a resource of another device than that of the
  // datasets. (Tensors are sent between devices, resources are not.)
  absl::Status CheckCaptured(absl::string_view function,
                             const DatasetNode& input,
                             const std::vector<Output>& captured) const;
  // Fails if the function has made a variable that nothing will initialize.
  absl::Status CheckVariables(absl::string_view function, size_t before) const;

  GraphBuilder& builder_;
  const DatasetUse use_;
  const SourceLocation location_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_DATASET_NODES_H_
