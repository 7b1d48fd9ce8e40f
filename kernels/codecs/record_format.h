// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A RecordFormat cuts the bytes of one file, which come in pieces, into
// records.
//
//   TfRecords format("x.tfrecord", /*offset=*/0, allocator);
//   Record record;
//   LEAT_ASSIGN_OR_RETURN(const Cut cut,
//                         format.Next(bytes, /*is_last=*/false, record));
#ifndef LEAT_KERNELS_CODECS_RECORD_FORMAT_H_
#define LEAT_KERNELS_CODECS_RECORD_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"

namespace leat {

// Says what a call of RecordFormat::Next has done.
enum class Cut {
  kRecord,      // It has cut off a record.
  kNeedsBytes,  // All bytes are used up, and more are needed.
  kEnd,         // There are no more records.
};

// Is a record that was cut off.
struct Record {
  // Has the bytes of the record, until the next call.
  absl::string_view view = {};
  // Is not null if the bytes came in several pieces. Then it has the same bytes
  // as `view`, and the caller may take them.
  std::string* text = nullptr;
};

// Is not thread-safe. All errors name the file and the position in it. The
// format trusts nothing in the file: it takes no more memory than there are
// bytes.
class RecordFormat {
 public:
  virtual ~RecordFormat() = default;

  // Cuts the next record off the front of `bytes`, and removes from `bytes`
  // what it has read. `is_last` says that no bytes follow. After an error, the
  // format cannot be used any more.
  virtual absl::StatusOr<Cut> Next(absl::string_view& bytes, bool is_last,
                                   Record& record) = 0;

  // Says how many bytes the file has. Must be called before Next, if it is
  // known. Returns INVALID_ARGUMENT, with TensorFlow's text, if this cannot be.
  virtual absl::Status SetFileSize(int64_t) { return absl::OkStatus(); }

  // Returns false until Next has read the header of the file, if it has one.
  virtual bool HasBegun() const { return true; }
};

// Removes up to `left` bytes from the front of `bytes`. Reduces `left` by their
// number. REQUIRES: left >= 0.
void SkipBytes(absl::string_view& bytes, int64_t& left);

// Holds the bytes of a record that comes in several pieces. Counts its memory
// before it takes it. Is not thread-safe.
class PartialRecord {
 public:
  // Stands for a size that is not known.
  static constexpr uint64_t kUnknown = ~uint64_t{0};

  // The arguments are borrowed and must outlive this. `path` is the path of the
  // file, for errors.
  PartialRecord(const std::string& path, Allocator& allocator)
      : path_(path), allocator_(allocator) {}

  // Appends bytes. The record will have `expected` bytes. Returns
  // RESOURCE_EXHAUSTED if there is no memory.
  absl::Status Append(absl::string_view bytes, uint64_t expected);
  // Removes everything. The caller may have taken the text.
  void Clear();

  std::string& text() { return text_; }
  size_t size() const { return text_.size(); }
  // Returns the record.
  Record Whole() { return {.view = text_, .text = &text_}; }

 private:
  const std::string& path_;
  Allocator& allocator_;
  std::string text_;
  BufferRef counted_;
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_RECORD_FORMAT_H_
