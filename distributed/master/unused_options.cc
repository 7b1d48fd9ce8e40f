// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/unused_options.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/protos/config.pb.h"

namespace leat {
namespace {

// These are the fields that a server uses or refuses. The list also has fields
// that ask for what a server always does.
constexpr absl::string_view kUsed[] = {
    "config.allow_soft_placement",
    "config.cluster_def",
    "config.device_filters",
    "config.experimental.collective_group_leader",
    "config.experimental.disable_optimize_for_static_graph",
    "config.graph_options.optimizer_options.do_common_subexpression_"
    "elimination",
    "config.graph_options.optimizer_options.do_constant_folding",
    "config.graph_options.optimizer_options.do_function_inlining",
    "config.graph_options.optimizer_options.max_folded_constant_in_bytes",
    "config.graph_options.optimizer_options.opt_level",
    "config.graph_options.rewrite_options.arithmetic_optimization",
    "config.graph_options.rewrite_options.common_subgraph_elimination",
    "config.graph_options.rewrite_options.constant_folding",
    "config.graph_options.rewrite_options.dependency_optimization",
    "config.graph_options.rewrite_options.disable_meta_optimizer",
    "config.graph_options.rewrite_options.disable_model_pruning",
    "config.graph_options.rewrite_options.remapping",
    "config.isolate_session_state",
    "config.log_device_placement",
    "config.operation_timeout_in_ms",
    "config.session_inter_op_thread_pool",
    "config.use_per_session_threads",
    "options.experimental.collective_graph_key",
    "options.output_partition_graphs",
    "options.report_tensor_allocations_upon_oom",
    "options.timeout_in_ms",
    "options.trace_level",
};

// Adds the unused fields of `message`, whose name is `path`, to `unused`.
// Messages are nested as deep as config.proto declares them.
void Collect(const google::protobuf::Message& message, const std::string& path,
             std::vector<std::string>& unused) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    std::string name = absl::StrCat(path, ".", field->name());
    if (absl::c_linear_search(kUsed, name)) continue;
    if (field->cpp_type() !=
            google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE ||
        field->is_repeated()) {
      unused.push_back(std::move(name));
    } else {
      Collect(reflection.GetMessage(message, field), name, unused);
    }
  }
  if (!reflection.GetUnknownFields(message).empty()) {
    unused.push_back(absl::StrCat(path, ".(newer fields)"));
  }
}

}  // namespace

std::vector<std::string> UnusedIn(const pb::ConfigProto& config) {
  std::vector<std::string> unused;
  Collect(config, "config", unused);
  return unused;
}

std::vector<std::string> UnusedIn(const pb::RunOptions& options) {
  std::vector<std::string> unused;
  Collect(options, "options", unused);
  return unused;
}

void UnusedOptions::Note(const std::vector<std::string>& names) {
  std::vector<std::string> added;
  if (!names.empty()) {
    MutexLock lock(mutex_);
    for (const std::string& name : names) {
      if (named_.insert(name).second) added.push_back(name);
    }
  }
  if (added.empty()) return;
  log_(
      absl::StrCat("a client sets options that this server accepts but does "
                   "not use: ",
                   absl::StrJoin(added, ", ")));
}

}  // namespace leat
