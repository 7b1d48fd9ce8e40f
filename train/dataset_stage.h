// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DatasetStage is what a Dataset (dataset.h) consists of: how the nodes of one
// stage are added to a graph, and the stages that these nodes stand upon.
#ifndef LEAT_TRAIN_DATASET_STAGE_H_
#define LEAT_TRAIN_DATASET_STAGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leat/core/source_location.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/dataset_nodes.h"

namespace leat {

// Adds the nodes of a stage, upon those of its inputs.
using AddStage = std::function<DatasetNode(
    const NodeAdder&, const std::vector<DatasetNode>& inputs)>;

using StagePtr = std::shared_ptr<const DatasetStage>;

// Is immutable, and shared by the datasets that contain it.
struct DatasetStage {
  std::vector<StagePtr> inputs = {};
  AddStage add = {};
  SourceLocation location = {};
  int height = 1;    // the number of stages upon one another
  int64_t size = 1;  // the number of stages, each as often as it is read
};

// Returns a stage that reads `inputs`, or one that reports an error if it has
// too many stages below it.
StagePtr NewStage(std::vector<StagePtr> inputs, AddStage add,
                  SourceLocation location);

// Returns a stage that changes nothing but which elements come, and when. The
// inputs of its node are `input` and numbers.
StagePtr NewStageWithNumbers(StagePtr input, std::string op,
                             std::vector<int64_t> numbers,
                             SourceLocation location);

// Adds the nodes of a stage and of all its inputs. Does nothing after an error.
DatasetNode AddNodes(GraphBuilder& builder, DatasetUse use,
                     const DatasetStage& stage);

}  // namespace leat

#endif  // LEAT_TRAIN_DATASET_STAGE_H_
