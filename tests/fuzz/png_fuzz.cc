// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decodes bytes as a PNG file.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/decode_png.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A file of a few bytes may have very many pixels. The extents stand in the
  // first chunk, with the highest byte first. Those above 1023 take longer than
  // the fuzzer waits.
  for (const size_t extent : {16, 20}) {
    if (size < extent + 4) return 0;
    if (data[extent] != 0 || data[extent + 1] != 0 || data[extent + 2] > 3) {
      return 0;
    }
  }
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const int channels : {0, 1, 3, 4}) {
    for (const leat::DType type : {leat::DType::kUint8, leat::DType::kUint16}) {
      const auto image =
          leat::DecodePng(bytes, channels, type, leat::HostAllocator());
      if (image.ok()) LEAT_CHECK(image->rank() == 3);
    }
  }
  return 0;
}
