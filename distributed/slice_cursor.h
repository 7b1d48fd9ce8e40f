// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SliceCursor: reads a protobuf message that lies in several pieces of memory,
// without joining them. Thread-compatible; copies are independent places in the
// same bytes.
#ifndef LEAT_DISTRIBUTED_SLICE_CURSOR_H_
#define LEAT_DISTRIBUTED_SLICE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace leat {

class SliceCursor {
 public:
  // Nothing.
  SliceCursor() = default;
  // All bytes of `slices`, which outlive the cursor and its copies.
  explicit SliceCursor(absl::Span<const absl::string_view> slices);

  // Bytes from here to the end.
  uint64_t left() const { return left_; }

  // False, with the cursor somewhere, when that many bytes are not left or the
  // varint is longer than `max_length` bytes. Bits above 64 are dropped.
  bool TakeVarint(int max_length, uint64_t& value);
  bool Skip(uint64_t bytes);
  // `range` becomes the next `bytes`; this stands behind them.
  bool TakeRange(uint64_t bytes, SliceCursor& range);

  // All bytes that are left. `to` has room for them.
  void CopyTo(char* to) const;
  void AppendTo(std::string& text) const;

  // Where the bytes that are left lie; nothing if in several slices or none.
  struct Place {
    absl::string_view bytes;
    size_t slice = 0;  // the index of it
  };
  std::optional<Place> Contiguous() const;

 private:
  // Bytes of the current slice that are left. REQUIRES: left_ > 0.
  absl::string_view Piece() const;
  // REQUIRES: no more than Piece() has.
  void Advance(uint64_t bytes);

  absl::Span<const absl::string_view> slices_ = {};
  size_t slice_ = 0;     // not an empty one while left_ > 0
  uint64_t offset_ = 0;  // in it
  uint64_t left_ = 0;
};

// The lowest three bits of a field's tag.
enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  int number = 0;
  WireType type = WireType::kVarint;
  SliceCursor whole = {};  // with the tag
  SliceCursor bytes = {};  // of a kBytes
  uint64_t varint = 0;     // of a kVarint
};

// Takes one field. False when it is malformed or a group, which nobody has
// written for twenty years.
bool TakeField(SliceCursor& message, WireField& field);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SLICE_CURSOR_H_
