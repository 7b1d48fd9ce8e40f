// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/readers/file_work.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/summary/records.h"

namespace leat::kernels {
namespace {

class FileWork final : public WorkUnit {
 public:
  FileWork(const std::string& path, const FileWorkOptions& options,
           const StageContext& context)
      : path_(path), options_(options), context_(context) {}

  absl::StatusOr<Progress> Next(KeyedRecord& record) override {
    if (!error_.ok()) return error_;
    for (Rounds rounds(context_);;) {
      if (!record_.has_value()) {
        LEAT_ASSIGN_OR_RETURN(const Progress progress, CutRecord());
        if (progress != Progress::kElement) return progress;
      }
      const bool is_skipped = num_records_ < options_.skipped_records;
      if (!is_skipped) LEAT_RETURN_IF_ERROR(Take(record));
      GoToNextRecord();
      if (!is_skipped) return Progress::kElement;
      if (rounds.AreUsedUp()) return Progress::kWaiting;
    }
  }

  bool HasBegun() const override { return has_begun_; }

 private:
  bool IsWholeFile() const { return options_.key == RecordKey::kPath; }

  // Sets `record_`, unless there is no more record.
  absl::StatusOr<Progress> CutRecord() {
    if (!records_.has_value()) {
      records_.emplace(path_,
                       FileStreamOptions{.compression = options_.compression},
                       options_.new_format, context_);
    }
    Record record;
    absl::StatusOr<Progress> progress = records_->Next(record);
    if (!progress.ok()) {
      Fail(progress.status());
    } else if (*progress == Progress::kElement) {
      record_ = record;
      record_bytes_ = static_cast<int64_t>(record.view.size());
    }
    return progress;
  }

  void Fail(const absl::Status& error) {
    if (IsWholeFile()) return records_.reset();
    // A file that ends within its header has no records, either.
    has_begun_ = records_->HasOpened() && !absl::IsOutOfRange(error);
    error_ = error;
  }

  absl::Status Take(KeyedRecord& record) const {
    Allocator& allocator = context_.pipeline->allocator();
    const std::string key = Key();
    LEAT_ASSIGN_OR_RETURN(record.key, TakeRecord({.view = key}, allocator));
    LEAT_ASSIGN_OR_RETURN(record.value, TakeRecord(*record_, allocator));
    record.is_last = IsWholeFile();
    return absl::OkStatus();
  }

  void GoToNextRecord() {
    record_.reset();
    ++num_records_;
    constexpr auto kFramingBytes =
        static_cast<int64_t>(kRecordHeaderBytes + kRecordFooterBytes);
    position_ += kFramingBytes + record_bytes_;
  }

  std::string Key() const {
    switch (options_.key) {
      case RecordKey::kPath:
        break;
      case RecordKey::kPathAndLine:
        return absl::StrCat(path_, ":", num_records_ + 1);
      case RecordKey::kPathAndIndex:
        return absl::StrCat(path_, ":", num_records_);
      case RecordKey::kPathAndTfRecord:
        return absl::StrCat(path_, ":", position_);
    }
    return path_;
  }

  const std::string path_;
  const FileWorkOptions options_;
  const StageContext context_;
  std::optional<FileRecords> records_;
  std::optional<Record> record_;  // was cut off, and nobody has it yet
  int64_t record_bytes_ = 0;
  int64_t num_records_ = 0;  // before `record_`
  int64_t position_ = 0;     // of `record_`, if it is a TFRecord
  bool has_begun_ = true;
  absl::Status error_;
};

}  // namespace

std::unique_ptr<WorkUnit> NewFileWork(const std::string& path,
                                      const FileWorkOptions& options,
                                      const StageContext& context) {
  return std::make_unique<FileWork>(path, options, context);
}

}  // namespace leat::kernels
