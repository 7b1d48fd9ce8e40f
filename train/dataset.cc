// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/dataset.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/add_function.h"
#include "leat/graph/shape_functions.h"

namespace leat {

// Says who reads the dataset of an iterator.
enum class DatasetUse { kInGraph, kByReader };

namespace {

// Is the greatest number of stages that can run upon one another. The functions
// here that go through the stages, and destructors, call themselves as often.
constexpr int kMaxHeight = 1000;

// Is the greatest number of stages of a dataset, in which a stage counts as
// often as it is read.
constexpr int64_t kMaxStages = 10'000;

// Is the number of bytes that are read of a file at a time.
constexpr int64_t kBufferBytes = 256 << 10;

// Is a dataset in a graph: the output of its node, and what is known of the
// components of its elements.
struct DatasetNode {
  Output handle = {};
  std::vector<DType> dtypes = {};
  std::vector<PartialShape> shapes = {};
};

// Returns a dataset without a node yet.
DatasetNode NodeOf(const std::vector<FunctionTensor>& components) {
  DatasetNode node;
  for (const FunctionTensor& component : components) {
    node.dtypes.push_back(component.dtype);
    node.shapes.push_back(component.shape);
  }
  return node;
}

// Adds the nodes of one stage. Errors name the place that described the stage.
class NodeAdder {
 public:
  NodeAdder(GraphBuilder& builder, DatasetUse use, SourceLocation location)
      : builder_(builder), use_(use), location_(location) {}

  GraphBuilder& builder() const { return builder_; }

  // Records an error and returns nothing.
  DatasetNode Fail(const absl::Status& error) const {
    builder_.Fail(error, location_);
    return {};
  }

  Operation Add(absl::string_view op, std::vector<OpInput> inputs,
                AttrMap attrs = {}) const {
    return builder_.AddOp({.op = op,
                           .inputs = std::move(inputs),
                           .attrs = std::move(attrs),
                           .location = location_});
  }
  // Adds a dataset with the components of `like`.
  DatasetNode AddDataset(absl::string_view op, std::vector<OpInput> inputs,
                         DatasetNode like, AttrMap attrs = {}) const {
    attrs.Set("output_types", like.dtypes);
    attrs.Set("output_shapes", like.shapes);
    like.handle = Add(op, std::move(inputs), std::move(attrs)).output(0);
    return like;
  }
  // Adds a function of elements of `input`. Returns nothing after an error.
  AddedFunction Function(absl::string_view name, const DatasetNode& input,
                         const Dataset::MapFunction& function) const {
    std::vector<FunctionTensor> arguments;
    for (size_t i = 0; i < input.dtypes.size(); ++i) {
      arguments.push_back({.dtype = input.dtypes[i], .shape = input.shapes[i]});
    }
    const size_t num_variables = builder_.variables().size();
    absl::StatusOr<AddedFunction> added = AddFunction(
        builder_, name, arguments,
        [&](absl::Span<const Output> components) {
          return function(builder_, {components.begin(), components.end()});
        },
        location_);
    absl::Status status = added.status();
    if (status.ok()) status = CheckCaptured(name, input, added->captured);
    if (status.ok()) status = CheckVariables(name, num_variables);
    if (status.ok()) return *std::move(added);
    Fail(status);
    return {};
  }

 private:
  // Fails if the function uses a resource of another device than that of the
  // datasets. (Tensors are sent between devices, resources are not.)
  absl::Status CheckCaptured(absl::string_view function,
                             const DatasetNode& input,
                             const std::vector<Output>& captured) const {
    for (const Output& output : captured) {
      if (output.dtype() != DType::kResource) continue;
      const std::string own = RequestedDevice(input.handle);
      const std::string other = RequestedDevice(output);
      const auto own_name = DeviceName::Parse(own);
      const auto other_name = DeviceName::Parse(other);
      if (!own_name.ok() || !other_name.ok()) continue;  // placement tells it
      if (MergeDeviceNames(*own_name, *other_name).ok()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "'", function, "' uses the resource '", output.operation().name(),
          "' on '", other, "', but the dataset is on '", own,
          "'; read a variable outside of the function, or put both on one "
          "device"));
    }
    return absl::OkStatus();
  }

  static std::string RequestedDevice(const Output& output) {
    const Operation operation = output.operation();
    return operation.builder()->graph().node(operation.id()).def->device;
  }

  // Fails if the function has made a variable that nothing will initialize.
  absl::Status CheckVariables(absl::string_view function, size_t before) const {
    const std::vector<Variable>& variables = builder_.variables();
    if (use_ == DatasetUse::kInGraph || variables.size() == before) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "'", function, "' makes the variable '", variables[before].name(),
        "', but functions of a dataset that is opened must not "
        "use variables"));
  }

  GraphBuilder& builder_;
  const DatasetUse use_;
  const SourceLocation location_;
};

