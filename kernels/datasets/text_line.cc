// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of TextLineDataset, whose elements are the lines of text
// files.
#include <memory>
#include <string>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/text_lines.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/record_dataset.h"

namespace leat::kernels::datasets::text_line {
namespace {

absl::StatusOr<DatasetPtr> MakeTextLine(KernelContext& context) {
  RecordFiles files;
  LEAT_ASSIGN_OR_RETURN(files.paths, PathsArgument(context, 0));
  LEAT_ASSIGN_OR_RETURN(files.compression, CompressionArgument(context, 1));
  LEAT_ASSIGN_OR_RETURN(
      files.buffer_bytes,
      SizeArgument(context, 2, "buffer_size", 0, " (0 == default)"));
  files.new_format = PathFormat<TextLines>();
  files.after_error = AfterReadError::kNothing;
  return NewRecordDataset(std::move(files));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TextLineDataset", kCpu, &MakeDatasetKernel<&MakeTextLine>);
}

}  // namespace leat::kernels::datasets::text_line
