// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decodes bytes as a BMP file.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/decode_bmp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const int channels : {0, 3, 4}) {
    const auto image = leat::DecodeBmp(bytes, channels, leat::HostAllocator());
    if (image.ok()) LEAT_CHECK(image->rank() == 3);
  }
  return 0;
}