// Adds the nodes of a stage, upon those of its inputs.
using AddStage = std::function<DatasetNode(
    const NodeAdder&, const std::vector<DatasetNode>& inputs)>;

using StagePtr = std::shared_ptr<const DatasetStage>;

}  // namespace

// Is immutable, and shared by the datasets that contain it.
struct DatasetStage {
  std::vector<StagePtr> inputs = {};
  AddStage add = {};
  SourceLocation location = {};
  int height = 1;    // the number of stages upon one another
  int64_t size = 1;  // the number of stages, each as often as it is read
};

namespace {

// Returns a stage that reports an error when nodes are made of it.
StagePtr NewFailure(const absl::Status& error, SourceLocation location) {
  const auto fail = [error](const NodeAdder& adder,
                            const std::vector<DatasetNode>&) {
    return adder.Fail(error);
  };
  return std::make_shared<const DatasetStage>(
      DatasetStage{.add = fail, .location = location});
}

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

// Returns a stage that changes nothing but which elements come, and when. The
// inputs of its node are `input` and numbers.
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

// Adds the nodes of a stage and of all its inputs. Does nothing after an error.
DatasetNode AddNodes(GraphBuilder& builder, DatasetUse use,
                     const DatasetStage& stage) {
  std::vector<DatasetNode> inputs;
  for (const StagePtr& input : stage.inputs) {
    inputs.push_back(AddNodes(builder, use, *input));
  }
  if (!builder.status().ok()) return {};
  return stage.add(NodeAdder(builder, use, stage.location), inputs);
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
                          const Tensor& paths, const DatasetNode& records) {
  const DatasetNode names =
      adder.AddDataset("TensorSliceDataset", {Constants({paths})}, records,
                       {{"is_files", true}});
  const AddedFunction read = adder.Function(
      absl::StrCat(files.op, "_of_file"), names,
      [&](GraphBuilder&, std::vector<Output> path) {
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
                                              const std::vector<DatasetNode>&) {
    if (files.options.parallel_files < 1) {
      return adder.Fail(absl::InvalidArgumentError(
          absl::StrCat("parallel_files must be at least 1, but is ",
                       files.options.parallel_files)));
    }
    const Tensor paths = Tensor::FromSpan<std::string>(
        Shape{static_cast<int64_t>(files.paths.size())}, files.paths);
    DatasetNode records{.dtypes = {DType::kString}, .shapes = {Shape{}}};
    records.handle = files.options.parallel_files == 1
                         ? AddRecords(adder, files, Operand(paths))
                         : AddParallelRecords(adder, files, paths, records);
    return records;
  };
  return NewStage({}, add, location);
}

PartialShape WholeShape(const Shape& shape) { return shape; }

// Returns the shape of a row of a tensor.
PartialShape RowShape(const Shape& shape) {
  if (shape.rank() == 0) return Shape{};  // the node will refuse the tensor
  return Subshape(shape, 1);
}

// Returns a dataset of tensors, from which its node makes elements. `shape_of`
// returns the shape of a component from that of its tensor.
StagePtr NewTensors(std::string op, std::vector<Tensor> tensors,
                    PartialShape (*shape_of)(const Shape&),
                    SourceLocation location) {
  const auto add = [op = std::move(op), tensors = std::move(tensors), shape_of](
                       const NodeAdder& adder,
                       const std::vector<DatasetNode>&) {
    DatasetNode node;
    for (const Tensor& tensor : tensors) {
      node.dtypes.push_back(tensor.dtype());
      node.shapes.push_back(shape_of(tensor.shape()));
    }
    node.handle =
        adder.Add(op, {Constants(tensors)}, {{"output_shapes", node.shapes}})
            .output(0);
    return node;
  };
  return NewStage({}, add, location);
}

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

Dataset Dataset::Tensors(std::vector<Tensor> tensors, SourceLocation location) {
  return Dataset(
      NewTensors("TensorDataset", std::move(tensors), &WholeShape, location));
}

Dataset Dataset::TensorSlices(std::vector<Tensor> tensors,
                              SourceLocation location) {
  return Dataset(NewTensors("TensorSliceDataset", std::move(tensors), &RowShape,
                            location));
}

Dataset Dataset::Range(int64_t start, int64_t stop, int64_t step,
                       SourceLocation location) {
  const auto add = [=](const NodeAdder& adder,
                       const std::vector<DatasetNode>&) {
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
  const auto add = [](const NodeAdder& adder,
                      const std::vector<DatasetNode>& in) {
    std::vector<Output> handles;
    DatasetNode all;
    for (const DatasetNode& node : in) {
      handles.push_back(node.handle);
      all.dtypes.insert(all.dtypes.end(), node.dtypes.begin(),
                        node.dtypes.end());
      all.shapes.insert(all.shapes.end(), node.shapes.begin(),
                        node.shapes.end());
    }
    return adder.AddDataset("ZipDataset", {absl::MakeConstSpan(handles)}, all);
  };
  return Dataset(NewStage(std::move(stages), add, location));
}

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
