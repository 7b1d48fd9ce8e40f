// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines SaveV2, RestoreV2, MergeV2Checkpoints, ShardedFilename and
// ShardedFilespec. TensorFlow's Saver saves and restores variables with these
// ops. Also defines LoadAndRemapMatrix, with which TensorFlow's warm starts
// read variables.
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::checkpoint {
namespace {

// Checks the inputs that SaveV2 and RestoreV2 have in common: a prefix, and the
// names and the slices of `num_tensors` tensors.
absl::Status CheckNames(InferenceContext& context, int num_tensors) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  for (const int i : {1, 2}) {
    LEAT_ASSIGN_OR_RETURN(const PartialShape shape, context.WithRank(i, 1));
    LEAT_RETURN_IF_ERROR(MergeExtents(shape.dim(0), num_tensors).status());
  }
  return absl::OkStatus();
}

absl::Status SaveShape(InferenceContext& context) {
  return CheckNames(context, context.num_inputs() - 3);
}

absl::Status RestoreShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckNames(context, context.num_outputs()));
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, PartialShape());
  }
  return absl::OkStatus();
}

absl::Status MergeShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 1).status());
  return context.WithRank(1, 0).status();
}

absl::Status NameShape(InferenceContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
  }
  context.set_output(0, PartialShape(Shape{}));
  return absl::OkStatus();
}

absl::Status RemappedShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  LEAT_ASSIGN_OR_RETURN(const int64_t rows, context.Attr<int64_t>("num_rows"));
  LEAT_ASSIGN_OR_RETURN(const int64_t cols, context.Attr<int64_t>("num_cols"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        PartialShape::Create({rows, cols}));
  context.set_output(0, shape);
  return absl::OkStatus();
}

void AddNames(OpRegistry& registry) {
  registry.Add(
      {.name = "ShardedFilename",
       .doc = "Returns the name of one of several files, such as "
              "'model-00001-of-00003'.",
       .inputs = {"basename: string", "shard: int32", "num_shards: int32"},
       .outputs = {"filename: string"},
       .shape = NameShape},
      {OnCpu()});

  registry.Add({.name = "ShardedFilespec",
                .doc = "Returns a pattern, with question marks for digits, for "
                       "the names of several files.",
                .inputs = {"basename: string", "num_shards: int32"},
                .outputs = {"filename: string"},
                .shape = NameShape},
               {OnCpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddNames(registry);

  registry.Add({.name = "SaveV2",
                .doc = "Writes a checkpoint with tensors, or parts of tensors, "
                       "and their names.",
                .inputs = {"prefix: string", "tensor_names: string",
                           "shape_and_slices: string", "tensors: dtypes"},
                .attrs = {"dtypes: list(type)"},
                .stateful = true,
                .shape = SaveShape,
                .work = works::Move},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "RestoreV2",
                .doc = "Reads tensors, or parts of tensors, from a checkpoint.",
                .inputs = {"prefix: string", "tensor_names: string",
                           "shape_and_slices: string"},
                .outputs = {"tensors: dtypes"},
                .attrs = {"dtypes: list(type)"},
                .stateful = true,
                .shape = RestoreShape,
                .work = works::Move},
               {NotFoldable(OnCpu())});

  registry.Add(
      {.name = "MergeV2Checkpoints",
       .doc = "Makes one checkpoint of several, without copying tensors.",
       .inputs = {"checkpoint_prefixes: string", "destination_prefix: string"},
       .attrs = {"delete_old_dirs: bool = true",
                 "allow_missing_files: bool = false"},
       .stateful = true,
       .shape = MergeShape},
      {NotFoldable(OnCpu())});

  registry.Add(
      {.name = "LoadAndRemapMatrix",
       .doc = "Reads a matrix from a checkpoint and changes the order of its "
              "rows and columns.",
       .inputs = {"ckpt_path: string", "old_tensor_name: string",
                  "row_remapping: int64", "col_remapping: int64",
                  "initializing_values: float"},
       .outputs = {"output_matrix: float"},
       .attrs = {"num_rows: int >= 0", "num_cols: int >= 1",
                 "max_rows_in_memory: int = -1"},
       .stateful = true,
       .shape = RemappedShape,
       .work = works::Move},
      {NotFoldable(OnCpu())});
}

}  // namespace leat::ops::checkpoint
