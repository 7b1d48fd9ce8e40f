// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/init_op.h"

#include "absl/strings/str_cat.h"
#include "leat/protos/meta_graph.pb.h"

namespace leat {
namespace {

constexpr char kInitSignature[] = "__saved_model_init_op";
constexpr char kTrainSignature[] = "__saved_model_train_op";

}  // namespace

bool IsInitSignature(absl::string_view name) {
  return name == kInitSignature || name == kTrainSignature;
}

absl::StatusOr<std::string> InitOpOf(const pb::MetaGraphDef& meta) {
  const auto signature = meta.signature_def().find(kInitSignature);
  if (signature != meta.signature_def().end()) {
    const auto& outputs = signature->second.outputs();
    const auto output = outputs.find(kInitSignature);
    if (output != outputs.end()) return output->second.name();
  }
  for (const char* name : {kMainOpCollection, "legacy_init_op"}) {
    const auto found = meta.collection_def().find(name);
    if (found == meta.collection_def().end()) continue;
    const auto& ops = found->second.node_list().value();
    if (ops.size() == 1) return ops[0];
    return absl::InvalidArgumentError(absl::StrCat(
        "the collection ", name, " must name one op, but names ", ops.size()));
  }
  return "";
}

}  // namespace leat
