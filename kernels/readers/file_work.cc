// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/readers/file_work.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/summary/records.h"

namespace leat::kernels {
namespace {

class FileWork final : public WorkUnit {
 public:
  FileWork(const Tensor& path, const FileWorkOptions& options,
           const StageContext& context)
      : path_(path), options_(options), context_(context) {}

  absl::StatusOr<Progress> Next(KeyedRecord& record) override {
    if (!error_.ok()) return error_;
    for (Rounds rounds(context_);;) {
      if (!record_.has_value()) {
        LEAT_ASSIGN_OR_RETURN(const Progress progress, CutRecord());
        if (progress != Progress::kElement) return progress;
      }
      const bool is_wanted = IsBehindHeader();
      if (is_wanted) LEAT_RETURN_IF_ERROR(Take(record));
      GoToNextRecord();
      if (is_wanted) return Progress::kElement;
      if (rounds.AreUsedUp()) return Progress::kWaiting;
    }
  }

  bool CouldBegin() const override { return could_begin_; }

 private:
  bool IsBehindHeader() const {
    return num_records_ >= options_.skipped_records;
  }
  const std::string& path() const { return path_.scalar<std::string>(); }
  Allocator& allocator() const { return context_.pipeline->allocator(); }

  absl::Status Open() {
    // The stream and the format hold a copy of the path each.
    copies_of_path_ = allocator().Reserve(2 * HeldBytes(path()));
    if (copies_of_path_ == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("there is no memory for the name of a file, which has ",
                       path().size(), " bytes"));
    }
    records_.emplace(path(),
                     FileStreamOptions{.compression = options_.compression},
                     options_.new_format, context_);
    return absl::OkStatus();
  }

  // Sets `record_`, unless there is no more record.
  absl::StatusOr<Progress> CutRecord() {
    if (!records_.has_value()) LEAT_RETURN_IF_ERROR(Open());
    Record record;
    absl::StatusOr<Progress> progress = records_->Next(record);
    if (!progress.ok()) {
      Fail(progress.status());
    } else if (*progress == Progress::kElement) {
      record_ = record;
    }
    return progress;
  }

  void Fail(const absl::Status& error) {
    if (!options_.is_one_record) {
      could_begin_ = records_->HasBegun() && IsBehindHeader();
      error_ = error;
    }
    records_.reset();
    copies_of_path_.reset();
  }

  absl::Status Take(KeyedRecord& record) const {
    LEAT_ASSIGN_OR_RETURN(record.key, Key());
    LEAT_ASSIGN_OR_RETURN(record.value, TakeRecord(*record_, allocator()));
    record.is_last = options_.is_one_record;
    return absl::OkStatus();
  }

  void GoToNextRecord() {
    if (options_.key == RecordKey::kPathAndTfRecord) {
      position_ += static_cast<int64_t>(
          kRecordHeaderBytes + kRecordFooterBytes + record_->view.size());
    }
    record_.reset();
    ++num_records_;
  }

  absl::StatusOr<Tensor> Key() const {
    if (options_.key == RecordKey::kPath) return path_;
    std::string key = absl::StrCat(path(), ":", Number());
    return TakeRecord({.view = key, .text = &key}, allocator());
  }

  // Returns the number of `record_` that stands in its key.
  int64_t Number() const {
    if (options_.key == RecordKey::kPathAndLine) return num_records_ + 1;
    if (options_.key == RecordKey::kPathAndTfRecord) return position_;
    return num_records_;
  }

  const Tensor path_;
  const FileWorkOptions options_;
  const StageContext context_;
  BufferRef copies_of_path_;  // counts their memory
  std::optional<FileRecords> records_;
  std::optional<Record> record_;  // was cut off, and nobody has it yet
  int64_t num_records_ = 0;       // before `record_`
  int64_t position_ = 0;          // of `record_`, if it is a TFRecord
  bool could_begin_ = true;
  absl::Status error_;
};

}  // namespace

std::unique_ptr<WorkUnit> NewFileWork(const Tensor& path,
                                      const FileWorkOptions& options,
                                      const StageContext& context) {
  return std::make_unique<FileWork>(path, options, context);
}

}  // namespace leat::kernels
