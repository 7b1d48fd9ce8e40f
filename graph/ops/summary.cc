// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that make summaries, which TensorBoard shows, and the ops
// that write them to event files. Nothing is checked before the step, as in
// TensorFlow.
#include <string>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::summary {
namespace {

constexpr char kRealNumbers[] =
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
    "uint32, uint64}";

std::vector<DType> WritableTypes() { return (kPlain + kStringOnly).dtypes(); }

void AddNumbers(OpRegistry& registry) {
  registry.Add({.name = "ScalarSummary",
                .doc = "Returns a summary with a number for each tag.",
                .inputs = {"tags: string", "values: T"},
                .outputs = {"summary: string"},
                .attrs = {std::string("T: ") + kRealNumbers},
                .shape = shapes::Scalar},
               {OnCpu({{"T", kNumbers.dtypes()}})});

  registry.Add({.name = "HistogramSummary",
                .doc = "Returns a summary with the distribution of numbers.",
                .inputs = {"tag: string", "values: T"},
                .outputs = {"summary: string"},
                .attrs = {std::string("T: ") + kRealNumbers + " = float"},
                .shape = shapes::Scalar},
               {OnCpu({{"T", kNumbers.dtypes()}})});
}

void AddMedia(OpRegistry& registry) {
  registry.Add(
      {.name = "ImageSummary",
       .doc = "Returns a summary with the first images of a batch, as PNG.",
       .inputs = {"tag: string", "tensor: T"},
       .outputs = {"summary: string"},
       .attrs = {"max_images: int >= 1 = 3",
                 "T: {uint8, float, half, double} = float",
                 "bad_color: tensor = { dtype: uint8 tensor_shape { dim { "
                 "size: 4 } } int_val: 255 int_val: 0 int_val: 0 int_val: 255 "
                 "}"},
       .shape = shapes::Scalar},
      {ExpensiveOnCpu()});

  registry.Add({.name = "AudioSummary",
                .doc = "Returns a summary with the first sounds of a batch, at "
                       "a fixed sample rate.",
                .inputs = {"tag: string", "tensor: float"},
                .outputs = {"summary: string"},
                .attrs = {"sample_rate: float", "max_outputs: int >= 1 = 3"},
                .shape = shapes::Scalar},
               {ExpensiveOnCpu()});

  registry.Add(
      {.name = "AudioSummaryV2",
       .doc = "Returns a summary with the first sounds of a batch, as WAV.",
       .inputs = {"tag: string", "tensor: float", "sample_rate: float"},
       .outputs = {"summary: string"},
       .attrs = {"max_outputs: int >= 1 = 3"},
       .shape = shapes::Scalar},
      {ExpensiveOnCpu()});
}

void AddTensors(OpRegistry& registry) {
  registry.Add(
      {.name = "TensorSummary",
       .doc = "Returns a summary with a tensor and the name of this node.",
       .inputs = {"tensor: T"},
       .outputs = {"summary: string"},
       .attrs = {"T: type", "description: string = ''",
                 "labels: list(string) = []", "display_name: string = ''"},
       .shape = shapes::Scalar},
      {OnCpu({{"T", WritableTypes()}})});

  registry.Add({.name = "TensorSummaryV2",
                .doc = "Returns a summary with a tensor, a tag, and how the "
                       "tensor is shown.",
                .inputs = {"tag: string", "tensor: T",
                           "serialized_summary_metadata: string"},
                .outputs = {"summary: string"},
                .attrs = {"T: type"},
                .shape = shapes::Scalar},
               {OnCpu({{"T", WritableTypes()}})});

  registry.Add({.name = "MergeSummary",
                .doc = "Returns one summary with the values of several.",
                .inputs = {"inputs: N * string"},
                .outputs = {"summary: string"},
                .attrs = {"N: int >= 1"},
                .shape = shapes::Scalar},
               {OnCpu()});
}

void AddWriter(OpRegistry& registry) {
  registry.Add({.name = "SummaryWriter",
                .doc = "Returns the handle of a writer of event files.",
                .outputs = {"writer: resource"},
                .attrs = {"shared_name: string = ''", "container: string = ''"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldable(OnCpu())});

  registry.Add(
      {.name = "CreateSummaryFileWriter",
       .doc = "Creates an event file in a folder, unless the writer "
              "has one.",
       .inputs = {"writer: resource", "logdir: string", "max_queue: int32",
                  "flush_millis: int32", "filename_suffix: string"},
       .stateful = true,
       .shape = shapes::NoOutputs},
      {NotFoldable(OnCpu())});

  registry.Add({.name = "FlushSummaryWriter",
                .doc = "Writes the events that a writer has collected to its "
                       "file.",
                .inputs = {"writer: resource"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "CloseSummaryWriter",
                .doc = "Closes the event file of a writer and deletes the "
                       "writer.",
                .inputs = {"writer: resource"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu())});
}

void AddWrites(OpRegistry& registry) {
  registry.Add(
      {.name = "WriteScalarSummary",
       .doc = "Appends an event with a number.",
       .inputs = {"writer: resource", "step: int64", "tag: string", "value: T"},
       .attrs = {std::string("T: ") + kRealNumbers},
       .stateful = true,
       .shape = shapes::NoOutputs},
      {NotFoldable(OnCpu({{"T", kNumbers.dtypes()}}))});

  registry.Add(
      {.name = "WriteHistogramSummary",
       .doc = "Appends an event with the distribution of numbers.",
       .inputs = {"writer: resource", "step: int64", "tag: string",
                  "values: T"},
       .attrs = {"T: {float, double, int32, uint8, int16, int8, int64, "
                 "bfloat16, uint16, half, uint32, uint64, bool} = float"},
       .stateful = true,
       .shape = shapes::NoOutputs},
      {NotFoldable(OnCpu({{"T", (kNumbers + kBoolOnly).dtypes()}}))});

  registry.Add({.name = "WriteImageSummary",
                .doc = "Appends an event with the first images of a batch.",
                .inputs = {"writer: resource", "step: int64", "tag: string",
                           "tensor: T", "bad_color: uint8"},
                .attrs = {"max_images: int >= 1 = 3",
                          "T: {uint8, double, float, half} = float"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "WriteAudioSummary",
                .doc = "Appends an event with the first sounds of a batch.",
                .inputs = {"writer: resource", "step: int64", "tag: string",
                           "tensor: float", "sample_rate: float"},
                .attrs = {"max_outputs: int >= 1 = 3"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "WriteSummary",
                .doc = "Appends an event with a tensor.",
                .inputs = {"writer: resource", "step: int64", "tensor: T",
                           "tag: string", "summary_metadata: string"},
                .attrs = {"T: type"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu({{"T", WritableTypes()}}))});
}

void AddWritesOfMessages(OpRegistry& registry) {
  registry.Add(
      {.name = "WriteRawProtoSummary",
       .doc = "Appends an event with the values of serialized summaries.",
       .inputs = {"writer: resource", "step: int64", "tensor: string"},
       .stateful = true,
       .shape = shapes::NoOutputs},
      {NotFoldable(OnCpu())});

  registry.Add({.name = "WriteGraphSummary",
                .doc = "Appends an event with a serialized GraphDef.",
                .inputs = {"writer: resource", "step: int64", "tensor: string"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "ImportEvent",
                .doc = "Appends a serialized event.",
                .inputs = {"writer: resource", "event: string"},
                .stateful = true,
                .shape = shapes::NoOutputs},
               {NotFoldable(OnCpu())});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddNumbers(registry);
  AddMedia(registry);
  AddTensors(registry);
  AddWriter(registry);
  AddWrites(registry);
  AddWritesOfMessages(registry);
}

}  // namespace leat::ops::summary
