// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/session.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

// Returns the error for an option that the session would ignore.
absl::Status Misplaced(absl::string_view option, const SessionTarget& target) {
  if (target.text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the option ", option,
                     " is for sessions on a target, and there is none"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the option ", option, " is for local sessions; the tasks of target '",
      target.text, "' have their own"));
}

absl::StatusOr<std::shared_ptr<Session>> NewSessionHere(
    const Graph& graph, const SessionOptions& options) {
  if (!options.device_filters.empty()) {
    return Misplaced("device_filters", options.target);
  }
  LocalSessionOptions local{
      .allow_soft_placement = options.allow_soft_placement,
      .placement_policy = options.placement_policy,
      .lower_limits = options.lower_limits,
      .optimizer = options.optimizer};
  LEAT_ASSIGN_OR_RETURN(local.devices, ParseDevices(options.devices));
  local.devices.num_threads = options.num_threads;
  local.devices.cpu_memory_bytes = options.cpu_memory_bytes;
  local.devices.gpu_memory_bytes = options.gpu_memory_bytes;
  local.devices.gpu_allow_tf32 = options.gpu_allow_tf32;
  local.devices.gpu_sync = options.gpu_sync;
  local.devices.log = options.log;
  local.devices.costs_folder = options.costs_folder;
  local.devices.gpu_memory_fraction = options.gpu_memory_fraction;
  local.devices.gpu_allow_growth = options.gpu_allow_growth;
  local.devices.gpu_ordinals = options.gpu_ordinals;
  return NewLocalSession(graph, local);
}

absl::StatusOr<std::shared_ptr<Session>> NewSessionThere(
    const Graph& graph, const SessionOptions& options) {
  const SessionOptions defaults;
  const std::pair<const char*, bool> local_options[] = {
      {"devices", options.devices != defaults.devices},
      {"num_threads", options.num_threads != defaults.num_threads},
      {"cpu_memory_bytes",
       options.cpu_memory_bytes != defaults.cpu_memory_bytes},
      {"gpu_memory_bytes",
       options.gpu_memory_bytes != defaults.gpu_memory_bytes},
      {"gpu_allow_tf32", options.gpu_allow_tf32},
      {"gpu_sync", options.gpu_sync},
      {"gpu_memory_fraction",
       options.gpu_memory_fraction != defaults.gpu_memory_fraction},
      {"gpu_allow_growth",
       options.gpu_allow_growth != defaults.gpu_allow_growth},
      {"gpu_ordinals", options.gpu_ordinals != defaults.gpu_ordinals},
      {"placement_policy",
       options.placement_policy != defaults.placement_policy},
      {"costs_folder", !options.costs_folder.empty()},
      {"lower_limits", !(options.lower_limits == defaults.lower_limits)}};
  for (const auto& [name, is_set] : local_options) {
    if (is_set) return Misplaced(name, options.target);
  }
  return NewRemoteSession(graph, options.target.text,
                          {.device_filters = options.device_filters,
                           .isolate_state = options.isolate_state,
                           .allow_soft_placement = options.allow_soft_placement,
                           .optimizer = options.optimizer,
                           .connect_timeout = options.connect_timeout,
                           .cancellation = options.cancellation,
                           .on_waiting = options.on_waiting});
}

}  // namespace

absl::StatusOr<std::shared_ptr<Session>> NewSession(
    const Graph& graph, const SessionOptions& options) {
  return options.target.text.empty() ? NewSessionHere(graph, options)
                                     : NewSessionThere(graph, options);
}

}  // namespace leat
