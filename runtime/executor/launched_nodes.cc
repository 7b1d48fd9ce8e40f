// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/launched_nodes.h"

#include "absl/strings/str_cat.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_payloads.h"
#include "leat/graph/graph.h"

namespace leat {

std::string LaunchedNodes::Names() const {
  const uint32_t count = count_.load(std::memory_order_relaxed);
  std::string names;
  for (uint32_t i = count < kMost ? 0 : count - kMost; i < count; ++i) {
    const NodeDef* const node =
        nodes_[i % kMost].load(std::memory_order_acquire);
    if (node == nullptr) continue;
    absl::StrAppend(&names, names.empty() ? "'" : ", '", node->name, "'");
  }
  return names.empty() ? "no node" : names;
}

absl::Status WithLaunchedNodes(const absl::Status& error,
                               const LaunchedNodes& launched,
                               const GpuStream& stream) {
  if (!stream.HasFailedLate() || launched.IsEmpty()) return error;
  return WithMessage(
      error,
      absl::StrCat(error.message(), "\n\tof this step, ", launched.Names(),
                   " launched last on ", launched.device(),
                   "; with --gpu-sync, the error names the node"));
}

}  // namespace leat
