// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/dataset_stage.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"

namespace leat {
namespace {

// Is the greatest number of stages that can run upon one another. AddNodes
// and the destructor of a stage call themselves as often.
constexpr int kMaxHeight = 1000;

// Is the greatest number of stages of a dataset, in which a stage counts as
// often as it is read.
constexpr int64_t kMaxStages = 10'000;

// Returns a stage that reports an error when nodes are made of it.
StagePtr NewFailure(const absl::Status& error, SourceLocation location) {
  const auto fail = [error](const NodeAdder& adder,
                            const std::vector<DatasetNode>&) {
    return adder.Fail(error);
  };
  return std::make_shared<const DatasetStage>(
      DatasetStage{.add = fail, .location = location});
}

}  // namespace

StagePtr NewStage(std::vector<StagePtr> inputs, AddStage add,
                  SourceLocation location) {
  DatasetStage stage{
      .inputs = std::move(inputs), .add = std::move(add), .location = location};
  for (const StagePtr& input : stage.inputs) {
    stage.height = std::max(stage.height, input->height + 1);
    stage.size = SaturatingAdd(stage.size, input->size);
  }
  if (stage.height > kMaxHeight) {
    return NewFailure(absl::ResourceExhaustedError(absl::StrCat(
                          "a dataset has more than ", kMaxHeight,
                          " stages upon one another, which is the limit")),
                      location);
  }
  if (stage.size > kMaxStages) {
    return NewFailure(
        absl::ResourceExhaustedError(absl::StrCat(
            "a dataset has more than ", kMaxStages,
            " stages, where each counts as often as it is read, which is the "
            "limit")),
        location);
  }
  return std::make_shared<const DatasetStage>(std::move(stage));
}

StagePtr NewStageWithNumbers(StagePtr input, std::string op,
                             std::vector<int64_t> numbers,
                             SourceLocation location) {
  const auto add = [op = std::move(op), numbers = std::move(numbers)](
                       const NodeAdder& adder,
                       const std::vector<DatasetNode>& in) {
    std::vector<OpInput> inputs = {in[0].handle};
    for (const int64_t number : numbers) inputs.emplace_back(Operand(number));
    return adder.AddDataset(op, std::move(inputs), in[0]);
  };
  return NewStage({std::move(input)}, add, location);
}

DatasetNode AddNodes(GraphBuilder& builder, DatasetUse use,
                     const DatasetStage& stage) {
  std::vector<DatasetNode> inputs;
  for (const StagePtr& input : stage.inputs) {
    inputs.push_back(AddNodes(builder, use, *input));
  }
  if (!builder.status().ok()) return {};
  return stage.add(NodeAdder(builder, use, stage.location), inputs);
}

}  // namespace leat
