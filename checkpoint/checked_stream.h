// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckedStream reads a range of bytes of a file from its start to its end, and
// computes their checksum on the way.
#ifndef LEAT_CHECKPOINT_CHECKED_STREAM_H_
#define LEAT_CHECKPOINT_CHECKED_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/cancellation.h"

namespace leat {

// Not thread-safe. All errors name the file and the tensor.
class CheckedStream {
 public:
  // Stands for the bytes [offset, offset + size) of the open file `descriptor`,
  // which is borrowed. `path` and `tensor` are for messages. If `cancellation`
  // is not null and is cancelled, reading stops and returns its status.
  struct Source {
    int descriptor;
    int64_t offset;
    int64_t size;
    std::string path;
    std::string tensor;
    const Cancellation* cancellation = nullptr;
  };
  explicit CheckedStream(Source source)
      : source_(std::move(source)), remaining_(source_.size) {}

  // Returns how many bytes are left to read.
  int64_t remaining() const { return remaining_; }

  // Reads the next `count` bytes into `to`. Returns DATA_LOSS if there are
  // fewer, and an error of SystemError (core/files/system_error.h) if the
  // system cannot read.
  absl::Status Read(char* to, int64_t count);
  // Reads bytes and drops them. The checksum includes them.
  absl::Status Skip(int64_t count);
  // Reads bytes that the checksum does not include.
  absl::Status ReadUnchecked(char* to, int64_t count);
  // Sets the checksum of the bytes read so far to `crc`.
  void SetChecksum(uint32_t crc) { crc_ = crc; }

  // Skips the rest. Returns DATA_LOSS unless all bytes together have this
  // checksum.
  absl::Status Finish(uint32_t masked_crc);

  // Returns DATA_LOSS "file F, tensor T: WHAT".
  absl::Status Damaged(absl::string_view what) const;

 private:
  // Reads bytes of the file into the memory `to`.
  absl::Status ReadFile(char* to, size_t count);
  // Fills the buffer, if it is empty, with the next bytes.
  absl::Status Fill();

  Source source_;      // `offset` moves on with each read
  int64_t remaining_;  // includes the bytes in the buffer
  uint32_t crc_ = 0;
  // The bytes that were read from the file and not yet given to the caller.
  std::vector<char> buffer_;
  absl::string_view buffered_;
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_CHECKED_STREAM_H_
