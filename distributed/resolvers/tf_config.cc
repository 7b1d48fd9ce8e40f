// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the resolver of the environment variable TF_CONFIG, as TensorFlow's
// TFConfigClusterResolver reads it and Kubeflow's TFJob writes it:
//
//   {"cluster": {"ps": ["h:p"], "worker": ["h:p", "h:p"]},
//    "task": {"type": "worker", "index": 1}}
//
// Other keys ("environment", "rpc_layer") are ignored. Some values that
// TensorFlow accepts silently are refused: duplicate keys, an index that is not
// an integer or not in the cluster, and an evaluator among the jobs of the
// cluster.
//
// A TFJob whose number of workers may change has "sparseCluster" instead of
// "cluster". The TF_CONFIG of a worker then lists all parameter servers and the
// worker itself. The TF_CONFIG of a parameter server lists only the server's
// own address, as if it were the only task of its job. The address is at index
// 0 even if the server has another index.
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/codec/json.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/resolver.h"

namespace leat::resolvers::tf_config {
namespace {

using Kind = JsonValue::Kind;

// Returns the index of `task`. The index may be a number or a string with a
// number, because TensorFlow reads it with Python's int().
absl::StatusOr<int64_t> IndexIn(const JsonValue& task) {
  const JsonValue* index = task.Find("index");
  if (index == nullptr) {
    return absl::InvalidArgumentError("'task' has no 'index'");
  }
  int64_t value = 0;
  if (index->integer.has_value()) return *index->integer;
  if (index->kind == Kind::kString && absl::SimpleAtoi(index->text, &value)) {
    return value;
  }
  return absl::InvalidArgumentError(absl::StrCat("the 'index' of 'task' is ",
                                                 index->kind == Kind::kString
                                                     ? QuotedText(index->text)
                                                     : index->KindText(),
                                                 ", not an integer"));
}

// Reads the value of the key "task", such as {"type": "ps", "index": 0}, into
// `resolved`.
absl::Status ReadTask(const JsonValue& task, Resolved& resolved) {
  if (!task.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'task' is ", task.KindText(), ", not an object"));
  }
  const JsonValue* type = task.Find("type");
  if (type == nullptr) {
    return absl::InvalidArgumentError("'task' has no 'type'");
  }
  if (type->kind != Kind::kString || type->text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the 'type' of 'task' is ",
                     type->kind == Kind::kString ? "empty" : type->KindText(),
                     ", not the name of a job"));
  }
  LEAT_ASSIGN_OR_RETURN(resolved.task, IndexIn(task));
  resolved.job = type->text;
  return absl::OkStatus();
}

// Corrects the sparse cluster of a parameter server. The cluster lists only the
// server's own address, at index 0. Moves the address to the index of the
// server.
absl::Status MoveOwnAddress(const JsonValue& jobs, Resolved& resolved) {
  const JsonValue* own = jobs.Find(resolved.job);
  if (own == nullptr || own->kind != Kind::kArray || own->values.size() != 1 ||
      *resolved.task < 0 || *resolved.task > kMaxTaskIndex) {
    return absl::OkStatus();
  }
  ClusterSpec::Jobs moved = resolved.cluster.jobs();
  moved[resolved.job] = {
      {static_cast<int>(*resolved.task), own->values[0].text}};
  LEAT_ASSIGN_OR_RETURN(resolved.cluster,
                        ClusterSpec::Create(std::move(moved)));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Resolved>> Resolve(const ResolverInput& input) {
  const std::optional<std::string> text = input.Variable("TF_CONFIG");
  if (!text.has_value()) return std::nullopt;
  LEAT_ASSIGN_OR_RETURN(const JsonValue config, ParseJson(*text));
  if (!config.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is ", config.KindText(), ", not an object"));
  }
  const JsonValue* dense = config.Find("cluster");
  const JsonValue* sparse = config.Find("sparseCluster");
  const JsonValue* task = config.Find("task");
  if (dense != nullptr && sparse != nullptr) {
    return absl::InvalidArgumentError(
        "it has both a 'cluster' and a 'sparseCluster'");
  }
  const JsonValue* jobs = dense != nullptr ? dense : sparse;
  if (jobs == nullptr) {
    // As in TensorFlow, a process whose TF_CONFIG has neither a cluster nor a
    // task runs alone.
    if (task == nullptr) return std::nullopt;
    return absl::InvalidArgumentError("it has a 'task' but no 'cluster'");
  }
  Resolved resolved;
  LEAT_ASSIGN_OR_RETURN(resolved.cluster, ClusterSpec::FromJsonValue(*jobs));
  if (task != nullptr) {
    LEAT_RETURN_IF_ERROR(ReadTask(*task, resolved));
    if (sparse != nullptr) {
      LEAT_RETURN_IF_ERROR(MoveOwnAddress(*sparse, resolved));
    }
  }
  return resolved;
}

}  // namespace

void Register(ResolverRegistry& registry) {
  registry.Add({.name = "tf_config",
                .rank = 100,
                .source = "TF_CONFIG",
                .resolve = &Resolve});
}

}  // namespace leat::resolvers::tf_config
