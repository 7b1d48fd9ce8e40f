// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileRecords gives a stage the records of a file, one after another, and never
// lets it wait.
//
//   FileRecords records("x.tfrecord", {}, new_format, context);
//   Record record;
//   LEAT_ASSIGN_OR_RETURN(const Progress progress, records.Next(record));
#ifndef LEAT_KERNELS_PIPELINE_FILE_RECORDS_H_
#define LEAT_KERNELS_PIPELINE_FILE_RECORDS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/codecs/record_format.h"
#include "leat/kernels/pipeline/dataset.h"
#include "leat/kernels/pipeline/file_stream.h"

namespace leat::kernels {

// Makes the format of the file `path`, of which the first `offset` bytes are
// left out. `allocator` outlives the format.
using NewRecordFormat = std::function<std::unique_ptr<RecordFormat>(
    const std::string& path, int64_t offset, Allocator& allocator)>;

// Returns what makes formats of type F, which need only the path and the
// allocator.
template <class F>
NewRecordFormat PathFormat() {
  return [](const std::string& path, int64_t, Allocator& allocator) {
    return std::make_unique<F>(path, allocator);
  };
}

// One thread uses it at a time.
class FileRecords {
 public:
  FileRecords(const std::string& path, const FileStreamOptions& options,
              const NewRecordFormat& new_format, const StageContext& context);

  // Does what Stage::Next does, for records. `record` is valid until the next
  // call. After an error, no more records come.
  absl::StatusOr<Progress> Next(Record& record);

  // Returns false if an error was one of the opening of the file, or of its
  // size. REQUIRES: Next has returned an error.
  bool HasOpened() const { return has_size_ && stream_.is_open(); }
  // Returns false also if an error came before the end of the file's header.
  // REQUIRES: Next has returned an error.
  bool HasBegun() const { return HasOpened() && format_->HasBegun(); }

 private:
  absl::StatusOr<Progress> NextChunk();

  const std::shared_ptr<const Pipeline> pipeline_;  // ends last
  FileStream stream_;
  const std::unique_ptr<RecordFormat> format_;
  FileChunk chunk_;
  bool has_size_ = false;  // The format has accepted the size of the file.
  bool has_all_ = false;   // The last chunk has come.
};

// Returns a scalar with the bytes of `record`, which it takes. Returns
// RESOURCE_EXHAUSTED, and takes nothing, if there is no memory.
absl::StatusOr<Tensor> TakeRecord(const Record& record, Allocator& allocator);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_FILE_RECORDS_H_
