// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/decompress.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr size_t kFirstBytes = 16 << 10;
constexpr int kGzipFormat = 16;  // is added to the bits of the window

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

// Owns zlib's state.
class Inflater {
 public:
  Inflater(absl::string_view bytes, Compression compression)
      : rest_(bytes), is_gzip_(compression == Compression::kGzip) {
    is_open_ = inflateInit2(&zlib_, is_gzip_ ? MAX_WBITS + kGzipFormat
                                             : MAX_WBITS) == Z_OK;
  }
  ~Inflater() {
    if (is_open_) inflateEnd(&zlib_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends everything that can be decompressed to `result`.
  absl::Status Run(Allocator& allocator, CountedText& result) {
    if (!is_open_) {
      return absl::ResourceExhaustedError("zlib has no memory");
    }
    size_t size = 0;
    for (bool is_done = false; !is_done;) {
      if (size == result.text.size()) {
        LEAT_RETURN_IF_ERROR(Grow(allocator, result));
      }
      LEAT_ASSIGN_OR_RETURN(is_done, Step(result.text, size));
    }
    result.text.resize(size);
    return absl::OkStatus();
  }

 private:
  static uInt Limited(size_t size) {
    return static_cast<uInt>(
        std::min<size_t>(size, std::numeric_limits<uInt>::max()));
  }

  // Decompresses into `text` behind its first `size` bytes. Returns true at the
  // end.
  absl::StatusOr<bool> Step(std::string& text, size_t& size) {
    const uInt room = Limited(text.size() - size);
    const uInt available = Limited(rest_.size());
    // zlib does not write to its input.
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    zlib_.avail_in = available;
    zlib_.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    zlib_.avail_out = room;
    const int result = inflate(&zlib_, Z_NO_FLUSH);
    size += room - zlib_.avail_out;
    rest_.remove_prefix(available - zlib_.avail_in);
    if (result == Z_STREAM_END) {
      return !is_gzip_ || rest_.empty() || inflateReset(&zlib_) != Z_OK;
    }
    // Z_BUF_ERROR means that there is no more input.
    if (result == Z_BUF_ERROR) return true;
    if (result == Z_OK) return false;
    return absl::DataLossError(absl::StrCat(
        "inflate() failed with error ", result,
        zlib_.msg != nullptr ? absl::StrCat(": ", zlib_.msg) : ""));
  }

  absl::string_view rest_;
  const bool is_gzip_;
  bool is_open_ = false;
  z_stream zlib_ = {};
};

}  // namespace

absl::Status Decompress(absl::string_view bytes, Compression compression,
                        Allocator& allocator, CountedText& result) {
  if (compression != Compression::kNone) {
    return Inflater(bytes, compression).Run(allocator, result);
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
