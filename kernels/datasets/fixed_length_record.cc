// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of FixedLengthRecordDataset and of
// FixedLengthRecordDatasetV2, which may read compressed files.
#include <memory>
#include <string>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/fixed_length_records.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/record_dataset.h"

namespace leat::kernels::datasets::fixed_length_record {
namespace {

absl::StatusOr<DatasetPtr> Make(const KernelContext& context,
                                Compression compression) {
  RecordFiles files{.compression = compression};
  LEAT_ASSIGN_OR_RETURN(files.paths, PathsArgument(context, 0));
  FixedLengths lengths;
  LEAT_ASSIGN_OR_RETURN(lengths.header,
                        SizeArgument(context, 1, "header_bytes"));
  LEAT_ASSIGN_OR_RETURN(lengths.record,
                        SizeArgument(context, 2, "record_bytes", 1));
  LEAT_ASSIGN_OR_RETURN(lengths.footer,
                        SizeArgument(context, 3, "footer_bytes"));
  LEAT_ASSIGN_OR_RETURN(files.buffer_bytes,
                        SizeArgument(context, 4, "buffer_size"));
  files.new_format = [lengths](const std::string& path, int64_t,
                               Allocator& allocator) {
    return std::make_unique<FixedLengthRecords>(path, lengths, allocator);
  };
  return NewRecordDataset(std::move(files));
}

absl::StatusOr<DatasetPtr> MakeFixedLength(KernelContext& context) {
  return Make(context, Compression::kNone);
}

absl::StatusOr<DatasetPtr> MakeFixedLengthV2(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Compression compression,
                        CompressionArgument(context, 5));
  return Make(context, compression);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("FixedLengthRecordDataset", kCpu,
               &MakeDatasetKernel<&MakeFixedLength>);
  registry.Add("FixedLengthRecordDatasetV2", kCpu,
               &MakeDatasetKernel<&MakeFixedLengthV2>);
}

}  // namespace leat::kernels::datasets::fixed_length_record
