// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of TFRecordDataset and of TFRecordDatasetV2, whose
// elements are the records of TFRecord files.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/codecs/tf_records.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/record_dataset.h"

namespace leat::kernels::datasets::tf_record {
namespace {

absl::StatusOr<RecordFiles> GetFiles(const KernelContext& context) {
  RecordFiles files;
  LEAT_ASSIGN_OR_RETURN(files.paths, PathsArgument(context, 0));
  LEAT_ASSIGN_OR_RETURN(
      const std::string compression,
      ScalarArgument<std::string>(context, 1, "compression_type"));
  // TensorFlow takes a file for uncompressed if it does not know the name.
  files.compression =
      CompressionNamed(compression).value_or(Compression::kNone);
  LEAT_ASSIGN_OR_RETURN(
      files.buffer_bytes,
      SizeArgument(context, 2, "buffer_size", 0, " (0 == no buffering)"));
  files.new_format = [](const std::string& path, int64_t offset,
                        Allocator& allocator) {
    return std::make_unique<TfRecords>(path, offset, allocator);
  };
  return files;
}

absl::StatusOr<DatasetPtr> MakeTfRecord(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(RecordFiles files, GetFiles(context));
  return NewRecordDataset(std::move(files));
}

absl::StatusOr<DatasetPtr> MakeTfRecordV2(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(RecordFiles files, GetFiles(context));
  const Tensor& offsets = context.input(3);
  const bool is_empty = offsets.rank() == 1 && offsets.num_elements() == 0;
  if (!is_empty && offsets.shape() != files.paths.shape()) {
    return absl::InvalidArgumentError(
        "`byte_offsets` must be of same size as `filenames`");
  }
  const auto values = offsets.data<int64_t>();
  files.offsets.assign(values.begin(), values.end());
  return NewRecordDataset(std::move(files));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TFRecordDataset", kCpu, &MakeDatasetKernel<&MakeTfRecord>);
  registry.Add("TFRecordDatasetV2", kCpu, &MakeDatasetKernel<&MakeTfRecordV2>);
}

}  // namespace leat::kernels::datasets::tf_record
