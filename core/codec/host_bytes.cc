// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/host_bytes.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {

absl::Status CheckOnHost(const Tensor& tensor) {
  if (!tensor.IsOnGpu()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the host cannot read the bytes of ",
                                          tensor.DebugString(),
                                          " without a copy node"));
}

absl::StatusOr<absl::string_view> HostBytes(const Tensor& tensor) {
  LEAT_RETURN_IF_ERROR(CheckOnHost(tensor));
  return absl::string_view(tensor.raw_data(),
                           static_cast<size_t>(tensor.num_bytes()));
}

}  // namespace leat
