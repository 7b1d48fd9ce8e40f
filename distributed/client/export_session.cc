// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/client/export_session.h"

#include <algorithm>
#include <chrono>
#include <climits>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/graph_def.h"

namespace leat {
namespace {

// Returns `timeout` in milliseconds, at least 1, because 0 would mean no
// timeout.
int64_t Milliseconds(std::chrono::nanoseconds timeout) {
  return std::max<int64_t>(
      1, std::chrono::ceil<std::chrono::milliseconds>(timeout).count());
}

absl::Status CheckSize(const pb::GraphDef& graph) {
  if (graph.ByteSizeLong() <= INT_MAX) return absl::OkStatus();
  const pb::NodeDef* largest = nullptr;
  for (const pb::NodeDef& node : graph.node()) {
    if (largest == nullptr || node.ByteSizeLong() > largest->ByteSizeLong()) {
      largest = &node;
    }
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "the graph takes ", graph.ByteSizeLong(), " bytes, but a message may ",
      "have at most ", INT_MAX,
      largest == nullptr
          ? ""
          : absl::StrCat(" (its largest node is '", largest->name(), "' with ",
                         largest->ByteSizeLong(), " bytes)")));
}

}  // namespace

void ExportRunOptions(const RunOptions& options, pb::RunOptions& sent) {
  static_assert(static_cast<int>(TraceLevel::kFull) ==
                pb::RunOptions::FULL_TRACE);
  sent.set_trace_level(
      static_cast<pb::RunOptions::TraceLevel>(options.trace_level));
  sent.set_output_partition_graphs(options.output_partition_graphs);
  sent.set_report_tensor_allocations_upon_oom(
      options.report_tensor_allocations_upon_oom);
  if (options.timeout.has_value()) {
    sent.set_timeout_in_ms(Milliseconds(*options.timeout));
  }
}

absl::StatusOr<pb::GraphDef> ExportForMaster(const Graph& graph, NodeId first) {
  pb::GraphDef exported;
  LEAT_RETURN_IF_ERROR(ExportGraphDef(graph, exported, {.first = first}));
  LEAT_RETURN_IF_ERROR(CheckSize(exported));
  return exported;
}

void ExportConfig(const RemoteSessionOptions& options,
                  pb::ConfigProto& config) {
  for (const std::string& filter : options.device_filters) {
    config.add_device_filters(filter);
  }
  config.set_isolate_session_state(options.isolate_state);
  config.set_allow_soft_placement(options.allow_soft_placement);
  config.set_log_device_placement(options.log_device_placement);
  ExportOptimizerOptions(options.optimizer, *config.mutable_graph_options());
}

}  // namespace leat
