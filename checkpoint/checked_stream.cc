// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/checked_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/crc32c.h"
#include "leat/core/files/system_error.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr size_t kBufferBytes = 256 << 10;

}  // namespace

absl::Status CheckedStream::Read(char* to, int64_t count) {
  if (count > remaining_) return Damaged("it has too few bytes");
  while (count > 0) {
    const size_t piece = std::min(static_cast<size_t>(count), kChecksumPiece);
    LEAT_RETURN_IF_ERROR(ReadUnchecked(to, static_cast<int64_t>(piece)));
    crc_ = Crc32c({to, piece}, crc_);
    to += piece;
    count -= static_cast<int64_t>(piece);
  }
  return absl::OkStatus();
}

absl::Status CheckedStream::Skip(int64_t count) {
  if (count > remaining_) return Damaged("it has too few bytes");
  while (count > 0) {
    LEAT_RETURN_IF_ERROR(Fill());
    const absl::string_view piece =
        buffered_.substr(0, static_cast<size_t>(count));
    crc_ = Crc32c(piece, crc_);
    buffered_.remove_prefix(piece.size());
    remaining_ -= static_cast<int64_t>(piece.size());
    count -= static_cast<int64_t>(piece.size());
  }
  return absl::OkStatus();
}

absl::Status CheckedStream::ReadUnchecked(char* to, int64_t count) {
  if (count > remaining_) return Damaged("it has too few bytes");
  auto left = static_cast<size_t>(count);
  while (left > 0) {
    if (buffered_.empty() && left >= kBufferBytes) {
      LEAT_RETURN_IF_ERROR(ReadFile(to, left));
      remaining_ -= static_cast<int64_t>(left);
      return absl::OkStatus();
    }
    LEAT_RETURN_IF_ERROR(Fill());
    const size_t piece = std::min(left, buffered_.size());
    std::memcpy(to, buffered_.data(), piece);
    buffered_.remove_prefix(piece);
    remaining_ -= static_cast<int64_t>(piece);
    to += piece;
    left -= piece;
  }
  return absl::OkStatus();
}

absl::Status CheckedStream::Finish(uint32_t masked_crc) {
  LEAT_RETURN_IF_ERROR(Skip(remaining_));
  if (Unmask(masked_crc) != crc_) {
    return Damaged("its bytes do not match their checksum");
  }
  return absl::OkStatus();
}

absl::Status CheckedStream::Damaged(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("file '", source_.path, "', tensor ",
                                          QuotedText(source_.tensor), ": ",
                                          what));
}

absl::Status CheckedStream::ReadFile(char* to, size_t count) {
  if (source_.cancellation != nullptr) {
    LEAT_RETURN_IF_ERROR(source_.cancellation->status());
  }
  while (count > 0) {
    const ssize_t done = pread(source_.descriptor, to, count, source_.offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return SystemError(source_.path, "cannot read");
    if (done == 0) return Damaged("the file ends before its bytes");
    to += done;
    source_.offset += done;
    count -= static_cast<size_t>(done);
  }
  return absl::OkStatus();
}

absl::Status CheckedStream::Fill() {
  if (!buffered_.empty()) return absl::OkStatus();
  buffer_.resize(std::min(static_cast<size_t>(remaining_), kBufferBytes));
  LEAT_RETURN_IF_ERROR(ReadFile(buffer_.data(), buffer_.size()));
  buffered_ = {buffer_.data(), buffer_.size()};
  return absl::OkStatus();
}

}  // namespace leat
