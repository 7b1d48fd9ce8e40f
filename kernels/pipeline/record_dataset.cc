// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/record_dataset.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels {
namespace {

class RecordStage final : public Stage {
 public:
  // `files` belongs to `dataset`.
  RecordStage(DatasetPtr dataset, const RecordFiles& files,
              const StageContext& context)
      : dataset_(std::move(dataset)), files_(files), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    const auto num_files = static_cast<size_t>(files_.paths.num_elements());
    LEAT_RETURN_IF_ERROR(lasting_);
    for (Rounds rounds(context_); next_ < num_files;) {
      if (!records_.has_value()) OpenFile();
      Record record;
      const absl::StatusOr<Progress> progress = records_->Next(record);
      if (!progress.ok()) {
        HandleError(progress.status());
        return progress;
      }
      if (*progress == Progress::kElement) return MakeElement(record, element);
      if (*progress == Progress::kWaiting) return progress;
      GoToNextFile();
      if (rounds.AreUsedUp()) return Progress::kWaiting;
    }
    return Progress::kEnd;
  }

 private:
  void OpenFile() {
    const int64_t offset = files_.offsets.empty() ? 0 : files_.offsets[next_];
    records_.emplace(files_.paths.data<std::string>()[next_],
                     FileStreamOptions{.compression = files_.compression,
                                       .chunk_bytes = files_.buffer_bytes,
                                       .skipped_bytes = offset},
                     files_.new_format, context_);
  }

  void GoToNextFile() {
    records_.reset();
    ++next_;
  }

  void HandleError(const absl::Status& error) {
    if (!records_->HasOpened()) {
      records_.reset();
    } else if (files_.after_error == AfterReadError::kNextFile &&
               !absl::IsResourceExhausted(error)) {
      GoToNextFile();
    } else {
      // The file has more records, but no part of one may be given as a whole.
      lasting_ = error;
      records_.reset();
    }
  }

  // If only the memory for this record is missing, the next record follows.
  absl::StatusOr<Progress> MakeElement(const Record& record,
                                       Element& element) const {
    LEAT_ASSIGN_OR_RETURN(Tensor tensor,
                          TakeRecord(record, context_.pipeline->allocator()));
    element.clear();
    element.push_back(std::move(tensor));
    return Progress::kElement;
  }

  const DatasetPtr dataset_;
  const RecordFiles& files_;
  const StageContext context_;
  size_t next_ = 0;  // the file that is open, or will be
  std::optional<FileRecords> records_;
  absl::Status lasting_;  // an error that each call returns from then on
};

class RecordDataset final : public Dataset,
                            public std::enable_shared_from_this<RecordDataset> {
 public:
  explicit RecordDataset(RecordFiles files)
      : Dataset({.dtypes = {DType::kString}, .shapes = {Shape{}}}),
        files_(std::move(files)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return std::make_unique<RecordStage>(shared_from_this(), files_, context);
  }

 private:
  const RecordFiles files_;
};

}  // namespace

DatasetPtr NewRecordDataset(RecordFiles files) {
  return std::make_shared<const RecordDataset>(std::move(files));
}

absl::StatusOr<Tensor> PathsArgument(const KernelContext& context, int i) {
  if (context.input(i).rank() <= 1) return context.input(i);
  return absl::InvalidArgumentError(
      "`filenames` must be a scalar or a vector.");
}

absl::StatusOr<Compression> CompressionArgument(const KernelContext& context,
                                                int i) {
  LEAT_ASSIGN_OR_RETURN(
      const std::string name,
      ScalarArgument<std::string>(context, i, "compression_type"));
  const std::optional<Compression> compression = CompressionNamed(name);
  if (compression.has_value()) return *compression;
  return absl::InvalidArgumentError("Unsupported compression_type.");
}

absl::StatusOr<int64_t> SizeArgument(const KernelContext& context, int i,
                                     absl::string_view name, int64_t least,
                                     absl::string_view remark) {
  LEAT_ASSIGN_OR_RETURN(const int64_t size,
                        ScalarArgument<int64_t>(context, i, name));
  if (size >= least) return size;
  return absl::InvalidArgumentError(absl::StrCat(
      "`", name, "` must be ", least > 0 ? "> 0" : ">= 0", remark));
}

}  // namespace leat::kernels
