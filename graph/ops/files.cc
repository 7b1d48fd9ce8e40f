// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ReadFile, WriteFile and MatchingFiles.
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::files {
namespace {

// All inputs are scalars, and so is the output if there is one.
absl::Status ScalarsShape(InferenceContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
  }
  context.set_output(0, PartialShape(Shape{}));
  return absl::OkStatus();
}

absl::Status MatchingFilesShape(InferenceContext& context) {
  if (context.input(0).rank_known() && context.input(0).rank() > 1) {
    return absl::InvalidArgumentError("the patterns have a rank above 1");
  }
  return SetOutput({PartialShape::kUnknown}, context);
}

}  // namespace

// The contents of a file may change from step to step, so nothing is folded.
void Register(OpRegistry& registry) {
  registry.Add({.name = "ReadFile",
                .doc = "Returns the contents of a file.",
                .inputs = {"filename: string"},
                .outputs = {"contents: string"},
                .shape = ScalarsShape},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "WriteFile",
                .doc = "Writes a string to a file, and makes its folders.",
                .inputs = {"filename: string", "contents: string"},
                .stateful = true,
                .shape = ScalarsShape},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "MatchingFiles",
                .doc = "Returns the sorted names of files that match patterns.",
                .inputs = {"pattern: string"},
                .outputs = {"filenames: string"},
                .shape = MatchingFilesShape},
               {NotFoldable(OnCpu())});
}

}  // namespace leat::ops::files
