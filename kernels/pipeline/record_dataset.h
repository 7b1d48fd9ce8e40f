// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewRecordDataset makes a dataset of the records of files, which it reads one
// after another. The functions here are stateless.
#ifndef LEAT_KERNELS_PIPELINE_RECORD_DATASET_H_
#define LEAT_KERNELS_PIPELINE_RECORD_DATASET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/pipeline/dataset.h"
#include "leat/kernels/pipeline/file_records.h"

namespace leat::kernels {

// Says what a stage reads after an error within a file. After an error of the
// opening of a file it always tries to open that file again, as TensorFlow
// does.
enum class AfterReadError {
  kNextFile,
  kNothing,  // The error comes again and again.
};

// Says which files to read, and how.
struct RecordFiles {
  Tensor paths = {};  // a scalar or a vector of strings
  // Says how many bytes of each file to leave out. It may be empty.
  std::vector<int64_t> offsets = {};
  Compression compression = Compression::kNone;
  int64_t buffer_bytes = 0;  // 0 stands for the default
  NewRecordFormat new_format = {};
  AfterReadError after_error = AfterReadError::kNextFile;
};

// Returns a dataset whose elements are the records, as scalars.
DatasetPtr NewRecordDataset(RecordFiles files);

// Reads the paths from input `i`. Returns INVALID_ARGUMENT, with TensorFlow's
// text, if it is neither a scalar nor a vector.
absl::StatusOr<Tensor> PathsArgument(const KernelContext& context, int i);
// Reads a compression from input `i`. Returns INVALID_ARGUMENT, with
// TensorFlow's text, if there is no compression of this name.
absl::StatusOr<Compression> CompressionArgument(const KernelContext& context,
                                                int i);
// Reads a number from input `i`, whose name is `name`. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if it is below `least`, which is 0
// or 1. `remark` is the end of the text.
absl::StatusOr<int64_t> SizeArgument(const KernelContext& context, int i,
                                     absl::string_view name, int64_t least = 0,
                                     absl::string_view remark = "");

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_RECORD_DATASET_H_
