// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the functions of Dataset that say what happens to elements.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"
#include "leat/graph/builder/add_function.h"
#include "leat/graph/shape_functions.h"
#include "leat/train/dataset.h"
#include "leat/train/dataset_nodes.h"
#include "leat/train/dataset_stage.h"

namespace leat {
namespace {

// Describes the batches of the elements of `like`.
DatasetNode BatchesOf(const NodeAdder& adder, DatasetNode like, int64_t size,
                      bool drop) {
  const PartialShape rows = {drop && size > 0 ? size : PartialShape::kUnknown};
  for (PartialShape& shape : like.shapes) {
    const absl::StatusOr<PartialShape> stacked = ConcatenateShapes(rows, shape);
    if (stacked.ok()) {
      shape = *stacked;
    } else {
      adder.Fail(stacked.status());
    }
  }
  return like;
}

// Returns a padding of zeros, empty strings and false for each component.
OperandList Zeros(const NodeAdder& adder, const std::vector<DType>& dtypes) {
  std::vector<Operand> zeros;
  for (const DType dtype : dtypes) {
    if (dtype == DType::kString) {
      zeros.emplace_back("");
    } else {
      zeros.emplace_back(
          adder.Add("Cast", {Operand(0)}, {{"DstT", dtype}}).output(0));
    }
  }
  return OperandList(std::move(zeros));
}

absl::Status CheckPadding(const DatasetNode& input,
                          const std::vector<PartialShape>& shapes,
                          const DatasetPaddedBatchOptions& options) {
  const size_t count = input.dtypes.size();
  if (shapes.size() != count ||
      (!options.values.empty() && options.values.size() != count)) {
    return absl::InvalidArgumentError(
        absl::StrCat("PaddedBatch needs a shape and a value for each of ",
                     count, " components, but has ", shapes.size(),
                     " shapes and ", options.values.size(), " values"));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!shapes[i].rank_known()) {
      return absl::InvalidArgumentError(
          absl::StrCat("PaddedBatch must be told the shape of component ", i,
                       ", because its rank is not known"));
    }
  }
  return absl::OkStatus();
}

absl::Status EmptyFunctionError(absl::string_view stage) {
  return absl::InvalidArgumentError(
      absl::StrCat("the std::function of a ", stage, " is empty"));
}

}  // namespace

Dataset Dataset::Concatenate(const Dataset& other,
                             SourceLocation location) const {
  const auto add = [](const NodeAdder& adder,
                      const std::vector<DatasetNode>& in) {
    DatasetNode both = in[0];
    if (both.dtypes != in[1].dtypes) {
      return adder.Fail(absl::InvalidArgumentError(
          "the elements of the two datasets of a Concatenate have different "
          "dtypes"));
    }
    for (size_t i = 0; i < both.shapes.size(); ++i) {
      both.shapes[i] = Relax(both.shapes[i], in[1].shapes[i]);
    }
    return adder.AddDataset("ConcatenateDataset", {in[0].handle, in[1].handle},
                            both);
  };
  return Dataset(NewStage({stage_, other.stage_}, add, location));
}

Dataset Dataset::Shard(int64_t num_shards, int64_t index,
                       SourceLocation location) const {
  return Dataset(NewStageWithNumbers(stage_, "ShardDataset",
                                     {num_shards, index}, location));
}

Dataset Dataset::Take(int64_t count, SourceLocation location) const {
  return Dataset(NewStageWithNumbers(stage_, "TakeDataset", {count}, location));
}

Dataset Dataset::Skip(int64_t count, SourceLocation location) const {
  return Dataset(NewStageWithNumbers(stage_, "SkipDataset", {count}, location));
}

