// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/dataset.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/add_function.h"

namespace leat {
namespace {

// Is the greatest number of stages that can run upon one another. The functions
// here that go through the stages, and destructors, call themselves as often.
constexpr int kMaxHeight = 1000;

// Is the number of bytes that are read of a file at a time.
constexpr int64_t kBufferBytes = 256 << 10;

// Is a dataset in a graph: the output of its node, and what is known of the
// components of its elements.
struct Nodes {
  Output handle = {};
  std::vector<DType> dtypes = {};
  std::vector<PartialShape> shapes = {};
};

Nodes NodesOf(Output handle, const std::vector<FunctionTensor>& components) {
  Nodes nodes{.handle = handle};
  for (const FunctionTensor& component : components) {
    nodes.dtypes.push_back(component.dtype);
    nodes.shapes.push_back(component.shape);
  }
  return nodes;
}

// Adds the nodes of one stage. Errors name the place that described the stage.
class NodeAdder {
 public:
  NodeAdder(GraphBuilder& builder, SourceLocation location)
      : builder_(builder), location_(location) {}

  GraphBuilder& builder() const { return builder_; }

  void Fail(const absl::Status& error) const {
    builder_.Fail(error, location_);
  }

  Operation Add(absl::string_view op, std::vector<OpInput> inputs,
                AttrMap attrs = {}) const {
    return builder_.AddOp({.op = op,
                           .inputs = std::move(inputs),
                           .attrs = std::move(attrs),
                           .location = location_});
  }
  // Adds a dataset with the components of `like`.
  Nodes AddDataset(absl::string_view op, std::vector<OpInput> inputs,
                   Nodes like, AttrMap attrs = {}) const {
    attrs.Set("output_types", like.dtypes);
    attrs.Set("output_shapes", like.shapes);
    like.handle = Add(op, std::move(inputs), std::move(attrs)).output(0);
    return like;
  }
  // Adds a function of elements of `input`. Returns nothing after an error.
  AddedFunction Function(absl::string_view name, const Nodes& input,
                         BodyFunction body) const {
    std::vector<FunctionTensor> arguments;
    for (size_t i = 0; i < input.dtypes.size(); ++i) {
      arguments.push_back({.dtype = input.dtypes[i], .shape = input.shapes[i]});
    }
    absl::StatusOr<AddedFunction> added =
        AddFunction(builder_, name, arguments, body, location_);
    if (added.ok()) return *std::move(added);
    Fail(added.status());
    return {};
  }

