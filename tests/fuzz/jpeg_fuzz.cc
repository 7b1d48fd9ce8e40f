// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decodes bytes as a JPEG file. The first byte decides about the options.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/decode_jpeg.h"

// Is the largest image that is decoded. Larger ones take longer than the fuzzer
// waits.
static constexpr int64_t kMaxPixels = 1 << 20;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  const auto shape = leat::JpegShape(bytes);
  if (!shape.ok() || shape->num_elements() > kMaxPixels) return 0;
  leat::JpegOptions options;
  options.channels = (data[0] & 1) != 0 ? 3 : (data[0] & 2) != 0 ? 1 : 0;
  options.ratio = 1 << (data[0] >> 2 & 3);
  options.recover_truncated = (data[0] & 16) != 0;
  options.fancy_upscaling = (data[0] & 32) != 0;
  options.acceptable_fraction = (data[0] & 64) != 0 ? 0.5f : 1.0f;
  if ((data[0] & 128) != 0) options.crop = leat::CropWindow{1, 2, 3, 4};
  const auto image = leat::DecodeJpeg(bytes, options, leat::HostAllocator());
  if (image.ok()) LEAT_CHECK(image->rank() == 3);
  return 0;
}
