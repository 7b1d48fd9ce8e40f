// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace leat {
namespace {

constexpr int kGzipFormat = 16;  // is added to the bits of the window

uInt Limited(size_t size) {
  return static_cast<uInt>(
      std::min<size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

std::optional<Compression> CompressionNamed(absl::string_view name) {
  if (name.empty()) return Compression::kNone;
  if (name == "ZLIB") return Compression::kZlib;
  if (name == "GZIP") return Compression::kGzip;
  return std::nullopt;
}

struct Inflater::State {
  z_stream zlib = {};
};

Inflater::Inflater(Compression compression)
    : is_gzip_(compression == Compression::kGzip),
      state_(std::make_unique<State>()) {
  const int bits = is_gzip_ ? MAX_WBITS + kGzipFormat : MAX_WBITS;
  if (inflateInit2(&state_->zlib, bits) != Z_OK) state_.reset();
}

Inflater::~Inflater() {
  if (state_ != nullptr) inflateEnd(&state_->zlib);
}

absl::StatusOr<size_t> Inflater::Inflate(absl::string_view& from,
                                         absl::Span<char> to) {
  if (state_ == nullptr) {
    return absl::ResourceExhaustedError("zlib has no memory");
  }
  z_stream& zlib = state_->zlib;
  if (has_ended()) from = {};
  if (is_complete_ && from.empty()) return 0;
  if (is_complete_) inflateReset(&zlib);
  is_complete_ = false;
  const uInt available = Limited(from.size());
  const uInt room = Limited(to.size());
  // zlib does not write to its input.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
  zlib.avail_in = available;
  zlib.next_out = reinterpret_cast<Bytef*>(to.data());
  zlib.avail_out = room;
  const int result = inflate(&zlib, Z_NO_FLUSH);
  from.remove_prefix(available - zlib.avail_in);
  is_complete_ = result == Z_STREAM_END;
  // Z_BUF_ERROR means that there is no more input, or no room.
  if (is_complete_ || result == Z_OK || result == Z_BUF_ERROR) {
    return room - zlib.avail_out;
  }
  return absl::DataLossError(
      absl::StrCat("inflate() failed with error ", result,
                   zlib.msg != nullptr ? absl::StrCat(": ", zlib.msg) : ""));
}

}  // namespace leat
