// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HostBytes gives the bytes of a tensor to code that sends or stores them. It
// is stateless and thread-safe.
#ifndef LEAT_CORE_CODEC_HOST_BYTES_H_
#define LEAT_CORE_CODEC_HOST_BYTES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"

namespace leat {

// Returns INTERNAL, with the name of the memory, if the elements lie in the
// memory of a GPU, where the host cannot read them.
absl::Status CheckOnHost(const Tensor& tensor);

// Returns the bytes of the elements, which live as long as the buffer of the
// tensor. Fails as CheckOnHost does. REQUIRES: the elements are plain.
absl::StatusOr<absl::string_view> HostBytes(const Tensor& tensor);

}  // namespace leat

#endif  // LEAT_CORE_CODEC_HOST_BYTES_H_
