// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/slice_cursor.h"

#include <algorithm>
#include <cstring>

namespace leat {
namespace {

// Protobuf reads at most this many bytes for a tag, for a length and for a
// varint.
constexpr int kMaxTagBytes = 5;
constexpr int kMaxLengthBytes = 5;
constexpr int kMaxVarintBytes = 10;

}  // namespace

SliceCursor::SliceCursor(absl::Span<const absl::string_view> slices)
    : slices_(slices) {
  for (const absl::string_view slice : slices) left_ += slice.size();
  if (left_ > 0) Advance(0);
}

absl::string_view SliceCursor::Piece() const {
  return slices_[slice_].substr(offset_, left_);
}

void SliceCursor::Advance(uint64_t bytes) {
  offset_ += bytes;
  left_ -= bytes;
  while (left_ > 0 && offset_ == slices_[slice_].size()) {
    ++slice_;
    offset_ = 0;
  }
}

bool SliceCursor::TakeVarint(int max_length, uint64_t& value) {
  value = 0;
  for (int i = 0; i < max_length && left_ > 0; ++i) {
    const uint64_t byte = static_cast<unsigned char>(slices_[slice_][offset_]);
    Advance(1);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return true;
  }
  return false;
}

bool SliceCursor::Skip(uint64_t bytes) {
  if (bytes > left_) return false;
  while (bytes > 0) {
    const uint64_t step = std::min<uint64_t>(bytes, Piece().size());
    Advance(step);
    bytes -= step;
  }
  return true;
}

bool SliceCursor::TakeRange(uint64_t bytes, SliceCursor& range) {
  range = *this;
  if (!Skip(bytes)) return false;
  range.left_ = bytes;
  return true;
}

void SliceCursor::CopyTo(char* to) const {
  SliceCursor rest = *this;
  while (rest.left_ > 0) {
    const absl::string_view piece = rest.Piece();
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
    rest.Advance(piece.size());
  }
}

void SliceCursor::AppendTo(std::string& text) const {
  SliceCursor rest = *this;
  while (rest.left_ > 0) {
    const absl::string_view piece = rest.Piece();
    text.append(piece.data(), piece.size());
    rest.Advance(piece.size());
  }
}

std::optional<absl::string_view> SliceCursor::Contiguous() const {
  if (left_ == 0 || Piece().size() < left_) return std::nullopt;
  return Piece();
}

bool TakeField(SliceCursor& message, WireField& field) {
  const SliceCursor begin = message;
  uint64_t tag = 0, length = 0;
  if (!message.TakeVarint(kMaxTagBytes, tag)) return false;
  if (tag > UINT32_MAX || tag >> 3 == 0) return false;
  field.number = static_cast<int>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  bool complete = false;
  switch (field.type) {
    case WireType::kVarint:
      complete = message.TakeVarint(kMaxVarintBytes, field.varint);
      break;
    case WireType::kFixed64:
      complete = message.Skip(8);
      break;
    case WireType::kBytes:
      complete = message.TakeVarint(kMaxLengthBytes, length) &&
                 message.TakeRange(length, field.bytes);
      break;
    case WireType::kFixed32:
      complete = message.Skip(4);
      break;
  }
  if (!complete) return false;
  field.whole = begin;
  SliceCursor whole = begin;
  return whole.TakeRange(begin.left() - message.left(), field.whole);
}

}  // namespace leat
