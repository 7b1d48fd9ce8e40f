// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors to and from NumPy's .npy files (format versions 1 to 3, NumPy
// Enhancement Proposal 1): bool, integers, float16 to float64, complex and
// fixed-width bytes (string), little-endian, C order. Stateless, thread-safe.
#ifndef LEAT_TOOLS_NPY_H_
#define LEAT_TOOLS_NPY_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"

namespace leat {

inline constexpr int64_t kMaxNpyBytes = int64_t{4} << 30;

// The array, in host memory. `name` is for messages. INVALID_ARGUMENT for
// bytes that are no such file, are cut off or go on behind the data, and for
// arrays that are no tensor: Python objects (never unpickled), records,
// big-endian numbers, Fortran order.
absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes,
                                absl::string_view name);

// The bytes of a version 1 file. INVALID_ARGUMENT naming the dtype for those
// that NumPy does not have (bfloat16, resource, variant), and for strings that
// end in a zero byte, which NumPy would drop.
absl::StatusOr<std::string> FormatNpy(const Tensor& tensor);

// The same with files; they fail as RegularFile (core/regular_file.h) and
// WriteFile do besides. The size of a file that is read is compared with what
// its header announces before memory is taken for it.
absl::StatusOr<Tensor> ReadNpy(const std::string& path);
absl::Status WriteNpy(const Tensor& tensor, const std::string& path);

}  // namespace leat

#endif  // LEAT_TOOLS_NPY_H_
