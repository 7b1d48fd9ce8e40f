// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EncodeJpeg makes a JPEG file of an image, with libjpeg-turbo. It is stateless
// and thread-safe.
#ifndef LEAT_KERNELS_CODECS_ENCODE_JPEG_H_
#define LEAT_KERNELS_CODECS_ENCODE_JPEG_H_

#include <string>

#include "absl/status/statusor.h"
#include "leat/summary/encode_png.h"

namespace leat {

// Has TensorFlow's options and their default values.
struct JpegEncoding {
  int quality = 95;  // from 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool density_in_cm = false;  // otherwise, densities are per inch
  int x_density = 300;
  int y_density = 300;
  std::string xmp_metadata = {};
};

// Returns the bytes of the JPEG file. Returns INTERNAL if libjpeg
// refuses the image: it is empty or has more than 65,500 pixels in a row or
// column, or the metadata is too long. REQUIRES: `image` has 1 or 3 channels of
// eight bits.
absl::StatusOr<std::string> EncodeJpeg(const ImageView& image,
                                       const JpegEncoding& encoding);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_ENCODE_JPEG_H_
