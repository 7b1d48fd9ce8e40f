// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the functions of Dataset that say where elements come from.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/partial_shape.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"
#include "leat/graph/shape_functions.h"
#include "leat/train/dataset.h"
#include "leat/train/dataset_nodes.h"
#include "leat/train/dataset_stage.h"

namespace leat {
namespace {

// Is the number of bytes that are read of a file at a time.
constexpr int64_t kBufferBytes = 256 << 10;

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

}  // namespace leat
