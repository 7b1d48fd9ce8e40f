// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/record_format.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"

namespace leat {

void SkipBytes(absl::string_view& bytes, int64_t& left) {
  const auto skipped = std::min<uint64_t>(static_cast<uint64_t>(left),
                                          static_cast<uint64_t>(bytes.size()));
  bytes.remove_prefix(skipped);
  left -= static_cast<int64_t>(skipped);
}

absl::Status PartialRecord::Append(absl::string_view bytes, uint64_t expected) {
  const size_t size = text_.size() + bytes.size();
  if (size > text_.capacity()) {
    // A record may claim any size. So the text grows with the bytes that come.
    const size_t more = std::max<size_t>(2 * text_.capacity(), 1 << 10);
    const size_t room = std::max<size_t>(
        size, static_cast<size_t>(std::min<uint64_t>(expected, more)));
    BufferRef counted = allocator_.Reserve(HeldBytesOfText(room));
    if (counted == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("file '", path_, "': the memory of '", allocator_.name(),
                       "' has no room for a record of ", room, " bytes"));
    }
    std::string grown;  // takes exactly this room
    grown.reserve(room);
    grown = text_;
    text_.swap(grown);
    counted_ = std::move(counted);
  }
  text_.append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

void PartialRecord::Clear() {
  // Small texts keep their memory for the next record.
  constexpr size_t kMostKept = 64 << 10;
  if (text_.capacity() > kMostKept) text_ = std::string();
  text_.clear();
  if (text_.capacity() <= std::string().capacity()) counted_.reset();
}

}  // namespace leat