Dataset Dataset::Filter(Predicate predicate, SourceLocation location) const {
  const auto add = [predicate = std::move(predicate)](
                       const NodeAdder& adder,
                       const std::vector<DatasetNode>& in) {
    if (predicate == nullptr) return adder.Fail(EmptyFunctionError("Filter"));
    const AddedFunction keeps = adder.Function(
        "FilterDataset_predicate", in[0],
        [&](GraphBuilder& builder, std::vector<Output> components) {
          return std::vector<Output>{predicate(builder, std::move(components))};
        });
    if (!adder.builder().status().ok()) return DatasetNode();
    const FunctionTensor& result = keeps.results[0];
    if (result.dtype != DType::kBool ||
        !result.shape.IsCompatibleWith(Shape{})) {
      return adder.Fail(absl::InvalidArgumentError(absl::StrCat(
          "the predicate of a Filter must return a scalar bool, but returns ",
          Name(result.dtype), " of shape ", result.shape.DebugString())));
    }
    return adder.AddDataset("FilterDataset",
                            {in[0].handle, absl::MakeConstSpan(keeps.captured)},
                            in[0], {{"predicate", keeps.function}});
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Repeat(int64_t count, SourceLocation location) const {
  return Dataset(
      NewStageWithNumbers(stage_, "RepeatDataset", {count}, location));
}

Dataset Dataset::Shuffle(int64_t buffer_size, std::optional<int64_t> seed,
                         SourceLocation location) const {
  const auto add = [=](const NodeAdder& adder,
                       const std::vector<DatasetNode>& in) {
    const auto [seed1, seed2] = adder.builder().OpSeeds(seed);
    return adder.AddDataset(
        "ShuffleDataset",
        {in[0].handle, Operand(buffer_size), Operand(seed1), Operand(seed2)},
        in[0]);
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Map(MapFunction function, const DatasetMapOptions& options,
                     SourceLocation location) const {
  const auto add =
      [function = std::move(function), calls = options.parallel_calls](
          const NodeAdder& adder, const std::vector<DatasetNode>& in) {
        if (function == nullptr) return adder.Fail(EmptyFunctionError("Map"));
        const AddedFunction maps =
            adder.Function("MapDataset_function", in[0], function);
        std::vector<OpInput> inputs = {in[0].handle,
                                       absl::MakeConstSpan(maps.captured)};
        if (calls != 1) inputs.emplace_back(Operand(calls));
        // The attr preserve_cardinality makes an OUT_OF_RANGE of the function
        // an error. Otherwise it would end the dataset.
        return adder.AddDataset(
            calls == 1 ? "MapDataset" : "ParallelMapDatasetV2",
            std::move(inputs), NodeOf(maps.results),
            {{"f", maps.function}, {"preserve_cardinality", true}});
      };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Batch(int64_t size, const DatasetBatchOptions& options,
                       SourceLocation location) const {
  const auto add = [size, drop = options.drop_remainder](
                       const NodeAdder& adder,
                       const std::vector<DatasetNode>& in) {
    return adder.AddDataset("BatchDatasetV2",
                            {in[0].handle, Operand(size), Operand(drop)},
                            BatchesOf(adder, in[0], size, drop));
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::PaddedBatch(int64_t size,
                             const DatasetPaddedBatchOptions& options,
                             SourceLocation location) const {
  const auto add = [size, options](const NodeAdder& adder,
                                   const std::vector<DatasetNode>& in) {
    DatasetNode padded = in[0];
    if (!options.shapes.empty()) padded.shapes = options.shapes;
    const absl::Status status = CheckPadding(in[0], padded.shapes, options);
    if (!status.ok()) return adder.Fail(status);
    std::vector<Operand> shapes;
    for (const PartialShape& shape : padded.shapes) {
      const absl::Span<const int64_t> dims = shape.dims();
      shapes.push_back(Tensor::FromSpan<int64_t>(
          Shape{static_cast<int64_t>(dims.size())}, dims));
    }
    OperandList values = options.values.empty() ? Zeros(adder, in[0].dtypes)
                                                : Constants(options.values);
    DatasetNode result =
        BatchesOf(adder, std::move(padded), size, options.drop_remainder);
    result.handle =
        adder
            .Add("PaddedBatchDatasetV2",
                 {in[0].handle, Operand(size), OperandList(std::move(shapes)),
                  std::move(values), Operand(options.drop_remainder)},
                 {{"Toutput_types", in[0].dtypes},
                  {"output_shapes", result.shapes}})
            .output(0);
    return result;
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Cache(SourceLocation location) const {
  const auto add = [](const NodeAdder& adder,
                      const std::vector<DatasetNode>& in) {
    return adder.AddDataset("CacheDataset", {in[0].handle, Operand("")}, in[0]);
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Prefetch(int64_t buffer_size, SourceLocation location) const {
  return Dataset(
      NewStageWithNumbers(stage_, "PrefetchDataset", {buffer_size}, location));
}

}  // namespace leat
