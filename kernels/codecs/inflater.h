// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Inflater decompresses what zlib or gzip has compressed, piece by piece.
//
//   Inflater inflater(Compression::kGzip);
//   while (!bytes.empty()) {
//     LEAT_ASSIGN_OR_RETURN(const size_t size, inflater.Inflate(bytes, room));
//     Use(room.subspan(0, size));
//   }
#ifndef LEAT_KERNELS_CODECS_INFLATER_H_
#define LEAT_KERNELS_CODECS_INFLATER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace leat {

enum class Compression : uint8_t { kNone, kZlib, kGzip };

// Returns the compression that TensorFlow's ops call "", "ZLIB" or "GZIP", or
// nothing for another name.
std::optional<Compression> CompressionNamed(absl::string_view name);

// Ignores bytes behind the end of a zlib text, and takes gzip texts that stand
// one behind another for one text, as TensorFlow does. Is not thread-safe.
class Inflater {
 public:
  // Is how much memory an object needs, at most.
  static constexpr int64_t kBytes = 48 << 10;

  // REQUIRES: `compression` is not kNone.
  explicit Inflater(Compression compression);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decompresses bytes of `from`, from which it removes what it has read, into
  // `to`, until one of them is used up or a compressed text ends. Returns how
  // many bytes it has written. There may be more of them if that is the size of
  // `to`. Returns DATA_LOSS, with TensorFlow's text, if the bytes are damaged,
  // and RESOURCE_EXHAUSTED if zlib has no memory.
  absl::StatusOr<size_t> Inflate(absl::string_view& from, absl::Span<char> to);

  // Returns true if the bytes that were read so far are a complete text.
  bool is_complete() const { return is_complete_; }
  // Returns true if all bytes that follow are ignored.
  bool has_ended() const { return is_complete_ && !is_gzip_; }

 private:
  struct State;

  const bool is_gzip_;
  std::unique_ptr<State> state_;  // null if zlib has no memory
  bool is_complete_ = false;
};

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_INFLATER_H_
