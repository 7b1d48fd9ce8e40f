// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SliceCursor reads a protobuf message that lies in several pieces of memory,
// without joining them.
#ifndef LEAT_DISTRIBUTED_WIRE_SLICE_CURSOR_H_
#define LEAT_DISTRIBUTED_WIRE_SLICE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace leat {

// A SliceCursor is a range of bytes in a list of slices, read from its front.
// It is thread-compatible. It does not own the bytes. Copies are independent
// positions in the same bytes.
class SliceCursor {
 public:
  // Makes an empty range.
  SliceCursor() = default;
  // Makes a range of all bytes of `slices`, which must outlive the cursor and
  // its copies.
  explicit SliceCursor(absl::Span<const absl::string_view> slices);

  // Returns the number of bytes from the current position to the end.
  uint64_t left() const { return left_; }

  // TakeVarint reads a varint of at most `max_length` bytes from the front and
  // keeps its lowest 64 bits. Skip moves forward by `bytes` bytes. Both return
  // false if there are not enough bytes. TakeVarint also returns false if the
  // varint is longer than `max_length`. After a failure the position of the
  // cursor is unspecified.
  bool TakeVarint(int max_length, uint64_t& value);
  bool Skip(uint64_t bytes);
  // Sets `range` to the next `bytes` bytes and moves past them. Returns false
  // as Skip does.
  bool TakeRange(uint64_t bytes, SliceCursor& range);

  // CopyTo and AppendTo copy all bytes that are left, and do not move the
  // cursor. CopyTo writes the bytes to `to`, which must have space for left()
  // bytes. AppendTo appends them to `text`.
  void CopyTo(char* to) const;
  void AppendTo(std::string& text) const;

  // Returns the bytes that are left. Returns nullopt if they lie in several
  // slices or if none are left.
  std::optional<absl::string_view> Contiguous() const;

 private:
  // Returns the bytes of the current slice that are left. REQUIRES: left_ > 0.
  absl::string_view Piece() const;
  // Moves forward. REQUIRES: Piece() has that many bytes.
  void Advance(uint64_t bytes);

  absl::Span<const absl::string_view> slices_ = {};
  size_t slice_ = 0;     // the slice has bytes left while left_ > 0
  uint64_t offset_ = 0;  // in that slice
  uint64_t left_ = 0;
};

// Is the wire type of a field: the lowest three bits of its tag.
enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Describes a field of a message.
struct WireField {
  int number = 0;
  WireType type = WireType::kVarint;
  SliceCursor whole = {};  // all bytes of the field, with its tag
  SliceCursor bytes = {};  // the content if `type` is kBytes
  uint64_t varint = 0;     // the value if `type` is kVarint
};

// Takes one field from the front of `message`. Returns false if the field is
// malformed or a group, which is a deprecated kind of field.
bool TakeField(SliceCursor& message, WireField& field);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_SLICE_CURSOR_H_
