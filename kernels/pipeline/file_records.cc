// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/file_records.h"

#include <utility>

#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {

FileRecords::FileRecords(const std::string& path,
                         const FileStreamOptions& options,
                         const NewRecordFormat& new_format,
                         const StageContext& context)
    : pipeline_(context.pipeline),
      stream_(path, options, context),
      format_(new_format(path, options.skipped_bytes, pipeline_->allocator())) {
}

absl::StatusOr<Progress> FileRecords::Next(Record& record) {
  for (;;) {
    // A record can be cut off only if a chunk has come, or the end.
    if (chunk_.memory != nullptr || has_all_) {
      LEAT_ASSIGN_OR_RETURN(const Cut cut,
                            format_->Next(chunk_.bytes, has_all_, record));
      if (cut == Cut::kEnd) return Progress::kEnd;
      if (cut == Cut::kRecord) return Progress::kElement;
    }
    LEAT_ASSIGN_OR_RETURN(const Progress progress, NextChunk());
    if (progress == Progress::kWaiting) return progress;
  }
}

absl::StatusOr<Progress> FileRecords::NextChunk() {
  chunk_ = {};  // gives the memory back first
  const absl::StatusOr<Progress> progress = stream_.Next(chunk_);
  if (progress.ok() && *progress == Progress::kWaiting) return progress;
  if (!has_size_ && stream_.size().has_value()) {
    LEAT_RETURN_IF_ERROR(format_->SetFileSize(*stream_.size()));
  }
  has_size_ = true;
  has_all_ = progress.ok() && *progress == Progress::kEnd;
  return progress;
}

absl::StatusOr<Tensor> TakeRecord(const Record& record, Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(Tensor tensor,
                        Tensor::Allocate(allocator, DType::kString, Shape{},
                                         HeldBytesOfText(record.view.size())));
  std::string& text = tensor.mutable_data<std::string>()[0];
  if (record.text != nullptr) {
    text = std::move(*record.text);
  } else {
    text.assign(record.view.data(), record.view.size());
  }
  return tensor;
}

}  // namespace leat::kernels
