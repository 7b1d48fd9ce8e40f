// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that make datasets of the records of files, and
// ParseExampleDatasetV2, which parses such records.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::file_datasets {
namespace {

// Input 0 has the paths. All other inputs are scalars.
absl::Status FilesShape(InferenceContext& context) {
  const PartialShape& paths = context.input(0);
  if (paths.rank_known() && paths.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shape must be at most rank 1 but is rank ", paths.rank()));
  }
  for (int i = 1; i < context.num_inputs(); ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
  }
  return shapes::Scalar(context);
}

// Does the same for an op whose last input has an offset for each path.
absl::Status FilesWithOffsetsShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  for (const int i : {0, 3}) {
    const PartialShape& shape = context.input(i);
    if (shape.rank_known() && shape.rank() > 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape must be at most rank 1 but is rank ", shape.rank()));
    }
  }
  return shapes::Scalar(context);
}

// Adds an op that makes a dataset of records.
void AddFiles(OpRegistry& registry, OpSpec spec) {
  spec.outputs = {"handle: variant"};
  spec.attrs = {"metadata: string = ''"};
  spec.stateful = true;
  if (spec.shape == nullptr) spec.shape = FilesShape;
  registry.Add(std::move(spec), {NotFoldable(OnCpu())});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddFiles(registry,
           {.name = "TFRecordDataset",
            .doc = "Returns a dataset of the records of TFRecord files.",
            .inputs = {"filenames: string", "compression_type: string",
                       "buffer_size: int64"}});

  AddFiles(registry,
           {.name = "TFRecordDatasetV2",
            .doc = "Returns a dataset of the records of TFRecord files, from "
                   "given positions on.",
            .inputs = {"filenames: string", "compression_type: string",
                       "buffer_size: int64", "byte_offsets: int64"},
            .shape = FilesWithOffsetsShape});

  AddFiles(registry,
           {.name = "TextLineDataset",
            .doc = "Returns a dataset of the lines of text files.",
            .inputs = {"filenames: string", "compression_type: string",
                       "buffer_size: int64"}});

  AddFiles(registry,
           {.name = "FixedLengthRecordDataset",
            .doc = "Returns a dataset of the records of files, which all have "
                   "the same length.",
            .inputs = {"filenames: string", "header_bytes: int64",
                       "record_bytes: int64", "footer_bytes: int64",
                       "buffer_size: int64"}});

  AddFiles(registry,
           {.name = "FixedLengthRecordDatasetV2",
            .doc = "Returns a dataset of the records of files, which all have "
                   "record_bytes bytes.",
            .inputs = {"filenames: string", "header_bytes: int64",
                       "record_bytes: int64", "footer_bytes: int64",
                       "buffer_size: int64", "compression_type: string"}});

  registry.Add(
      {.name = "ParseExampleDatasetV2",
       .doc = "Returns a dataset of the features of the serialized Examples "
              "in a dataset.",
       .inputs = {"input_dataset: variant", "num_parallel_calls: int64",
                  "dense_defaults: Tdense"},
       .outputs = {"handle: variant"},
       .attrs = {"sparse_keys: list(string) >= 0",
                 "dense_keys: list(string) >= 0",
                 "sparse_types: list({float, int64, string}) >= 0",
                 "Tdense: list({float, int64, string}) >= 0",
                 "dense_shapes: list(shape) >= 0",
                 "output_types: list(type) >= 1",
                 "output_shapes: list(shape) >= 1",
                 "deterministic: string = 'default'",
                 "ragged_keys: list(string) >= 0 = []",
                 "ragged_value_types: list({float, int64, string}) >= 0 = []",
                 "ragged_split_types: list({int32, int64}) >= 0 = []"},
       .shape = shapes::Scalar},
      {NotFoldable(OnCpu())});
}

}  // namespace leat::ops::file_datasets
