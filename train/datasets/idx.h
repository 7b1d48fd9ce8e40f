// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadIdx and LoadFashionMnist read IDX files, the format of MNIST and
// Fashion-MNIST. A file consists of the bytes 0, 0, type and rank, then the
// extents as big-endian numbers, then the elements. Files may be gzipped. The
// functions are stateless and thread-safe.
//
//   LEAT_ASSIGN_OR_RETURN(FashionMnist data,
//                         LoadFashionMnist(kFashionMnistFolder));
//   LEAT_ASSIGN_OR_RETURN(Batches batches, Batches::Create(data.train, {}));
//
// A program that has other images reads each file with ReadIdx:
//
//   LEAT_ASSIGN_OR_RETURN(Tensor digits, ReadIdx("train-images.idx3.gz"));
//   const int64_t count = digits.shape().dim(0);
#ifndef LEAT_TRAIN_DATASETS_IDX_H_
#define LEAT_TRAIN_DATASETS_IDX_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"

namespace leat {

// Limits the number of bytes of a file, packed or unpacked.
inline constexpr int64_t kMaxIdxBytes = int64_t{4} << 30;

// Returns the content of an IDX file as a tensor of uint8. Returns
// INVALID_ARGUMENT, with `name` and the problem, if `bytes` is not an IDX file
// of unsigned bytes, ends too early, or has more bytes after the data.
absl::StatusOr<Tensor> ParseIdx(absl::string_view bytes,
                                absl::string_view name);

// Returns the content of the file `path`. Unpacks the file if it is gzipped.
// The gzip streams must end where the file does. Returns RESOURCE_EXHAUSTED if
// the file has more than kMaxIdxBytes, packed or unpacked. Also returns the
// errors of ParseIdx and ReadRegularFile (core/files/regular_file.h).
absl::StatusOr<Tensor> ReadIdx(const std::string& path);

// Holds images of uint8 [n, 28, 28, 1] and their labels, int32 [n].
struct LabeledImages {
  Tensor images = {};
  Tensor labels = {};
};

// Holds the training and the test split of Fashion-MNIST.
struct FashionMnist {
  LabeledImages train = {};
  LabeledImages test = {};
};
// Reads the four files of the data set from `folder`. Debian's package
// dataset-fashion-mnist installs these files. Returns INVALID_ARGUMENT, naming
// the split, if counts, extents or labels are wrong or there are no images.
absl::StatusOr<FashionMnist> LoadFashionMnist(const std::string& folder);
// Is the folder into which Debian's package installs the files.
inline constexpr char kFashionMnistFolder[] =
    "/usr/share/datasets/fashion-mnist";

}  // namespace leat

#endif  // LEAT_TRAIN_DATASETS_IDX_H_
