// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/record_dataset.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/file_stream.h"

namespace leat::kernels {
namespace {

// Reads the records of one file.
class FileRecords {
 public:
  FileRecords(const RecordFiles& files, size_t i, const StageContext& context)
      : pipeline_(context.pipeline),
        path_(files.paths.data<std::string>()[i]),
        stream_(path_,
                {.compression = files.compression,
                 .chunk_bytes = files.buffer_bytes,
                 .skipped_bytes = OffsetOf(files, i)},
                context),
        format_(files.new_format(path_, OffsetOf(files, i),
                                 pipeline_->allocator())) {}

  // Does what Stage::Next does, for this file.
  absl::StatusOr<Progress> Next(Element& element) {
    has_cut_ = false;
    for (;;) {
      // Without a chunk there is nothing to cut.
      if (chunk_.memory != nullptr || has_all_) {
        Record record;
        LEAT_ASSIGN_OR_RETURN(const Cut cut,
                              format_->Next(chunk_.bytes, has_all_, record));
        if (cut == Cut::kEnd) return Progress::kEnd;
        has_cut_ = cut == Cut::kRecord;
        if (has_cut_) return MakeElement(record, element);
      }
      LEAT_ASSIGN_OR_RETURN(const Progress progress, NextChunk());
      if (progress == Progress::kWaiting) return progress;
    }
  }

  // Returns true if an error was one of the opening of the file. REQUIRES: Next
  // has returned an error.
  bool HasNotOpened() const { return !has_size_ || !stream_.is_open(); }
  // Returns true if only the memory for one record was missing, so that Next
  // can go on with the next record. REQUIRES: Next has returned an error.
  bool CanGoOn() const { return has_cut_; }

 private:
  static int64_t OffsetOf(const RecordFiles& files, size_t i) {
    return files.offsets.empty() ? 0 : files.offsets[i];
  }

  absl::StatusOr<Progress> NextChunk() {
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

  absl::StatusOr<Progress> MakeElement(const Record& record,
                                       Element& element) const {
    LEAT_ASSIGN_OR_RETURN(
        Tensor tensor,
        Tensor::Allocate(pipeline_->allocator(), DType::kString, Shape{},
                         HeldBytesOfText(record.view.size())));
    std::string& text = tensor.mutable_data<std::string>()[0];
    if (record.text != nullptr) {
      text = std::move(*record.text);
    } else {
      text.assign(record.view.data(), record.view.size());
    }
    element.clear();
    element.push_back(std::move(tensor));
    return Progress::kElement;
  }

  const std::shared_ptr<const Pipeline> pipeline_;
  const std::string path_;
  FileStream stream_;
  const std::unique_ptr<RecordFormat> format_;
  FileChunk chunk_;
  bool has_size_ = false;  // The format has accepted the size of the file.
  bool has_all_ = false;   // The last chunk has come.
  bool has_cut_ = false;   // The last call has cut off a record.
};

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
      if (!records_.has_value()) records_.emplace(files_, next_, context_);
      const absl::StatusOr<Progress> progress = records_->Next(element);
      if (!progress.ok()) {
        HandleError(progress.status());
        return progress;
      }
      if (*progress != Progress::kEnd) return progress;
      GoToNextFile();
      if (rounds.AreUsedUp()) return Progress::kWaiting;
    }
    return Progress::kEnd;
  }

 private:
  void GoToNextFile() {
    records_.reset();
    ++next_;
  }

  void HandleError(const absl::Status& error) {
    if (records_->CanGoOn()) return;
    if (records_->HasNotOpened()) {
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
