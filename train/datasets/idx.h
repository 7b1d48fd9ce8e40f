// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IDX files: the format of MNIST and Fashion-MNIST (magic 0 0 type rank, then
// big-endian extents, then the elements), plain or gzipped.
#ifndef LEAT_TRAIN_DATASETS_IDX_H_
#define LEAT_TRAIN_DATASETS_IDX_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"

namespace leat {

inline constexpr int64_t kMaxIdxBytes = int64_t{4} << 30;

// A tensor of unsigned bytes. INVALID_ARGUMENT naming `name` and what is wrong
// for bytes that are no such file, are cut off, or go on behind the data;
// RESOURCE_EXHAUSTED above kMaxIdxBytes.
absl::StatusOr<Tensor> ParseIdx(absl::string_view bytes,
                                absl::string_view name);

// The same from a file, unpacked if it is gzipped; the gzip streams must end
// where the file does. Fails as ReadRegularFile (core/regular_file.h) besides.
absl::StatusOr<Tensor> ReadIdx(const std::string& path);

// Images [n, 28, 28, 1] of uint8 and labels [n] of int32, as they are used.
struct LabeledImages {
  Tensor images = {};
  Tensor labels = {};
};

// Fashion-MNIST from the four files of `folder` (Debian's package
// dataset-fashion-mnist). Checks counts, extents and labels; INVALID_ARGUMENT
// naming a split that has no images.
struct FashionMnist {
  LabeledImages train = {};
  LabeledImages test = {};
};
absl::StatusOr<FashionMnist> LoadFashionMnist(const std::string& folder);
inline constexpr char kFashionMnistFolder[] =
    "/usr/share/datasets/fashion-mnist";

}  // namespace leat

#endif  // LEAT_TRAIN_DATASETS_IDX_H_
