// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/decompress.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr size_t kFirstBytes = 16 << 10;

// Makes room for more text: the string gets at least twice its size.
absl::Status Grow(Allocator& allocator, CountedText& result) {
  const size_t size = std::max(kFirstBytes, 2 * result.text.size());
  BufferRef counted = allocator.Reserve(HeldBytesOfText(size));
  if (counted == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory of '", allocator.name(), "' has no room for ",
                     size, " decompressed bytes"));
  }
  result.text.resize(size);
  result.counted = std::move(counted);
  return absl::OkStatus();
}

// Appends everything that can be decompressed to `result`.
absl::Status InflateAll(absl::string_view bytes, Compression compression,
                        Allocator& allocator, CountedText& result) {
  Inflater inflater(compression);
  size_t size = 0;
  for (bool is_done = false; !is_done;) {
    if (size == result.text.size()) {
      LEAT_RETURN_IF_ERROR(Grow(allocator, result));
    }
    const absl::Span<char> room = absl::MakeSpan(result.text).subspan(size);
    LEAT_ASSIGN_OR_RETURN(const size_t count, inflater.Inflate(bytes, room));
    size += count;
    is_done = bytes.empty() && count == 0;
  }
  result.text.resize(size);
  return absl::OkStatus();
}

}  // namespace

absl::Status Decompress(absl::string_view bytes, Compression compression,
                        Allocator& allocator, CountedText& result) {
  if (compression != Compression::kNone) {
    return InflateAll(bytes, compression, allocator, result);
  }
  result.counted = allocator.Reserve(HeldBytesOfText(bytes.size()));
  if (result.counted == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory of '", allocator.name(), "' has no room for ",
                     bytes.size(), " bytes"));
  }
  result.text.assign(bytes.data(), bytes.size());
  return absl::OkStatus();
}

}  // namespace leat
