// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/session.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/local_session.h"

namespace leat {

absl::StatusOr<std::shared_ptr<Session>> NewSession(
    const Graph& graph, const SessionOptions& options) {
  if (!options.target.text.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("target '", options.target.text,
                     "': only local sessions (\"\") exist yet"));
  }
  LocalSessionOptions local{
      .allow_soft_placement = options.allow_soft_placement,
      .placement_policy = options.placement_policy,
      .lower_limits = options.lower_limits,
      .optimizer = options.optimizer};
  LEAT_ASSIGN_OR_RETURN(local.devices, ParseDevices(options.devices));
  local.devices.num_threads = options.num_threads;
  local.devices.cpu_memory_bytes = options.cpu_memory_bytes;
  return NewLocalSession(graph, local);
}

}  // namespace leat
