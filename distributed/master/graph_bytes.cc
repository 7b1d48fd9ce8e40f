// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/graph_bytes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/protos/graph.pb.h"

namespace leat {

absl::Status GraphBytes::Add(const pb::GraphDef& addition) {
  const auto all_bytes = static_cast<int64_t>(addition.ByteSizeLong());
  int64_t bytes = all_bytes;
  for (const pb::FunctionDef& function : addition.library().function()) {
    if (!functions_.insert(function.signature().name()).second) {
      bytes -= static_cast<int64_t>(function.ByteSizeLong());
    }
  }
  // `bytes` does not include functions whose names are already known, but the
  // message may redefine them. So the total is set to at least the size of the
  // message.
  bytes_ = std::max(SaturatingAdd(bytes_, bytes), all_bytes);
  if (bytes_ <= limit_) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the graph of the session takes ", bytes_,
      " bytes, more than the limit of ", limit_, " (--max-graph-bytes)"));
}

}  // namespace leat
