// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads and writes tensors as NumPy's .npy files (format versions 1 to 3, NumPy
// Enhancement Proposal 1). They support bool, integers, float16 to float64,
// complex numbers and byte strings of a fixed width, in little-endian byte
// order and C order. The functions are stateless and thread-safe.
#ifndef LEAT_TOOLS_TENSORS_NPY_H_
#define LEAT_TOOLS_TENSORS_NPY_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"

namespace leat {

// Limits the size of a file that is read, in bytes.
inline constexpr int64_t kMaxNpyBytes = int64_t{4} << 30;

// Parses `bytes`, the contents of a file, and returns the array in host memory.
// `name` stands for the file in messages. Returns INVALID_ARGUMENT if the bytes
// are not a .npy file, are cut off, or go on after the data. Returns the same
// error for arrays that Leat does not read: Python objects (which are never
// unpickled), records, big-endian numbers, Fortran order.
absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes,
                                absl::string_view name);

// Returns the contents of a version 1 file. Returns INVALID_ARGUMENT, naming
// the dtype, for dtypes that NumPy does not have (bfloat16, resource, variant).
// Also returns INVALID_ARGUMENT for strings that end in a zero byte, because
// NumPy would drop that byte. Returns INTERNAL for a tensor on a GPU.
absl::StatusOr<std::string> FormatNpy(const Tensor& tensor);

// ReadNpy parses a file as ParseNpy does. WriteNpy writes the file that
// FormatNpy returns. Both also return the errors of files
// (core/files/regular_file.h, WriteFile). ReadNpy compares the size of the file
// with its header before it allocates memory.
absl::StatusOr<Tensor> ReadNpy(const std::string& path);
absl::Status WriteNpy(const Tensor& tensor, const std::string& path);

}  // namespace leat

#endif  // LEAT_TOOLS_TENSORS_NPY_H_