 private:
  GraphBuilder& builder_;
  const SourceLocation location_;
};

// Adds the nodes of a stage, upon those of its inputs.
using AddStage =
    std::function<Nodes(const NodeAdder&, const std::vector<Nodes>& inputs)>;

using StagePtr = std::shared_ptr<const DatasetStage>;

}  // namespace

// Is immutable, and shared by the datasets that contain it.
struct DatasetStage {
  std::vector<StagePtr> inputs = {};
  AddStage add = {};
  SourceLocation location = {};
  int height = 1;  // the number of stages upon one another
};

namespace {

StagePtr NewStage(std::vector<StagePtr> inputs, AddStage add,
                  SourceLocation location) {
  DatasetStage stage{
      .inputs = std::move(inputs), .add = std::move(add), .location = location};
  for (const StagePtr& input : stage.inputs) {
    stage.height = std::max(stage.height, input->height + 1);
  }
  if (stage.height <= kMaxHeight) {
    return std::make_shared<const DatasetStage>(std::move(stage));
  }
  const auto fail = [](const NodeAdder& adder, const std::vector<Nodes>&) {
    adder.Fail(absl::ResourceExhaustedError(
        absl::StrCat("a dataset has more than ", kMaxHeight,
                     " stages upon one another, which is the limit")));
    return Nodes();
  };
  return std::make_shared<const DatasetStage>(
      DatasetStage{.add = fail, .location = location});
}

// Returns a stage that changes nothing but which elements come, and when. The
// inputs of its node are `input` and numbers.
StagePtr Upon(StagePtr input, std::string op, std::vector<int64_t> numbers,
              SourceLocation location) {
  const auto add = [op = std::move(op), numbers = std::move(numbers)](
                       const NodeAdder& adder, const std::vector<Nodes>& in) {
    std::vector<OpInput> inputs = {in[0].handle};
    for (const int64_t number : numbers) inputs.emplace_back(Operand(number));
    return adder.AddDataset(op, std::move(inputs), in[0]);
  };
  return NewStage({std::move(input)}, add, location);
}

// Adds the nodes of a stage and of all its inputs. Does nothing after an error.
Nodes AddNodes(GraphBuilder& builder, const DatasetStage& stage) {
  std::vector<Nodes> inputs;
  for (const StagePtr& input : stage.inputs) {
    inputs.push_back(AddNodes(builder, *input));
  }
  if (!builder.status().ok()) return {};
  return stage.add(NodeAdder(builder, stage.location), inputs);
}

OperandList Constants(const std::vector<Tensor>& tensors) {
  return OperandList(std::vector<Operand>(tensors.begin(), tensors.end()));
}

std::string Name(FileCompression compression) {
  switch (compression) {
    case FileCompression::kNone:
      break;
    case FileCompression::kGzip:
      return "GZIP";
    case FileCompression::kZlib:
      return "ZLIB";
  }
  return "";
}

// Describes the records of files.
struct Files {
  std::string op = {};
  std::vector<std::string> paths = {};
  FileDatasetOptions options = {};
  std::optional<RecordLengths> lengths = {};
};

// Adds the dataset of the records of the files that `paths` names.
Output AddRecords(const NodeAdder& adder, const Files& files,
                  const OpInput& paths) {
  std::vector<OpInput> inputs = {paths};
  const Operand compression(Name(files.options.compression));
  if (files.lengths.has_value()) {
    for (const int64_t length : {files.lengths->header, files.lengths->record,
                                 files.lengths->footer, kBufferBytes}) {
      inputs.emplace_back(Operand(length));
    }
    inputs.emplace_back(compression);
  } else {
    inputs.emplace_back(compression);
    inputs.emplace_back(Operand(kBufferBytes));
  }
  return adder.Add(files.op, std::move(inputs)).output(0);
}

// Adds the dataset that reads several files at the same time.
Output AddParallelRecords(const NodeAdder& adder, const Files& files,
                          const Tensor& paths, const Nodes& records) {
  const Nodes names =
      adder.AddDataset("TensorSliceDataset", {Constants({paths})}, records,
                       {{"is_files", true}});
  const AddedFunction read = adder.Function(
      absl::StrCat(files.op, "_of_file"), names,
      [&](absl::Span<const Output> path) {
        return std::vector<Output>{AddRecords(adder, files, path[0])};
      });
  const Operand number(files.options.parallel_files);
  const Operand automatic(-1);
  return adder
      .AddDataset("ParallelInterleaveDatasetV4",
                  {names.handle, absl::MakeConstSpan(read.captured), number,
                   Operand(1), automatic, automatic, number},
                  records, {{"f", read.function}})
      .handle;
}

StagePtr NewFiles(Files files, SourceLocation location) {
  const auto add = [files = std::move(files)](const NodeAdder& adder,
                                              const std::vector<Nodes>&) {
    if (files.options.parallel_files < 1) {
      adder.Fail(absl::InvalidArgumentError(
          absl::StrCat("parallel_files must be at least 1, but is ",
                       files.options.parallel_files)));
    }
    const Tensor paths = Tensor::FromSpan<std::string>(
        Shape{static_cast<int64_t>(files.paths.size())}, files.paths);
    Nodes records{.dtypes = {DType::kString}, .shapes = {Shape{}}};
    records.handle = files.options.parallel_files == 1
                         ? AddRecords(adder, files, Operand(paths))
                         : AddParallelRecords(adder, files, paths, records);
    return records;
  };
  return NewStage({}, add, location);
}

// Returns the shape of a row of a tensor.
PartialShape RowShape(const Shape& shape) {
  if (shape.rank() == 0) return Shape{};  // the node will refuse the tensor
  return *PartialShape::Create(shape.dims().subspan(1));
}

// Returns the shape of a batch with `rows` elements.
absl::StatusOr<PartialShape> BatchShape(int64_t rows,
                                        const PartialShape& element) {
  if (!element.rank_known()) return element;
  Dims dims = {rows};
  dims.insert(dims.end(), element.dims().begin(), element.dims().end());
  return PartialShape::Create(dims);
}

}  // namespace

Dataset Dataset::Tensors(std::vector<Tensor> tensors, SourceLocation location) {
  const auto add = [tensors = std::move(tensors)](const NodeAdder& adder,
                                                  const std::vector<Nodes>&) {
    Nodes nodes;
    for (const Tensor& tensor : tensors) {
      nodes.dtypes.push_back(tensor.dtype());
      nodes.shapes.push_back(tensor.shape());
    }
    nodes.handle = adder
                       .Add("TensorDataset", {Constants(tensors)},
                            {{"output_shapes", nodes.shapes}})
                       .output(0);
    return nodes;
  };
  return Dataset(NewStage({}, add, location));
}

Dataset Dataset::TensorSlices(std::vector<Tensor> tensors,
                              SourceLocation location) {
  const auto add = [tensors = std::move(tensors)](const NodeAdder& adder,
                                                  const std::vector<Nodes>&) {
    Nodes nodes;
    for (const Tensor& tensor : tensors) {
      nodes.dtypes.push_back(tensor.dtype());
      nodes.shapes.push_back(RowShape(tensor.shape()));
    }
    nodes.handle = adder
                       .Add("TensorSliceDataset", {Constants(tensors)},
                            {{"output_shapes", nodes.shapes}})
                       .output(0);
    return nodes;
  };
  return Dataset(NewStage({}, add, location));
}

Dataset Dataset::Range(int64_t start, int64_t stop, int64_t step,
                       SourceLocation location) {
  const auto add = [=](const NodeAdder& adder, const std::vector<Nodes>&) {
    return adder.AddDataset("RangeDataset",
                            {Operand(start), Operand(stop), Operand(step)},
                            {.dtypes = {DType::kInt64}, .shapes = {Shape{}}});
  };
  return Dataset(NewStage({}, add, location));
}

Dataset Dataset::TfRecords(std::vector<std::string> paths,
                           const FileDatasetOptions& options,
                           SourceLocation location) {
  return Dataset(NewFiles(
      {.op = "TFRecordDataset", .paths = std::move(paths), .options = options},
      location));
}

Dataset Dataset::TextLines(std::vector<std::string> paths,
                           const FileDatasetOptions& options,
                           SourceLocation location) {
  return Dataset(NewFiles(
      {.op = "TextLineDataset", .paths = std::move(paths), .options = options},
      location));
}

Dataset Dataset::FixedLengthRecords(std::vector<std::string> paths,
                                    const RecordLengths& lengths,
                                    const FileDatasetOptions& options,
                                    SourceLocation location) {
  return Dataset(NewFiles({.op = "FixedLengthRecordDatasetV2",
                           .paths = std::move(paths),
                           .options = options,
                           .lengths = lengths},
                          location));
}

Dataset Dataset::Zip(std::vector<Dataset> datasets, SourceLocation location) {
  std::vector<StagePtr> stages;
  for (Dataset& dataset : datasets) stages.push_back(dataset.stage_);
  const auto add = [](const NodeAdder& adder, const std::vector<Nodes>& in) {
    std::vector<Output> handles;
    Nodes all;
    for (const Nodes& nodes : in) {
      handles.push_back(nodes.handle);
      all.dtypes.insert(all.dtypes.end(), nodes.dtypes.begin(),
                        nodes.dtypes.end());
      all.shapes.insert(all.shapes.end(), nodes.shapes.begin(),
                        nodes.shapes.end());
    }
    return adder.AddDataset("ZipDataset", {absl::MakeConstSpan(handles)}, all);
  };
  return Dataset(NewStage(std::move(stages), add, location));
}

Dataset Dataset::Shard(int64_t num_shards, int64_t index,
                       SourceLocation location) const {
  return Dataset(Upon(stage_, "ShardDataset", {num_shards, index}, location));
}

Dataset Dataset::Take(int64_t count, SourceLocation location) const {
  return Dataset(Upon(stage_, "TakeDataset", {count}, location));
}

Dataset Dataset::Skip(int64_t count, SourceLocation location) const {
  return Dataset(Upon(stage_, "SkipDataset", {count}, location));
}

Dataset Dataset::Filter(Predicate predicate, SourceLocation location) const {
  const auto add = [predicate = std::move(predicate)](
                       const NodeAdder& adder, const std::vector<Nodes>& in) {
    const AddedFunction keeps = adder.Function(
        "FilterDataset_predicate", in[0], [&](absl::Span<const Output> x) {
          return std::vector<Output>{
              predicate(adder.builder(), {x.begin(), x.end()})};
        });
    return adder.AddDataset("FilterDataset",
                            {in[0].handle, absl::MakeConstSpan(keeps.captured)},
                            in[0], {{"predicate", keeps.function}});
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Repeat(int64_t count, SourceLocation location) const {
  return Dataset(Upon(stage_, "RepeatDataset", {count}, location));
}

Dataset Dataset::Shuffle(int64_t buffer_size, std::optional<int64_t> seed,
                         SourceLocation location) const {
  const auto add = [=](const NodeAdder& adder, const std::vector<Nodes>& in) {
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
  const auto add = [function = std::move(function),
                    calls = options.parallel_calls](
                       const NodeAdder& adder, const std::vector<Nodes>& in) {
    const AddedFunction maps = adder.Function(
        "MapDataset_function", in[0], [&](absl::Span<const Output> x) {
          return function(adder.builder(), {x.begin(), x.end()});
        });
    std::vector<OpInput> inputs = {in[0].handle,
                                   absl::MakeConstSpan(maps.captured)};
    if (calls != 1) inputs.emplace_back(Operand(calls));
    // With preserve_cardinality, an OUT_OF_RANGE of the function is an error
    // and not the end.
    return adder.AddDataset(
        calls == 1 ? "MapDataset" : "ParallelMapDatasetV2", std::move(inputs),
        NodesOf({}, maps.results),
        {{"f", maps.function}, {"preserve_cardinality", true}});
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Batch(int64_t size, const DatasetBatchOptions& options,
                       SourceLocation location) const {
  const auto add = [size, drop = options.drop_remainder](
                       const NodeAdder& adder, const std::vector<Nodes>& in) {
    Nodes batches = in[0];
    for (PartialShape& shape : batches.shapes) {
      const absl::StatusOr<PartialShape> stacked =
          BatchShape(drop && size > 0 ? size : PartialShape::kUnknown, shape);
      if (stacked.ok()) {
        shape = *stacked;
      } else {
        adder.Fail(stacked.status());
      }
    }
    return adder.AddDataset("BatchDatasetV2",
                            {in[0].handle, Operand(size), Operand(drop)},
                            batches);
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Cache(SourceLocation location) const {
  const auto add = [](const NodeAdder& adder, const std::vector<Nodes>& in) {
    return adder.AddDataset("CacheDataset", {in[0].handle, Operand("")}, in[0]);
  };
  return Dataset(NewStage({stage_}, add, location));
}

Dataset Dataset::Prefetch(int64_t buffer_size, SourceLocation location) const {
  return Dataset(Upon(stage_, "PrefetchDataset", {buffer_size}, location));
}

absl::StatusOr<DatasetIterator> Dataset::AddIterator(
    GraphBuilder& builder, SourceLocation location) const {
  const Nodes nodes = AddNodes(builder, *stage_);
  const NodeAdder adder(builder, location);
  const AttrMap elements = {{"output_types", nodes.dtypes},
                            {"output_shapes", nodes.shapes}};
  AttrMap attrs = elements;
  attrs.Set("shared_name", std::string());
  attrs.Set("container", std::string());
  const Output iterator = adder.Add("IteratorV2", {}, attrs).output(0);
  DatasetIterator added;
  added.initializer = adder.Add("MakeIterator", {nodes.handle, iterator});
  const Operation next = adder.Add("IteratorGetNext", {iterator}, elements);
  LEAT_RETURN_IF_ERROR(builder.status());
  for (int i = 0; i < next.num_outputs(); ++i) {
    added.next.push_back(next.output(i));
  }
  return added;
}

}  // namespace leat
